//! `--ready`: asks the server on this port for `/readyz`. An image may hold no other program that could.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(4);

/// Fails unless the answer is 200.
pub fn ask(host: &str, port: u16) -> io::Result<()> {
    let mut stream = TcpStream::connect((host, port))?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut status = [0; b"HTTP/1.1 200".len()];
    stream.read_exact(&mut status)?;
    let is_ready = status == *b"HTTP/1.1 200";
    is_ready.then_some(()).ok_or_else(|| io::Error::other(format!("/readyz: {}", String::from_utf8_lossy(&status))))
}
