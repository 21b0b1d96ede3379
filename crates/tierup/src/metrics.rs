//! `--metrics`: the socket at which Prometheus asks, and what the operator should know of it.

use std::net::{SocketAddr, TcpListener};

use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// The socket, where an address is given.
pub(crate) fn bind(address: Option<SocketAddr>) -> Result<Option<TcpListener>> {
    let bind = |address| {
        TcpListener::bind(address)
            .map_err(|error| Failure::because(format!("cannot serve metrics on {address}"), error))
    };
    address.map(bind).transpose()
}

/// Says where metrics are, and who can read what they `show`.
pub(crate) fn say_where(address: SocketAddr, show: &str, console: &Console) {
    console.note(&format!("metrics: http://{address}/metrics"));
    if !address.ip().is_loopback() {
        console.note(&format!("warning: everybody who can reach this address can read the metrics; they {show}"));
    }
}
