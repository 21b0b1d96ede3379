//! Clients that count answers by server, and failures.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

/// The clients' results since the last call of `take`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Number of answers by side.
    pub(crate) by: BTreeMap<String, u64>,
    /// Number of failures by status or error.
    pub(crate) failed: BTreeMap<String, u64>,
}

impl Seen {
    pub(crate) fn answered(&self, side: &str) -> u64 {
        self.by.get(side).copied().unwrap_or_default()
    }
}

pub(crate) struct Clients {
    seen: Arc<Mutex<Seen>>,
    end: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Clients {
    /// Starts clients that keep their connections. Each request is another user's, so shares match the weights.
    pub(crate) fn start(address: SocketAddr) -> Clients {
        let (seen, end) = (Arc::new(Mutex::new(Seen::default())), Arc::new(AtomicBool::new(false)));
        let threads = (0..4).map(|number| {
            let (seen, end) = (Arc::clone(&seen), Arc::clone(&end));
            thread::spawn(move || {
                let mut connection = None;
                for user in 0_u64.. {
                    if end.load(SeqCst) {
                        return;
                    }
                    let answer = ask(&mut connection, address, &format!("{number}-{user}"));
                    let mut seen = seen.lock().unwrap();
                    match answer {
                        Ok(side) => *seen.by.entry(side).or_default() += 1,
                        Err(why) => {
                            connection = None;
                            *seen.failed.entry(why).or_default() += 1;
                        }
                    }
                    drop(seen);
                    thread::sleep(Duration::from_millis(8));
                }
            })
        });
        Clients { threads: threads.collect(), seen, end }
    }

    /// The results since the last call.
    pub(crate) fn take(&self) -> Seen {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }

    pub(crate) fn end(mut self) -> Seen {
        self.stop();
        self.take()
    }

    fn stop(&mut self) {
        self.end.store(true, SeqCst);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The side that answered.
fn ask(connection: &mut Option<BufReader<TcpStream>>, address: SocketAddr, user: &str) -> Result<String, String> {
    let words = |error: std::io::Error| error.kind().to_string();
    if connection.is_none() {
        let stream = TcpStream::connect(address).map_err(words)?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).map_err(words)?;
        stream.set_nodelay(true).map_err(words)?;
        *connection = Some(BufReader::new(stream));
    }
    let Some(reader) = connection else { return Err("no connection".to_owned()) };
    write!(reader.get_mut(), "GET /sum HTTP/1.1\r\nHost: shop\r\nX-User: {user}\r\n\r\n").map_err(words)?;
    let (mut status, mut side, mut length) = (String::new(), String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).map_err(words)? == 0 {
            return Err("the connection ended".to_owned());
        }
        let line = line.trim_end();
        match line.split_once(": ") {
            None if line.is_empty() => break,
            None => status = line.to_owned(),
            Some((name, value)) if name.eq_ignore_ascii_case("x-side") => side = value.to_owned(),
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => length = value.parse().unwrap(),
            Some(_) => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).map_err(words)?;
    match status.split(' ').nth(1) {
        Some("200") if body == b"{\"sum\":42}" => Ok(side),
        Some("200") => Err(format!("a wrong body from {side}")),
        _ => Err(format!("{status} from {side}")),
    }
}
