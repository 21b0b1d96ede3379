//! Asks nginx, at a loopback address of its own, which file its workers have and how many requests they have had. A
//! failed reload changes nothing, and only nginx's error log shows it. So the workers' answer decides.

use std::net::SocketAddr;

use super::{NGINX, in_force::InForce};
use crate::{Result, actuator::http::ask};

/// The path at which nginx counts requests (`stub_status`).
pub(super) const REQUESTS: &str = "/requests";

/// What the file in force says about itself.
pub(super) fn in_force(address: SocketAddr) -> Result<InForce> {
    let asked = ask(NGINX, address, "/")?;
    InForce::parse(&asked.body).ok_or_else(|| asked.refused(NGINX, "GET /"))
}

/// The number of requests since nginx started, including this one, whose line in the log has this mark.
pub(super) fn requests(address: SocketAddr, mark: u64) -> Result<u64> {
    let asked = ask(NGINX, address, &format!("{REQUESTS}?mark={mark:016x}"))?;
    let count = |body: &str| body.lines().nth(2)?.split_ascii_whitespace().nth(2)?.parse().ok();
    count(&asked.body).ok_or_else(|| asked.refused(NGINX, "GET /requests"))
}
