//! TCP ports of this machine.

use std::{
    io,
    net::{Ipv4Addr, Ipv6Addr, TcpListener},
};

use crate::{Error, Result};

/// A port that nobody listens on at the moment.
///
/// # Errors
/// Where the system has none to give.
pub fn free() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// # Errors
/// [`Error::PortInUse`] where somebody listens on `port`, on whichever of this machine's addresses.
pub fn check_free(port: u16) -> Result<()> {
    let in_use = |bound: io::Result<TcpListener>| bound.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse);
    // One after the other: a socket for all IPv6 addresses takes the IPv4 ones too on most systems.
    let taken = in_use(TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)))
        || in_use(TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)))
        || in_use(TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
    if taken { Err(Error::PortInUse { port }) } else { Ok(()) }
}
