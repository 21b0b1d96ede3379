//! The thread that answers `GET /metrics`. In: a socket that listens, and what is known. Out: Prometheus' text.
//!
//! It serves one client after another, each for at most a few seconds, and shares nothing with the proxy's clients.

use std::{
    io::{self, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::{
    ledger::View,
    metrics::{MEDIA_TYPE, metrics},
};

/// What a client may take for its request, and for the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The largest request, in bytes.
const LARGEST: usize = 16 << 10;
/// Between two looks for a client.
const LOOK: Duration = Duration::from_millis(50);

/// The thread. Dropping it ends it.
#[derive(Debug)]
pub struct MetricsServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MetricsServer {
    /// # Errors
    /// The socket cannot be used, or the system has no threads left.
    pub fn start(listener: TcpListener, view: View) -> io::Result<MetricsServer> {
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let serve = move || {
            while !stopped.load(Relaxed) {
                match listener.accept() {
                    // Whoever does not wait for the answer does not get it.
                    Ok((stream, _)) => drop(answer(stream, &view)),
                    Err(_) => thread::sleep(LOOK),
                }
            }
        };
        let thread = Some(thread::Builder::new().name("metrics".into()).spawn(serve)?);
        Ok(MetricsServer { address, stop, thread })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetricsServer {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing to say here.
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, view: &View) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    let head = head(&mut stream)?;
    let mut words = head.split(|byte| *byte == b' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split(|byte| *byte == b'?').next().unwrap_or_default();
    let (status, media_type, body) = match (method, path) {
        (b"GET" | b"HEAD", b"/metrics") => {
            ("200 OK", MEDIA_TYPE, metrics(&view.summary(), view.connections(), view.trouble().is_none()))
        }
        (b"GET" | b"HEAD", _) => ("404 Not Found", "text/plain", "metrics are at /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", "text/plain", "only GET is answered\n".to_owned()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(head.as_bytes())?;
    if method != b"HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    stream.shutdown(std::net::Shutdown::Write)
}

/// The request's head, which ends with an empty line.
fn head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let until = Instant::now() + PATIENCE;
    let (mut head, mut part) = (Vec::new(), [0; 1024]);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() > LARGEST {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            length => head.extend(&part[..length]),
        }
    }
    Ok(head)
}
