//! TCP ports of this machine.

use std::{
    collections::BTreeSet,
    io,
    net::{Ipv4Addr, Ipv6Addr, TcpListener},
    sync::{Mutex, PoisonError},
};

use crate::{Error, Result};

/// Ports that were given away; some have no listener yet.
static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
/// How many ports are tried. When all have been given away once, most of them are free again.
const ATTEMPTS: usize = 50;

/// A port that has no listener at the moment and that no other thread of this process was given for a server that is
/// about to start.
///
/// # Errors
/// Where the system has none to give.
pub fn free() -> io::Result<u16> {
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut attempts = 0;
    loop {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        if given.insert(port) {
            return Ok(port);
        }
        attempts += 1;
        if attempts == ATTEMPTS {
            given.clear();
        }
    }
}

/// # Errors
/// [`Error::PortInUse`] where somebody listens on `port`, on whichever of this machine's addresses.
pub fn check_free(port: u16) -> Result<()> {
    let in_use = |bound: io::Result<TcpListener>| bound.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse);
    // Ports are bound one after the other: on most systems, a socket for all IPv6 addresses takes the IPv4 ones too.
    let taken = in_use(TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)))
        || in_use(TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)))
        || in_use(TcpListener::bind((Ipv4Addr::LOCALHOST, port)));
    if taken { Err(Error::PortInUse { port }) } else { Ok(()) }
}
