//! A server that records its requests byte for byte, and a client that sends bytes.

use std::{
    io::{self, BufRead, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use tierup_shadow::{
    Address, Limits,
    listening::Port,
    parts::{Collector, Copies, Proxy, Settings},
};

/// A request as it arrived.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    /// Request line and headers, each with its line end.
    pub(crate) head: String,
    /// The body as it was framed.
    pub(crate) body: Vec<u8>,
    /// The number of the connection.
    pub(crate) connection: usize,
}

impl Asked {
    pub(crate) fn has(&self, line: &str) -> bool {
        self.head.lines().any(|it| it == line)
    }

    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1);
        lines
            .filter_map(|line| line.split_once(": "))
            .find(|(it, _)| it.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

/// An address at which no process listens, and no parallel test either.
pub(crate) fn nobody() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, tierup_runner::port::free().expect("a port")).into()
}

type Answer = dyn Fn(&Asked, &mut TcpStream) -> bool + Send + Sync;

/// A server with a thread for each connection.
pub(crate) struct Recorder {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    bytes: Arc<Mutex<Vec<Vec<u8>>>>,
}

/// A connection, and what was read from it.
pub(crate) struct Noting {
    stream: TcpStream,
    connection: usize,
    bytes: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl io::Read for Noting {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.stream.read(into)?;
        self.bytes.lock().expect("no test panics here")[self.connection].extend_from_slice(&into[..length]);
        Ok(length)
    }
}

impl Recorder {
    /// A server that answers each request by `answer`, which returns whether the connection goes on.
    pub(crate) fn start(answer: impl Fn(&Asked, &mut TcpStream) -> bool + Send + Sync + 'static) -> Recorder {
        Recorder::reading(read, answer)
    }

    /// A server that answers after the head of a request.
    pub(crate) fn start_early(answer: impl Fn(&Asked, &mut TcpStream) -> bool + Send + Sync + 'static) -> Recorder {
        Recorder::reading(read_head, answer)
    }

    fn reading(
        read: fn(&mut BufReader<Noting>, usize) -> Option<Asked>,
        answer: impl Fn(&Asked, &mut TcpStream) -> bool + Send + Sync + 'static,
    ) -> Recorder {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let bytes = Arc::<Mutex<Vec<Vec<u8>>>>::default();
        let noted = Arc::clone(&bytes);
        let (kept, answer) = (Arc::clone(&asked), Arc::<Answer>::from(Box::new(answer) as Box<Answer>));
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().flatten().enumerate() {
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                noted.lock().expect("no test panics here").push(Vec::new());
                let bytes = Arc::clone(&noted);
                thread::spawn(move || {
                    let mut writer = stream.try_clone().expect("a second handle");
                    let mut reader = BufReader::new(Noting { stream, connection, bytes });
                    while let Some(asked) = read(&mut reader, connection) {
                        kept.lock().expect("no test panics here").push(asked.clone());
                        if !answer(&asked, &mut writer) {
                            let _ = writer.shutdown(std::net::Shutdown::Both);
                            return;
                        }
                    }
                });
            }
        });
        Recorder { address, asked, bytes }
    }

    /// A server that gives every request the same answer.
    pub(crate) fn answering(answer: &'static str) -> Recorder {
        Recorder::start(move |_, stream| stream.write_all(answer.as_bytes()).is_ok())
    }

    /// All bytes that arrived, by connection.
    pub(crate) fn bytes(&self) -> Vec<String> {
        let bytes = self.bytes.lock().expect("no test panics here");
        bytes.iter().map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no test panics here").clone()
    }
}

/// A server whose answers have these bodies.
pub(crate) fn answering(body: impl Fn(&Asked) -> String + Send + Sync + 'static) -> Recorder {
    Recorder::start(move |asked, stream| {
        let body = body(asked);
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).is_ok()
    })
}

