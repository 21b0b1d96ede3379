//! The thread that answers `GET /metrics`, probes, and those who ask for advice. In: a listening socket, and the pages.
//! Out: answers.
//!
//! It serves a few clients at a time, each for a few seconds, so that a silent one does not block others. It shares
//! nothing with the proxy's clients. Orchestrators ask it whether the proxy lives, and may have clients.

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

use tierup_report::prometheus::MEDIA_TYPE;
use tokio::sync::watch;

use crate::{ledger::View, metrics::metrics, names::Addresses};

/// How long a client may take to send its request, and to read the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// The largest request, in bytes.
const LARGEST: usize = 16 << 10;
/// The most clients that are served at a time. Others wait for their turn.
const MOST: usize = 64;
/// How often the thread looks for a client.
const LOOK: Duration = Duration::from_millis(50);

/// The page at a path.
#[derive(Debug, Clone)]
pub struct Page {
    pub status: &'static str,
    pub media_type: &'static str,
    pub body: String,
}

impl Page {
    /// A page in Prometheus' text format.
    pub fn metrics(body: String) -> Page {
        Page { status: "200 OK", media_type: MEDIA_TYPE, body }
    }

    /// A health page. `Err` says why the answer is no.
    pub fn health(is: Result<(), &str>) -> Page {
        let (status, words) = is.map_or_else(|why| ("503 Service Unavailable", why), |()| ("200 OK", "ok"));
        Page::words(status, words)
    }

    pub fn json(body: String) -> Page {
        Page { status: "200 OK", media_type: "application/json", body }
    }

    /// A page for people, with a status such as `403 Forbidden`.
    pub fn words(status: &'static str, words: &str) -> Page {
        Page { status, media_type: "text/plain", body: format!("{words}\n") }
    }
}

/// A request, without its body.
#[derive(Debug)]
pub struct Asked<'a> {
    pub method: &'a str,
    pub path: &'a str,
    /// The value of `Authorization`.
    pub authorization: Option<&'a str>,
}

/// The thread. Dropping it ends it.
#[derive(Debug)]
pub struct PageServer {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl PageServer {
    /// Serves the pages; `page` gives the one at a path.
    ///
    /// # Errors
    /// If the socket cannot be used, or the system has no threads left.
    pub fn start(
        listener: TcpListener,
        page: impl Fn(&str) -> Option<Page> + Send + Sync + 'static,
    ) -> io::Result<PageServer> {
        let page = move |asked: &Asked<'_>| match asked.method {
            "GET" | "HEAD" => {
                page(asked.path).unwrap_or_else(|| Page::words("404 Not Found", "metrics are at /metrics"))
            }
            _ => Page::words("405 Method Not Allowed", "only GET is answered"),
        };
        PageServer::answering(listener, page, PATIENCE)
    }

    /// Answers every request by `page`, which each may take as long as it likes. A client may take `patience` to send its
    /// request, and to read the answer.
    ///
    /// # Errors
    /// If the socket cannot be used, or the system has no threads left.
    pub fn answering(
        listener: TcpListener,
        page: impl Fn(&Asked<'_>) -> Page + Send + Sync + 'static,
        patience: Duration,
    ) -> io::Result<PageServer> {
        let address = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let serve = move || {
            let (page, clients) = (&page, Arc::new(()));
            thread::scope(|scope| {
                while !stopped.load(Relaxed) {
                    // One reference is this thread's own.
                    let has_room = Arc::strong_count(&clients) <= MOST;
                    let Some((stream, _)) = has_room.then(|| listener.accept().ok()).flatten() else {
                        thread::sleep(LOOK);
                        continue;
                    };
                    let client = Arc::clone(&clients);
                    let answer = move || {
                        // An error here means that the client left.
                        let _ = answer(stream, page, patience);
                        drop(client);
                    };
                    // Without a thread, the client gets no answer either.
                    let _ = thread::Builder::new().name("pages".into()).spawn_scoped(scope, answer);
                }
            });
        };
        let thread = Some(thread::Builder::new().name("pages".into()).spawn(serve)?);
        Ok(PageServer { address, stop, thread })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            // If the thread panicked, there is nothing to add.
            let _ = thread.join();
        }
    }
}

