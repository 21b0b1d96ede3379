//! TCP ports of this machine: one that is free, and whether one is.

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
/// Of the ports that were given last, as each claim is an open file. A server needs no claim once it listens.
const CLAIMS: usize = 64;
/// How many ports are tried. Most are free.
const ATTEMPTS: usize = 1_000;

/// A port for a server that is about to start, at which nobody listens.
///
/// It is another one at each call, even for processes that call this at the same time: two servers that share their port
/// (`SO_REUSEPORT`) would not notice, and each would get a part of the other's requests. The system does not take it as
/// the source of a connection, unless its clients may have all ports (see [`range`]).
///
/// # Errors
/// Where all ports that were tried are taken.
pub fn free() -> io::Result<u16> {
    GIVEN.lock().unwrap_or_else(PoisonError::into_inner).next(&range::of_servers())
}

/// The ports that this process was given.
struct Given {
    ports: BTreeSet<u16>,
    claims: VecDeque<Claim>,
}

impl Given {
    fn next(&mut self, range: &RangeInclusive<u16>) -> io::Result<u16> {
        // When half have been given away, most of them are free again.
        if self.ports.len() * 2 > range.len() {
            self.ports.clear();
        }
        for _ in 0..ATTEMPTS {
            let port = any_of(range);
            if self.ports.contains(&port) {
                continue;
            }
            // The claim comes first: to look for a listener takes the port for a moment.
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

/// By chance, so that processes which look at the same time seldom meet.
fn any_of(range: &RangeInclusive<u16>) -> u16 {
    let chance = RandomState::new().hash_one(()) % range.len() as u64;
    range.start() + chance as u16
}

/// # Errors
/// [`Error::PortInUse`] where somebody listens on `port`, on whichever of this machine's addresses.
pub fn check_free(port: u16) -> Result<()> {
    // Ports are bound one after the other: on most systems, a socket for all IPv6 addresses takes the IPv4 ones too.
    let taken = is_taken(Ipv4Addr::UNSPECIFIED, port)
        || is_taken(Ipv6Addr::UNSPECIFIED, port)
        || is_taken(Ipv4Addr::LOCALHOST, port);
    if taken { Err(Error::PortInUse { port }) } else { Ok(()) }
}

/// Whether somebody listens: a socket is bound to the port, which fails then.
fn is_taken(address: impl Into<IpAddr>, port: u16) -> bool {
    bind(SocketAddr::new(address.into(), port)).is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

/// The socket does not listen, and lets others bind (`SO_REUSEADDR`), as servers do. Another thread's `fork` can inherit it until
/// `exec`: a listening socket would keep the port busy that long, and the server could not listen whose port was found to be free.
#[cfg(unix)]
fn bind(address: SocketAddr) -> io::Result<()> {
    use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt::set_socket_reuseaddr};

    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    // Programs that are started do not keep it. Apple's systems cannot open it so, and are told afterwards.
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

/// Tells other processes, until it is dropped, that a port is given to a server which does not listen yet: a Unix socket of
/// that name. Linux has names for them that are no files, of which each network namespace has its own, as it has of ports.
/// They end with the process.
struct Claim {
    #[cfg(target_os = "linux")]
    _socket: Option<std::os::unix::net::UnixDatagram>,
}

impl Claim {
    /// `None` where another claim of the port is held. Where a process may not have Unix sockets, it goes without.
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

    /// Other systems have no such names: there, chance alone keeps processes apart.
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

    /// A few ports of which all but one are taken.
    #[test]
    fn a_port_that_has_a_listener_or_was_given_is_not_given() {
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

    /// A server's own address may be any.
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

    /// Another process is as much a stranger as another `Given`.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_port_that_another_process_was_given_is_not_given_before_its_server_listens() {
        let first = free().unwrap();
        assert!(none().next(&(first..=first)).is_err());
    }

    #[test]
    fn ports_are_given_again_when_half_of_them_were_given() {
        let first = free().unwrap();
        let range = first..=first.saturating_add(9);
        let mut given = Given { ports: range.clone().collect(), claims: VecDeque::new() };
        assert!(range.contains(&given.next(&range).unwrap()));
    }

    #[test]
    fn claims_are_few() {
        let mut given = none();
        let range = range::of_servers();
        let ports: BTreeSet<u16> = (0..CLAIMS + 10).map(|_| given.next(&range).unwrap()).collect();
        assert_eq!((ports.len(), given.claims.len()), (CLAIMS + 10, CLAIMS));
    }
}
