//! Asks nginx which file its workers have, over a Unix socket: a reload that fails changes nothing and says so only in
//! nginx's error log.

use std::{
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use super::{NGINX, in_force::InForce};
use crate::{Error, Result};

const PATIENCE: Duration = Duration::from_secs(3);
/// An answer is below a hundred bytes, and its head a few hundred.
const MOST: u64 = 16 << 10;

pub(super) fn read(socket: &Path) -> Result<InForce> {
    let answer = ask(socket).map_err(Error::file("ask nginx for its status at", socket))?;
    let (_, body) = answer.split_once("\r\n\r\n").unwrap_or_default();
    InForce::parse(body).ok_or_else(|| Error::Refused {
        program: NGINX,
        command: "GET /",
        answer: answer.lines().next().unwrap_or_default().chars().take(200).collect(),
    })
}

/// HTTP/1.0, so that nginx ends the connection after its answer.
fn ask(socket: &Path) -> io::Result<String> {
    let mut stream = UnixStream::connect(socket)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET / HTTP/1.0\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MOST).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
