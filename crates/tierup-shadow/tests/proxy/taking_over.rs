//! A new proxy takes over the address of an old one under load. No client is refused, or loses an answer.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};

use tierup_shadow::{
    listening::{Port, bind},
    parts::{Collector, Proxy, Settings},
};

use crate::support::{Recorder, settings};

fn start(address: SocketAddr, control: SocketAddr) -> Proxy {
    let listener = bind(address, Port::Shared).expect("the port is shared");
    let settings = Settings { port: Port::Shared, threads: 2, ..settings(control) };
    Proxy::start(listener, &settings, None, &Collector::new(&[]).0).expect("the proxy starts")
}

/// Sends one request. Returns whether the connection goes on.
fn ask(stream: &mut BufReader<TcpStream>) -> io::Result<bool> {
    stream.get_mut().write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")?;
    let mut goes_on = true;
    let mut line = String::new();
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        goes_on &= !line.eq_ignore_ascii_case("connection: close\r\n");
        if line == "\r\n" {
            break;
        }
    }
    stream.read_exact(&mut [0; 2])?;
    Ok(goes_on)
}

/// Sends requests until it is stopped; on each connection as many as the proxy allows, up to `most`.
fn client(address: SocketAddr, most: usize, stop: &AtomicBool) -> io::Result<u64> {
    let mut answers = 0;
    while !stop.load(Relaxed) {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        for _ in 0..most {
            answers += 1;
            if !ask(&mut stream)? || stop.load(Relaxed) {
                break;
            }
        }
    }
    Ok(answers)
}

#[test]
fn no_client_notices_that_a_new_proxy_takes_over() {
    let control = Recorder::answering("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    let old = start(([127, 0, 0, 1], 0).into(), control.address);
    let address = old.address();
    let stop = Arc::<AtomicBool>::default();
    let clients: Vec<_> = [1, 1, 1, 1, 7, usize::MAX, usize::MAX, usize::MAX]
        .into_iter()
        .map(|most| {
            let stop = Arc::clone(&stop);
            thread::spawn(move || client(address, most, &stop))
        })
        .collect();
    let mut running = old;
    for _ in 0..3 {
        thread::sleep(Duration::from_millis(200));
        let new = start(address, control.address);
        thread::sleep(Duration::from_millis(100));
        running.stop(Duration::from_secs(60));
        running = new;
    }
    thread::sleep(Duration::from_millis(200));
    stop.store(true, Relaxed);
    let answers: io::Result<Vec<u64>> = clients.into_iter().map(|client| client.join().expect("no panic")).collect();
    let answers = answers.expect("each is answered");
    assert!(answers.iter().all(|count| *count > 0), "{answers:?}");
}
