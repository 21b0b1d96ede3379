//! A server for tests: a thread for each connection, which sends the bytes that a test wants, right or wrong.

use std::{
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use tierup_requests::{Context, Moment, Request, Templates};
use tierup_runner::port;

/// Hands each connection to `converse`, and closes it when that returns. It listens until the test's process ends.
pub(crate) fn server(converse: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let converse = Arc::new(converse);
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let converse = Arc::clone(&converse);
            thread::spawn(move || converse(&mut stream));
        }
    });
    address
}

/// A server that answers everything with these bytes.
pub(crate) fn answering(bytes: &'static str) -> SocketAddr {
    server(move |stream| {
        head(stream);
        // The client may have seen enough.
        let _ = stream.write_all(bytes.as_bytes());
    })
}

/// An address without a listener.
pub(crate) fn nobody() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port::free().unwrap()).into()
}

/// A request's first line and headers, in lower case.
pub(crate) fn head(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|count| count > 0) {
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).unwrap().to_ascii_lowercase()
}

/// Requests as in a `.http` file.
pub(crate) fn requests(text: &str) -> Vec<Request> {
    let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
    Templates::parse("test.http", text).unwrap().expand(1, 1, &context).unwrap().requests
}
