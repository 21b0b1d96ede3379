//! Connections to a double are bounded.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use super::*;

const TIME_OUT: Duration = Duration::from_secs(60);

fn double(connections: usize, idle: Duration) -> Double {
    let service =
        Service { variable: "STORE".into(), status: 200, content_type: "text/plain".into(), body: "here".into() };
    Double::within(Bounds { connections, idle }, &service, Attribution::Lane, 100).expect("the double starts")
}

fn connect(double: &Double, wait: Duration) -> TcpStream {
    let stream = TcpStream::connect(double.environment().1.trim_start_matches("http://")).expect("it accepts");
    stream.set_read_timeout(Some(wait)).expect("a time-out");
    stream
}

/// Sends a request, and reads a part of the answer.
fn ask(stream: &mut TcpStream) -> io::Result<usize> {
    stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")?;
    stream.read(&mut [0; 8])
}

#[test]
fn connections_beyond_the_limit_wait_until_others_end() {
    let double = double(2, TIME_OUT);
    let mut served: Vec<_> = (0..2).map(|_| connect(&double, TIME_OUT)).collect();
    served.iter_mut().for_each(|stream| assert_eq!(ask(stream).expect("an answer"), 8));
    let mut waiting = connect(&double, Duration::from_millis(300));
    assert!(ask(&mut waiting).is_err(), "it is not served");
    drop(served);
    waiting.set_read_timeout(Some(TIME_OUT)).expect("a time-out");
    assert_eq!(waiting.read(&mut [0; 8]).expect("an answer"), 8);
}

#[test]
fn a_connection_that_is_silent_is_closed() {
    let double = double(2, Duration::from_millis(100));
    let (mut rested, mut stalled) = (connect(&double, TIME_OUT), connect(&double, TIME_OUT));
    assert_eq!(ask(&mut rested).expect("an answer"), 8);
    stalled.write_all(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n1").expect("it is sent");
    for stream in [&mut rested, &mut stalled] {
        stream.read_to_end(&mut Vec::new()).expect("the connection ends");
    }
}
