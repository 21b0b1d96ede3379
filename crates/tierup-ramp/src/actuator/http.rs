//! Asks a load balancer at its loopback address.

use std::{
    io::{
        self,
        ErrorKind::{TimedOut, WouldBlock},
        Read as _, Write as _,
    },
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use super::refused;
use crate::{Error, Result};

/// For the whole answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// The longest answers list an Envoy's runtime keys.
const MOST: usize = 4 << 20;

/// A whole answer, and its body.
#[derive(Debug)]
pub(crate) struct Asked {
    answer: String,
    pub(crate) body: String,
}

impl Asked {
    /// The answer was not as expected.
    pub(crate) fn refused(&self, program: &'static str, command: &'static str) -> Error {
        refused(program, command, &self.answer)
    }
}

pub(crate) fn ask(program: &'static str, address: SocketAddr, target: &str) -> Result<Asked> {
    let failed = |source| Error::Unreachable { program, address, source };
    let answer = exchange(address, target).map_err(failed)?;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let is_chunked = head.to_ascii_lowercase().contains("\r\ntransfer-encoding: chunked");
    let body = if is_chunked { joined(body) } else { body.to_owned() };
    Ok(Asked { answer, body })
}

/// The connection ends with the answer. Envoy refuses HTTP/1.0, in which it always would.
fn exchange(address: SocketAddr, target: &str) -> io::Result<String> {
    let began = Instant::now();
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(format!("GET {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").as_bytes())?;
    let (mut answer, mut piece) = (Vec::new(), [0; 16 << 10]);
    while answer.len() < MOST {
        let left = PATIENCE.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Err(TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let read = stream.read(&mut piece);
        // An answer that is late is none.
        match read.map_err(|error| if error.kind() == WouldBlock { TimedOut.into() } else { error })? {
            0 => break,
            length => answer.extend_from_slice(&piece[..length]),
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The body that came in chunks, up to the first one that is cut.
fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = chunks.split_once("\r\n")
        && let Ok(length @ 1..) = usize::from_str_radix(length.trim(), 16)
        && let Some((chunk, rest)) = rest.split_at_checked(length)
    {
        body += chunk;
        chunks = rest.strip_prefix("\r\n").unwrap_or_default();
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined() {
        assert_eq!(joined("4\r\na\r\nb\r\n2\r\ncd\r\n0\r\n\r\n"), "a\r\nbcd");
        assert_eq!(["", "x\r\na", "9\r\na", "0\r\n\r\n"].map(joined), [""; 4]);
    }
}
