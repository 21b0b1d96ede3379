//! Test servers that answer as a test says.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

/// A test server: `answer` maps a request's head and body to a status with headers, and a body. At `None`, the
/// connection closes.
pub(crate) fn raw_server(
    answer: impl Fn(&[String], &[u8]) -> Option<(String, String)> + Send + Sync + Clone + 'static,
) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let answer = answer.clone();
            thread::spawn(move || serve(stream.unwrap(), &answer));
        }
    });
    address
}

fn serve(stream: TcpStream, answer: &impl Fn(&[String], &[u8]) -> Option<(String, String)>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let header = |name: &str| {
        let mut found = head.iter().filter_map(|line| line.split_once(": "));
        found.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let mut body = vec![0; header("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let (said, text) = answer(&head, &body)?;
    let content = if head[0].starts_with("HEAD") { "" } else { &text };
    let length = text.len();
    let stream = reader.get_mut();
    let answer = format!("HTTP/1.1 {said}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{content}");
    stream.write_all(answer.as_bytes()).ok()?;
    // Unread bytes from the client would make closing reset the connection before the answer arrives.
    stream.shutdown(std::net::Shutdown::Write).ok()?;
    std::io::copy(stream, &mut std::io::sink()).ok().map(drop)
}
