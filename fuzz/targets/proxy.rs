//! The proxy on its sockets: what control receives is one request with one reading for each answer, whatever a client sends.

#![no_main]

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::{
        LazyLock, Mutex,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use libfuzzer_sys::fuzz_target;
use socket2::{Domain, Socket, Type};
use tierup_shadow::{
    Address, Limits,
    listening::Port,
    parts::{Collector, Proxy, Settings},
};

/// How long a client may stand still: most inputs end earlier, by an answer that closes the connection.
const PATIENCE: Duration = Duration::from_millis(50);
const LAST: &[u8] = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
/// How many requests of each client control has received: one that was broken off may arrive late.
static RECEIVED: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);
/// The addresses of 127.0.0.0/8: a late request of an earlier client with the same address would count twice.
const MOST: u32 = (1 << 24) - 4;
/// Each input is another client's.
static CLIENTS: AtomicU32 = AtomicU32::new(0);
static PROXY: LazyLock<Proxy> = LazyLock::new(start);

fuzz_target!(|bytes: &[u8]| {
    let address = Ipv4Addr::from_bits(Ipv4Addr::LOCALHOST.to_bits() + 1 + CLIENTS.fetch_add(1, Relaxed) % MOST);
    let mut client = match connect(address) {
        // libFuzzer's alarm.
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return,
        client => client.expect("the proxy accepts"),
    };
    let mut answer = Vec::new();
    // The proxy may close the connection at any byte.
    let _ = client.write_all(&[bytes, LAST].concat()).and_then(|()| client.read_to_end(&mut answer));
    let answered = String::from_utf8_lossy(&answer).matches("\r\nx-of: control\r\n").count();
    let received = RECEIVED.lock().expect("nobody panics with it").remove(&address.to_string()).unwrap_or_default();
    assert!(answered <= received, "{answered} answers to {received} requests");
    // One may have been broken off.
    assert!(received <= answered + 1, "{received} requests for {answered} answers");
});

fn connect(from: Ipv4Addr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
    socket.bind(&SocketAddr::from((from, 0)).into()).expect("an address of this machine");
    // Without it the ports of closed connections run out.
    socket.set_linger(Some(Duration::ZERO)).expect("no lingering");
    socket.set_read_timeout(Some(Duration::from_secs(10))).expect("a time-out");
    socket.connect(&PROXY.address().into())?;
    Ok(socket.into())
}

fn start() -> Proxy {
    let control = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = control.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in control.incoming().flatten() {
            thread::spawn(move || serve(&stream));
        }
    });
    let limits = Limits { head: PATIENCE, progress: PATIENCE, ..Limits::default() };
    let control = of(address);
    let settings = Settings {
        control,
        sharing: None,
        trusted_proxies: vec![],
        limits,
        mirrored: None,
        port: Port::Alone,
        threads: 1,
    };
    let (collector, notes) = Collector::new(&[]);
    // Nobody reads them, and the collector drops what does not fit.
    std::mem::forget(notes);
    Proxy::start(TcpListener::bind("127.0.0.1:0").expect("a free port"), &settings, None, &collector).expect("a proxy")
}

fn of(address: SocketAddr) -> Address {
    Address { host: address.ip().to_string(), port: address.port() }
}

fn serve(stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    while answer(&mut reader, stream).is_some() {}
}

/// Reads one request as strictly as RFC 9112 can be read, and answers it. `None` where the connection ended.
fn answer(reader: &mut impl BufRead, mut stream: &TcpStream) -> Option<()> {
    let start = line(reader)?;
    let words: Vec<&str> = start.split(' ').collect();
    assert!(words.len() == 3 && (words[1].starts_with('/') || words[1] == "*") && words[2] == "HTTP/1.1", "{start}");
    let mut headers = Vec::new();
    loop {
        let line = line(reader)?;
        let Some((name, value)) = line.split_once(": ").or_else(|| line.split_once(':')) else { break };
        headers.push((name.to_ascii_lowercase().replace('_', "-"), value.trim().to_owned()));
    }
    let all = |name: &str| headers.iter().filter(|(it, _)| it == name).map(|(_, value)| value.as_str()).collect();
    let [hosts, lengths, codings]: [Vec<&str>; 3] = ["host", "content-length", "transfer-encoding"].map(all);
    assert!(hosts.len() == 1 && lengths.len() + codings.len() <= 1, "{headers:?}");
    let client = headers.iter().find(|(name, _)| name == "x-real-ip").expect("the proxy names the client");
    *RECEIVED.lock().expect("nobody panics with it").entry(client.1.clone()).or_default() += 1;
    if let [length] = lengths[..] {
        let length = length.parse().expect("a length");
        reader.by_ref().take(length).read_to_end(&mut Vec::new()).ok().filter(|read| *read as u64 == length)?;
    } else if let [coding] = codings[..] {
        assert_eq!(coding, "chunked");
        chunks(reader)?;
    }
    stream.write_all(b"HTTP/1.1 200 OK\r\nx-of: control\r\ncontent-length: 2\r\n\r\nok").ok()
}

fn chunks(reader: &mut impl BufRead) -> Option<()> {
    loop {
        let length = line(reader)?;
        let length = u64::from_str_radix(&length, 16).expect("a length without an extension");
        if length == 0 {
            while !line(reader)?.is_empty() {}
            return Some(());
        }
        reader.by_ref().take(length).read_to_end(&mut Vec::new()).ok().filter(|read| *read as u64 == length)?;
        assert_eq!(line(reader)?, "", "a chunk ends where it says");
    }
}

/// A line without its end, which is CRLF. `None` where the connection ended before.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line).ok()?;
    let text = String::from_utf8_lossy(&line);
    let text = text.strip_suffix('\n')?;
    Some(text.strip_suffix('\r').expect("a line ends with CRLF").to_owned())
}
