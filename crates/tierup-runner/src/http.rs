//! Checks whether a server answers, with the minimum of HTTP.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    time::Duration,
};

const TIME: Duration = Duration::from_secs(2);

/// The address of this machine at which a server accepts connections on `port`.
pub(crate) fn accepts(port: u16) -> Option<SocketAddr> {
    connect(port).map(|(_, address)| address)
}

/// The address at which a server answers a GET request for `path`, with any status.
pub(crate) fn answers(port: u16, path: &str) -> Option<SocketAddr> {
    let (mut stream, address) = connect(port)?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    let mut start = [0; 7];
    stream.set_read_timeout(Some(TIME)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    stream.read_exact(&mut start).ok()?;
    (start == *b"HTTP/1.").then_some(address)
}

fn connect(port: u16) -> Option<(TcpStream, SocketAddr)> {
    let addresses = [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
    addresses.into_iter().find_map(|address| TcpStream::connect_timeout(&address, TIME).ok().zip(Some(address)))
}
