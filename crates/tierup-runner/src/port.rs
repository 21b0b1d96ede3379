//! TCP ports of this machine: finds a free one, and checks whether one is free.

mod range;

use std::{
    collections::{BTreeSet, VecDeque},
    hash::{BuildHasher as _, RandomState},
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    ops::RangeInclusive,
    sync::{Mutex, PoisonError},
};

use crate::{Error, Result};

static GIVEN: Mutex<Given> = Mutex::new(Given { ports: BTreeSet::new(), claims: VecDeque::new() });
/// Claims are kept for this many of the last ports. Each claim is an open file, and a listening server needs none.
const CLAIMS: usize = 64;
/// The most ports to try. Most are free.
const ATTEMPTS: usize = 1_000;

/// Finds a port without a listener, for a server that is about to start.
///
/// Each call returns another port, even in processes that call this at the same time: two servers that share their port
/// (`SO_REUSEPORT`) would not notice, and each would get a part of the other's requests. The system does not use the
/// port as the source of a connection, unless its clients may use all ports (see [`range`]).
///
/// # Errors
/// All ports that were tried are taken.
pub fn free() -> io::Result<u16> {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).next(&range::of_servers())
}

/// The ports that this process has given away.
struct Given {
    ports: BTreeSet<u16>,
    claims: VecDeque<Claim>,
}

impl Given {
    fn next(&mut self, range: &RangeInclusive<u16>) -> io::Result<u16> {
        // When half of the ports have been given away, most of them are free again.
        if self.ports.len() * 2 > range.len() {
            self.ports.clear();
        }
        for _ in 0..ATTEMPTS {
            let port = any_of(range);
            if self.ports.contains(&port) {
                continue;
            }
            // The claim comes first, because the check for a listener takes the port for a moment.
            let Some(claim) = Claim::take(port)? else { continue };
            if check_free(port).is_err() {
                continue;
            }
            self.ports.insert(port);
            self.claims.truncate(CLAIMS - 1);
            self.claims.push_front(claim);
            return Ok(port);
        }
        let tried =
            format!("{ATTEMPTS} ports between {} and {} were tried, and all are taken", range.start(), range.end());
        Err(io::Error::new(io::ErrorKind::AddrInUse, tried))
    }
}

/// A random port, so that processes that search at the same time seldom meet.
fn any_of(range: &RangeInclusive<u16>) -> u16 {
    let chance = RandomState::new().hash_one(()) % range.len() as u64;
    range.start() + chance as u16
}

/// # Errors
/// [`Error::PortInUse`] if a server listens on `port` at any of this machine's addresses.
pub fn check_free(port: u16) -> Result<()> {
    // The sockets are bound one after another: on most systems, one for all IPv6 addresses takes the IPv4 ones too.
    let taken = is_taken(Ipv4Addr::UNSPECIFIED, port)
        || is_taken(Ipv6Addr::UNSPECIFIED, port)
        || is_taken(Ipv4Addr::LOCALHOST, port);
    if taken { Err(Error::PortInUse { port }) } else { Ok(()) }
}

/// Whether there is a listener: binding a socket to the port fails in this case.
fn is_taken(address: impl Into<IpAddr>, port: u16) -> bool {
    bind(SocketAddr::new(address.into(), port)).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// Binds a socket that does not listen and lets others bind (`SO_REUSEADDR`), as servers do. Another thread's `fork`
/// can inherit it until `exec`, and a listening socket would block the port for a server that long.
#[cfg(unix)]
fn bind(address: SocketAddr) -> io::Result<()> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt::set_socket_reuseaddr};

    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    // Started programs do not inherit the socket. Apple's systems can only set this after opening it.
    #[cfg(not(target_vendor = "apple"))]
    let socket = rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
    #[cfg(target_vendor = "apple")]
    let socket = {
        let socket = rustix::net::socket_with(family, SocketType::STREAM, SocketFlags::empty(), None)?;
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
        socket
    };
    set_socket_reuseaddr(&socket, true)?;
    rustix::net::bind(&socket, &address)?;
    Ok(())
}

#[cfg(not(unix))]
fn bind(address: SocketAddr) -> io::Result<()> {
    std::net::TcpListener::bind(address).map(drop)
}

/// Tells other processes, until it is dropped, that a port was given to a server that does not listen yet. The claim is
/// an abstract Unix socket of Linux, which is no file. Each network namespace has its own, as it has its own ports.
/// Claims end with the process.
struct Claim {
    #[cfg(target_os = "linux")]
    _socket: Option<std::os::unix::net::UnixDatagram>,
}

impl Claim {
    /// `None` if the port is claimed. If the process may not use Unix sockets, it gets no claim, but the port.
    #[cfg(target_os = "linux")]
    fn take(port: u16) -> io::Result<Option<Claim>> {
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

    /// Other systems have no abstract sockets, so only chance keeps processes apart.
    #[cfg(not(target_os = "linux"))]
    fn take(_port: u16) -> io::Result<Option<Claim>> {
        Ok(Some(Claim {}))
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, TcpListener};

    use super::*;

    fn none() -> Given {
        Given { ports: BTreeSet::new(), claims: VecDeque::new() }
    }

    /// The range has three ports, and two have listeners.
    #[test]
    fn a_port_with_a_listener_or_given_before_is_not_given() {
        let first = none().next(&range::of_servers()).unwrap();
        let range = first..=first.saturating_add(2);
        let _listeners: Vec<_> =
            range.clone().skip(1).map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port))).collect();
        let mut given = none();
        assert_eq!(given.next(&range).unwrap(), first);
        let error = given.next(&range).unwrap_err().to_string();
        let all = format!("ports between {first} and {} were tried, and all are taken", range.end());
        assert!(error.contains(&all), "{error}");
    }

    /// A server may listen at any address of this machine.
    #[test]
    fn a_listener_at_any_address_takes_the_port() {
        let everywhere = [IpAddr::from(Ipv4Addr::UNSPECIFIED), Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        for address in everywhere {
            let port = free().unwrap();
            check_free(port).unwrap();
            // Not every machine has IPv6.
            if let Ok(listener) = TcpListener::bind((address, port)) {
                assert!(check_free(port).is_err(), "{address}");
                drop(listener);
            }
        }
    }

    /// A new `Given` behaves like another process.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_port_given_by_another_process_is_not_given_before_its_server_listens() {
        let first = free().unwrap();
        assert!(none().next(&(first..=first)).is_err());
    }

    #[test]
    fn ports_are_given_again_after_half_of_them() {
        let first = free().unwrap();
        let range = first..=first.saturating_add(9);
        let mut given = Given { ports: range.clone().collect(), claims: VecDeque::new() };
        assert!(range.contains(&given.next(&range).unwrap()));
    }

    #[test]
    fn the_number_of_claims_is_limited() {
        let mut given = none();
        let range = range::of_servers();
        let ports: BTreeSet<u16> = (0..CLAIMS + 10).map(|_| given.next(&range).unwrap()).collect();
        assert_eq!((ports.len(), given.claims.len()), (CLAIMS + 10, CLAIMS));
    }
}
