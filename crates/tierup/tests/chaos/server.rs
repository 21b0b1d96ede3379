//! A server that can be killed: a process of its own, which answers `GET /item/N` with the square of N.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    thread,
};

/// Serves until it is killed.
pub(crate) fn run(address: SocketAddr, name: &'static str) -> ! {
    let listener = TcpListener::bind(address).expect("the port was free");
    for stream in listener.incoming().flatten() {
        thread::spawn(move || serve(stream, name));
    }
    unreachable!("a listener's connections do not end");
}

/// The right answer.
pub(crate) fn answer(item: u64) -> String {
    format!("item {item} squared is {}\n", item * item)
}

fn serve(stream: TcpStream, name: &str) {
    let _ = stream.set_nodelay(true);
    let Ok(mut writer) = stream.try_clone() else { return };
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while let Some(first) = lines.next() {
        while lines.next().is_some_and(|line| !line.is_empty()) {}
        let item = first.split(' ').nth(1).and_then(|target| target.strip_prefix("/item/")?.parse().ok());
        let (status, body) = match item {
            Some(item) => ("200 OK", answer(item)),
            None => ("404 Not Found", String::new()),
        };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nX-Served-By: {name}\r\n\r\n"
        );
        if writer.write_all((head + &body).as_bytes()).is_err() {
            return;
        }
    }
}