fn read_head(reader: &mut BufReader<Noting>, connection: usize) -> Option<Asked> {
    let mut asked = Asked { connection, ..Asked::default() };
    loop {
        let line = line(reader)?;
        if line == "\r\n" {
            return Some(asked);
        }
        asked.head += &line;
    }
}

/// Reads strictly, as far as these tests need it: every line must end with CRLF.
fn read(reader: &mut BufReader<Noting>, connection: usize) -> Option<Asked> {
    let mut asked = read_head(reader, connection)?;
    if let Some(length) = asked.value("content-length") {
        asked.body = vec![0; length.parse().ok()?];
        reader.read_exact(&mut asked.body).ok()?;
    } else if asked.value("transfer-encoding").is_some() {
        loop {
            let size = line(reader)?;
            asked.body.extend(size.as_bytes());
            let length = usize::from_str_radix(size.trim_end(), 16).ok()?;
            if length == 0 {
                break;
            }
            let mut part = vec![0; length + 2];
            reader.read_exact(&mut part).ok()?;
            asked.body.extend(part);
        }
        loop {
            let trailer = line(reader)?;
            asked.body.extend(trailer.as_bytes());
            if trailer == "\r\n" {
                break;
            }
        }
    }
    Some(asked)
}

fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line).ok().filter(|length| *length > 0)?;
    Some(String::from_utf8_lossy(&line).into_owned())
}

pub(crate) fn limits() -> Limits {
    Limits { head: Duration::from_secs(20), ..Limits::default() }
}

pub(crate) fn proxy(control: SocketAddr) -> Proxy {
    proxy_with(control, limits(), None)
}

pub(crate) fn proxy_with(control: SocketAddr, limits: Limits, copies: Option<Copies>) -> Proxy {
    let settings = Settings { limits, ..settings(control) };
    proxy_of(&settings, copies, &Collector::new(&[]).0)
}

pub(crate) fn settings(control: SocketAddr) -> Settings {
    Settings {
        control: address(control),
        sharing: None,
        trusted_proxies: Vec::new(),
        mirrored: None,
        limits: limits(),
        port: Port::Alone,
        threads: 1,
    }
}

pub(crate) fn address(of: SocketAddr) -> Address {
    Address { host: of.ip().to_string(), port: of.port() }
}

pub(crate) fn proxy_of(settings: &Settings, copies: Option<Copies>, collector: &Collector) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    Proxy::start(listener, settings, copies, collector).expect("the proxy starts")
}

/// A connection to a proxy.
pub(crate) struct Client(BufReader<TcpStream>);

impl Client {
    pub(crate) fn new(proxy: &Proxy) -> Client {
        let stream = TcpStream::connect(proxy.address()).expect("the proxy accepts");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time-out");
        Client(BufReader::new(stream))
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Client {
        // A proxy that refused the request may have closed the connection already.
        let _ = self.0.get_mut().write_all(bytes.as_ref());
        self
    }

    /// Whether the proxy has answered, or ended the connection.
    pub(crate) fn has_answer(&self) -> bool {
        let stream = self.0.get_ref();
        stream.set_nonblocking(true).expect("a mode");
        let is_there = stream.peek(&mut [0]).is_ok();
        stream.set_nonblocking(false).expect("a mode");
        is_there
    }

    /// The next lines up to an empty one.
    pub(crate) fn head(&mut self) -> String {
        let mut head = String::new();
        while let Some(line) = line(&mut self.0) {
            if line == "\r\n" {
                return head;
            }
            head += &line;
        }
        head
    }

    /// This many bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> String {
        let mut bytes = vec![0; count];
        self.0.read_exact(&mut bytes).expect("as many bytes");
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Everything up to the connection's end.
    pub(crate) fn rest(&mut self) -> String {
        let mut bytes = Vec::new();
        // The connection may be reset after the last byte.
        let _ = self.0.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The status of the first answer in a text.
pub(crate) fn status(answer: &str) -> Option<u16> {
    answer.split(' ').nth(1)?.parse().ok()
}
