//! `--metrics`: the socket for Prometheus, and a note on who can read it.

use std::net::{SocketAddr, TcpListener};

use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// The socket, if an address is given.
pub(crate) fn bind(address: Option<SocketAddr>) -> Result<Option<TcpListener>> {
    let bind = |address| {
        TcpListener::bind(address)
            .map_err(|error| Failure::because(format!("cannot serve metrics on {address}"), error))
    };
    address.map(bind).transpose()
}

/// Prints the address, and who can read what the metrics `show`.
pub(crate) fn say_where(address: SocketAddr, show: &str, console: &Console) {
    console.note(&format!("metrics: http://{address}/metrics"));
    if !address.ip().is_loopback() {
        console.note(&format!("warning: everybody who can reach this address can read the metrics; they {show}"));
    }
}
