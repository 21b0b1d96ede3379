//! The servers of these tests: a thread for each connection, and any bytes that a test wants, right or wrong.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread::{self, JoinHandle},
};

/// The default body of a server's answers.
pub(crate) const BODY: &str = "hello";

/// A server on a port of its own, which ends when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    ended: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
    listener: Option<JoinHandle<()>>,
}

/// One connection, from the server's side.
pub(crate) struct Conversation {
    pub(crate) stream: TcpStream,
    /// How many requests the whole server has read.
    asked: Arc<AtomicUsize>,
    unread: Vec<u8>,
}

/// A request that a client sent.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    /// The first line and the headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    /// The request's number, from 0, in the order in which the server read requests on all connections.
    pub(crate) number: usize,
}

impl Server {
    /// Calls `converse` for each connection on its own thread, and closes the connection when that returns.
    pub(crate) fn start(converse: impl Fn(&mut Conversation) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let (ended, streams) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Vec::new())));
        let (asked, converse) = (Arc::new(AtomicUsize::new(0)), Arc::new(converse));
        let (told, kept) = (Arc::clone(&ended), Arc::clone(&streams));
        let accept = move || {
            let mut conversations = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                if told.load(SeqCst) {
                    break;
                }
                stream.set_nodelay(true).unwrap();
                kept.lock().unwrap().push(stream.try_clone().unwrap());
                let mut conversation = Conversation { stream, asked: Arc::clone(&asked), unread: Vec::new() };
                let (converse, kept) = (Arc::clone(&converse), Arc::clone(&kept));
                conversations.push(thread::spawn(move || {
                    converse(&mut conversation);
                    // The kept copy would keep the connection open.
                    let peer = conversation.stream.peer_addr().ok();
                    kept.lock().unwrap().retain(|stream| stream.peer_addr().ok() != peer);
                }));
            }
            // Accepts no new connections. Clients that still wait for bytes see the end of their connection.
            kept.lock().unwrap().iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
            conversations.into_iter().for_each(|conversation| conversation.join().unwrap());
        };
        Server { address, ended, streams, listener: Some(thread::spawn(accept)) }
    }

    /// Answers every request the same way.
    pub(crate) fn answering(answer: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Server {
        Server::start(move |conversation| {
            while let Some(asked) = conversation.next() {
                if conversation.send(&answer(&asked)).is_none() {
                    break;
                }
            }
        })
    }

    /// Answers [`BODY`] to everything.
    pub(crate) fn good() -> Server {
        Server::answering(|_| ok(BODY))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ended.store(true, SeqCst);
        let _ = TcpStream::connect(self.address);
        self.streams.lock().unwrap().iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
        if let Some(listener) = self.listener.take() {
            let ended = listener.join();
            assert!(ended.is_ok() || thread::panicking(), "a test's server panicked");
        }
    }
}

impl Conversation {
    /// The next request, read whole; `None` if the client has closed the connection.
    pub(crate) fn next(&mut self) -> Option<Asked> {
        let end = loop {
            if let Some(end) = self.unread.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
            self.read()?;
        };
        let head = String::from_utf8(self.unread.drain(..end).collect()).unwrap();
        let lower = head.to_ascii_lowercase();
        let length = lower.lines().find_map(|line| line.strip_prefix("content-length:"));
        let length: usize = length.map_or(0, |length| length.trim().parse().unwrap());
        while self.unread.len() < length {
            self.read()?;
        }
        let body = self.unread.drain(..length).collect();
        Some(Asked { head, body, number: self.asked.fetch_add(1, SeqCst) })
    }

    /// `None` if the client has closed the connection.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Option<()> {
        self.stream.write_all(bytes).ok()
    }

    fn read(&mut self) -> Option<()> {
        let mut bytes = [0; 4096];
        let count = self.stream.read(&mut bytes).ok().filter(|count| *count > 0)?;
        self.unread.extend_from_slice(&bytes[..count]);
        Some(())
    }
}

/// 200 with a text.
pub(crate) fn ok(body: &str) -> Vec<u8> {
    with("200 OK", &[], body)
}

/// An answer with the right length.
pub(crate) fn with(status: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\n{headers}\r\n{body}").into()
}
