//! Asks nginx, at a loopback address of its own, which file its workers have and how many requests they have had. A
//! failed reload changes nothing, and only nginx's error log shows it. So the workers' answer decides.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use super::{NGINX, in_force::InForce};
use crate::{Error, Result};

const PATIENCE: Duration = Duration::from_secs(3);
/// An answer has less than a hundred bytes, and its head a few hundred.
const MOST: u64 = 16 << 10;

/// The path at which nginx counts requests (`stub_status`).
pub(super) const REQUESTS: &str = "/requests";

/// What the file in force says about itself.
pub(super) fn in_force(address: SocketAddr) -> Result<InForce> {
    let (answer, body) = ask(address, "/")?;
    InForce::parse(&body).ok_or_else(|| refused("GET /", &answer))
}

/// The number of requests since nginx started, including this one, whose line in the log has this mark.
pub(super) fn requests(address: SocketAddr, mark: u64) -> Result<u64> {
    let (answer, body) = ask(address, &format!("{REQUESTS}?mark={mark:016x}"))?;
    let count = |body: &str| body.lines().nth(2)?.split_ascii_whitespace().nth(2)?.parse().ok();
    count(&body).ok_or_else(|| refused("GET /requests", &answer))
}

fn refused(command: &'static str, answer: &str) -> Error {
    let answer = answer.lines().next().unwrap_or_default().chars().take(200).collect();
    Error::Refused { program: NGINX, command, answer }
}

/// The whole answer, and its body.
fn ask(address: SocketAddr, target: &str) -> Result<(String, String)> {
    let failed = |source| Error::Unreachable { program: NGINX, address, source };
    let answer = exchange(address, target).map_err(failed)?;
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    Ok((answer, body))
}

/// Uses HTTP/1.0, so that nginx closes the connection after its answer.
fn exchange(address: SocketAddr, target: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("GET {target} HTTP/1.0\r\n\r\n").as_bytes())?;
    let mut answer = Vec::new();
    stream.take(MOST).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
