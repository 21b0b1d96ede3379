//! What tells other processes that a port is given to a server which does not listen yet: a Unix socket of that name.
//! Linux has names for them that are no files, of which each network namespace has its own, as it has of ports. They end
//! with the process.

use std::io;

/// Of a port, until it is dropped.
pub(super) struct Claim {
    #[cfg(target_os = "linux")]
    _socket: Option<std::os::unix::net::UnixDatagram>,
}

impl Claim {
    /// `None` where another claim of the port is held. Where a process may not have Unix sockets, it goes without.
    #[cfg(target_os = "linux")]
    pub(super) fn of(port: u16) -> io::Result<Option<Claim>> {
        use std::os::{
            linux::net::SocketAddrExt as _,
            unix::net::{SocketAddr, UnixDatagram},
        };

        let name = SocketAddr::from_abstract_name(format!("tierup-port-{port}"))?;
        match UnixDatagram::bind_addr(&name) {
            Ok(socket) => Ok(Some(Claim { _socket: Some(socket) })),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => Ok(None),
            Err(_) => Ok(Some(Claim { _socket: None })),
        }
    }

    /// Other systems have no such names: there, chance alone keeps processes apart.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(_port: u16) -> io::Result<Option<Claim>> {
        Ok(Some(Claim {}))
    }
}