fn answer(mut stream: TcpStream, page: &impl Fn(&Asked<'_>) -> Page, patience: Duration) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    let is_whole = |read: &[u8]| read.windows(4).any(|end| end == b"\r\n\r\n");
    let head = read_until(&mut stream, patience, is_whole)?;
    if !is_whole(&head) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let head = String::from_utf8_lossy(&head);
    // A part of the body may have come with it.
    let head = head.split("\r\n\r\n").next().unwrap_or_default();
    let mut words = head.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split('?').next().unwrap_or_default();
    let mut headers = head.lines().filter_map(|line| line.split_once(':'));
    let authorization = headers.find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    let authorization = authorization.map(|(_, value)| value.trim());
    let Page { status, media_type, body } = page(&Asked { method, path, authorization });
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.set_write_timeout(Some(patience))?;
    stream.write_all(head.as_bytes())?;
    if method != "HEAD" {
        stream.write_all(body.as_bytes())?;
    }
    stream.shutdown(std::net::Shutdown::Write)?;
    if !["GET", "HEAD"].contains(&method) {
        // A connection that is closed with an unread body is reset, and the client may lose the answer.
        read_until(&mut stream, patience, |_| false)?;
    }
    Ok(())
}

/// Reads until `is_enough`, the client's end, the time's, or the largest request.
fn read_until(stream: &mut TcpStream, patience: Duration, is_enough: impl Fn(&[u8]) -> bool) -> io::Result<Vec<u8>> {
    let until = Instant::now() + patience;
    let (mut read, mut part) = (Vec::new(), [0; 1024]);
    while !is_enough(&read) && read.len() <= LARGEST {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => break,
            length => read.extend(&part[..length]),
        }
    }
    Ok(read)
}

/// How long all of control's addresses together may take to accept a connection: probes usually wait for a second.
const CONNECT: Duration = Duration::from_millis(400);

/// Whether a proxy may have clients, for another thread.
#[derive(Debug, Clone)]
pub struct Health {
    pub(crate) control: Addresses,
    /// Whether the proxy accepts no more clients.
    pub(crate) stopped: watch::Receiver<bool>,
}

impl Health {
    /// Makes a connection to control, to check that clients can come.
    ///
    /// # Errors
    /// The reason why no client should come now.
    pub fn ready(&self) -> Result<(), &'static str> {
        if *self.stopped.borrow() {
            return Err("draining");
        }
        let (addresses, until) = (self.control.get(), Instant::now() + CONNECT);
        let accepts = |(tried, address): (usize, &SocketAddr)| {
            // Each address gets an equal part of the remaining time, so that a silent one does not hide another.
            let share = until.saturating_duration_since(Instant::now()) / (addresses.len() - tried) as u32;
            !share.is_zero() && TcpStream::connect_timeout(address, share).is_ok()
        };
        let is_reached = addresses.iter().enumerate().any(accepts);
        if is_reached { Ok(()) } else { Err("the control cannot be reached") }
    }
}

/// The pages beside the proxy.
pub fn pages(view: View, health: Health) -> impl Fn(&str) -> Option<Page> + Send + Sync {
    move |path| match path {
        "/metrics" => Some(Page::metrics(metrics(&view.summary(), view.connections(), view.trouble().is_none()))),
        "/livez" => Some(Page::health(Ok(()))),
        "/readyz" => Some(Page::health(health.ready())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_client_does_not_block_others() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let page = |_: &Asked<'_>| Page::health(Ok(()));
        let server = PageServer::answering(listener, page, Duration::from_secs(3600)).expect("a thread");
        let silent = TcpStream::connect(server.address()).expect("it listens");
        for _ in 0..2 * MOST {
            let mut stream = TcpStream::connect(server.address()).expect("it listens");
            stream.write_all(b"GET /livez HTTP/1.1\r\n\r\n").expect("it reads");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("it answers");
            assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        }
        // The server waits for its clients.
        drop(silent);
    }
}
