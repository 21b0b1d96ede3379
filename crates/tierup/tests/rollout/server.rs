//! A server that sends its name, and can be made bad while it runs.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mood {
    Good,
    /// Every second answer has the status 500.
    Failing,
    /// Answers have another body.
    Wrong,
    /// Answers come 20 ms later.
    Slow,
    /// The server does not listen, as after a crash.
    Gone,
}

/// A server that runs until the test ends.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    mood: Arc<AtomicU8>,
}

impl Server {
    /// All sides give the same body; `X-Side` names the server.
    pub(crate) fn start(name: &'static str) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mood = Arc::new(AtomicU8::new(Mood::Good as u8));
        let shared = Arc::clone(&mood);
        thread::spawn(move || {
            let mut listener = Some(listener);
            loop {
                let is_gone = shared.load(SeqCst) == Mood::Gone as u8;
                match &listener {
                    Some(_) if is_gone => listener = None,
                    // Nobody else should have taken the port in the meantime, or the test fails.
                    None if !is_gone => listener = Some(TcpListener::bind(address).unwrap()),
                    _ => {}
                }
                if let Some(listener) = &listener {
                    listener.set_nonblocking(true).unwrap();
                    while let Ok((stream, _)) = listener.accept() {
                        stream.set_nonblocking(false).unwrap();
                        let mood = Arc::clone(&shared);
                        thread::spawn(move || drop(serve(stream, name, &mood)));
                    }
                }
                thread::sleep(Duration::from_millis(2));
            }
        });
        Server { address, mood }
    }

    pub(crate) fn be(&self, mood: Mood) {
        self.mood.store(mood as u8, SeqCst);
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn serve(mut stream: TcpStream, name: &str, mood: &AtomicU8) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    for number in 0_u64.. {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head)? == 0 {
                return Ok(());
            }
        }
        let is = |wanted: Mood| mood.load(SeqCst) == wanted as u8;
        if is(Mood::Gone) {
            return Ok(());
        }
        let (status, body) = match () {
            () if is(Mood::Failing) && number % 2 == 0 => ("500 Internal Server Error", "no"),
            () if is(Mood::Wrong) => ("200 OK", "{\"sum\":7}"),
            () => ("200 OK", "{\"sum\":42}"),
        };
        if is(Mood::Slow) {
            thread::sleep(Duration::from_millis(20));
        }
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nX-Side: {name}\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
    }
    Ok(())
}
