//! Whether a server answers: as little of HTTP as tells that.

use std::{
    io::{Read, Write},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    time::Duration,
};

const TIME: Duration = Duration::from_secs(2);

/// Whether somebody accepts connections on this machine's `port`.
pub(crate) fn accepts(port: u16) -> bool {
    connect(port).is_some()
}

/// Whether a GET request for `path` is answered, with whatever status.
pub(crate) fn answers(port: u16, path: &str) -> bool {
    let Some(mut stream) = connect(port) else {
        return false;
    };
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    let mut start = [0; 7];
    stream.set_read_timeout(Some(TIME)).is_ok()
        && stream.write_all(request.as_bytes()).is_ok()
        && stream.read_exact(&mut start).is_ok()
        && start == *b"HTTP/1."
}

fn connect(port: u16) -> Option<TcpStream> {
    let addresses = [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
    addresses.iter().find_map(|address| TcpStream::connect_timeout(address, TIME).ok())
}
