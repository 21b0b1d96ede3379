//! Clients that send requests without a pause, and record the lost ones.

use std::{
    collections::BTreeMap,
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use crate::server;

const CLIENTS: u64 = 8;
const USERS: u64 = 400;
/// How long a client waits for an answer: longer than any program is frozen.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two requests of a client.
const PAUSE: Duration = Duration::from_millis(2);

/// A request without the right answer.
#[derive(Debug, Clone)]
pub(crate) struct Lost {
    pub(crate) began: Instant,
    pub(crate) ended: Instant,
    pub(crate) why: String,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) answered: AtomicU64,
    pub(crate) lost: Mutex<Vec<Lost>>,
    /// For each server, the number of its answers, and the start of the last request.
    pub(crate) by: Mutex<BTreeMap<String, (u64, Instant)>>,
}

/// Clients that send requests until they are dropped.
pub(crate) struct Load {
    pub(crate) seen: Arc<Seen>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    pub(crate) fn start(proxy: SocketAddr) -> Load {
        let (seen, stop) = (Arc::<Seen>::default(), Arc::<AtomicBool>::default());
        let threads = (0..CLIENTS).map(|client| {
            let (seen, stop) = (Arc::clone(&seen), Arc::clone(&stop));
            thread::spawn(move || ask_on(proxy, client, &seen, &stop))
        });
        Load { threads: threads.collect(), seen, stop }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn ask_on(proxy: SocketAddr, client: u64, seen: &Seen, stop: &AtomicBool) {
    let mut connection = None;
    for number in (client..).step_by(CLIENTS as usize) {
        if stop.load(Relaxed) {
            return;
        }
        let began = Instant::now();
        match ask(&mut connection, proxy, number % USERS, number % 1000) {
            Ok(by) => {
                seen.answered.fetch_add(1, Relaxed);
                let mut all = seen.by.lock().expect("no client panics");
                let (count, last) = all.entry(by).or_insert((0, began));
                (*count, *last) = (*count + 1, began);
            }
            Err(why) => {
                connection = None;
                let lost = Lost { began, ended: Instant::now(), why: why.to_string() };
                seen.lost.lock().expect("no client panics").push(lost);
                // A stopped proxy refuses at once, so wait before the next attempt.
                thread::sleep(Duration::from_millis(20));
            }
        }
        thread::sleep(PAUSE);
    }
}

/// Requests an item, and returns the server's name.
fn ask(connection: &mut Option<BufReader<TcpStream>>, proxy: SocketAddr, user: u64, item: u64) -> io::Result<String> {
    let stream = match connection {
        Some(stream) => stream,
        None => {
            let stream = TcpStream::connect_timeout(&proxy, PATIENCE)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_nodelay(true)?;
            connection.insert(BufReader::new(stream))
        }
    };
    let request = format!("GET /item/{item} HTTP/1.1\r\nHost: shop\r\nX-User: user-{user}\r\n\r\n");
    stream.get_mut().write_all(request.as_bytes())?;
    let (mut status, mut length, mut by, mut closes) = (String::new(), 0, String::new(), false);
    stream.read_line(&mut status)?;
    if status.is_empty() {
        return Err(io::Error::other("the connection ended before an answer"));
    }
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "x-served-by" => by = value.to_owned(),
            "connection" => closes = value == "close",
            _ => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    if closes {
        *connection = None;
    }
    let (status, body) = (status.trim_end(), String::from_utf8_lossy(&body));
    match status.starts_with("HTTP/1.1 200") && body == server::answer(item) {
        true => Ok(by),
        false => Err(io::Error::other(format!("{status}: {body}"))),
    }
}
