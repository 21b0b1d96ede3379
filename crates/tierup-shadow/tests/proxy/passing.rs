//! What passes the proxy, in both directions.

use std::{
    io::{Read as _, Write as _},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
    thread,
    time::Duration,
};

use crate::support::{Client, Recorder, limits, nobody, proxy, proxy_with};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[test]
fn headers_keep_their_case_duplicates_and_order_within_a_name() {
    let control = Recorder::answering(
        "HTTP/1.1 200 All Right\r\nX-MiXed: a\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nDATE: today\r\nContent-Length: 2\r\n\r\nok",
    );
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET /a%20b?x=1&x=2 HTTP/1.1\r\nHOST: shop.example\r\nX-Two: 1\r\nx-tWO: 2\r\nX-Tierup-Shadow: 1\r\nForwarded: for=a\r\n\r\n");
    let head = client.head();
    assert_eq!(client.bytes(2), "ok");
    assert!(head.starts_with("HTTP/1.1 200 All Right\r\n"), "{head}");
    for line in ["X-MiXed: a", "set-cookie: a=1", "Set-Cookie: b=2", "DATE: today"] {
        assert!(head.lines().any(|it| it == line), "{head}");
    }
    let asked = &control.asked()[0];
    assert!(asked.head.starts_with("GET /a%20b?x=1&x=2 HTTP/1.1\r\n"), "{}", asked.head);
    for line in
        ["HOST: shop.example", "X-Two: 1", "x-tWO: 2", "x-forwarded-for: 127.0.0.1", "x-forwarded-host: shop.example"]
    {
        assert!(asked.has(line), "{line}\n{}", asked.head);
    }
    assert!(asked.value("x-tierup-shadow").is_none() && asked.value("forwarded").is_none());
    assert_eq!(asked.head.matches("ate:").count(), 0, "nothing is added that nobody sent");
}

#[test]
fn connections_are_kept_on_both_sides() {
    let control = Recorder::answering(OK);
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    for _ in 0..20 {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(client.head().starts_with("HTTP/1.1 200 OK\r\n"));
        client.bytes(2);
    }
    let asked = control.asked();
    assert_eq!(asked.len(), 20);
    assert!(asked.iter().all(|asked| asked.connection <= 1), "control's connections are used again");
}

#[test]
fn bodies_are_passed_on_while_they_arrive_with_their_trailers() {
    let control = Recorder::start(|_, stream| {
        let answer =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 9\r\n\r\n";
        stream.write_all(answer.as_bytes()).is_ok()
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    let head = "POST /in HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nTrailer: X-End\r\nTransfer-Encoding: chunked\r\n\r\n";
    client.send(head).send("5\r\nhello\r\n");
    thread::sleep(Duration::from_millis(100));
    client.send("6\r\n world\r\n0\r\nX-End: 1\r\n\r\n");
    let head = client.head();
    assert!(head.to_ascii_lowercase().contains("transfer-encoding: chunked\r\n"), "{head}");
    assert_eq!(client.head(), "3\r\nabc\r\n0\r\nX-Sum: 9\r\n".to_owned().replace("X-Sum", "x-sum"));
    let asked = &control.asked()[0];
    let body = String::from_utf8_lossy(&asked.body).into_owned();
    assert_eq!(asked.value("te"), Some("trailers"));
    assert_eq!(body, "5\r\nhello\r\n6\r\n world\r\n0\r\nx-end: 1\r\n\r\n");
}

#[test]
fn an_answer_to_head_keeps_its_length_and_has_no_body() {
    let control = Recorder::answering("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    for _ in 0..2 {
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
        let head = client.head();
        assert!(head.to_ascii_lowercase().contains("content-length: 1234\r\n"), "{head}");
    }
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it() {
    let control = Recorder::answering(OK);
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    assert_eq!(client.head(), "HTTP/1.1 100 Continue\r\n");
    client.send("body");
    assert!(client.head().starts_with("HTTP/1.1 200 OK\r\n"));
    assert_eq!(control.asked()[0].body, b"body");
}

#[test]
fn a_new_client_gets_a_new_answer_from_an_old_server() {
    let control = Recorder::start(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\nabc");
        false
    });
    let proxy = proxy(control.address);
    let answer = Client::new(&proxy).send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").rest();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.contains("3\r\nabc\r\n0\r\n\r\n"), "{answer}");
}

#[test]
fn an_old_client_gets_an_old_answer() {
    let control = Recorder::answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET / HTTP/1.0\r\n\r\n");
    let answer = client.rest();
    assert_eq!(control.asked()[0].value("host"), Some(control.address.to_string().as_str()), "HTTP/1.1 needs one");
    assert!(answer.starts_with("HTTP/1.0 200 OK\r\n") && answer.ends_with("\r\n\r\nabc"), "{answer}");
}

#[test]
fn another_protocol_is_passed_on_as_bytes() {
    let control = Recorder::start(|_, stream| {
        let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
        stream.write_all(answer.as_bytes()).expect("the proxy reads");
        let mut bytes = [0; 5];
        stream.read_exact(&mut bytes).expect("the client says hello");
        bytes.reverse();
        stream.write_all(&bytes).expect("the proxy reads");
        false
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
    let head = client.head();
    assert!(head.starts_with("HTTP/1.1 101 ") && head.to_ascii_lowercase().contains("upgrade: echo\r\n"), "{head}");
    assert_eq!(client.send("hello").rest(), "olleh");
    assert!(control.asked()[0].value("upgrade") == Some("echo"));
}

#[test]
fn events_arrive_one_by_one() {
    let control = Recorder::start(|_, stream| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes()).expect("the proxy reads");
        stream.write_all(b"9\r\ndata: 1\n\n\r\n").expect("the proxy reads");
        // The next event is sent once the first was read, so a proxy that waits for more hangs.
        thread::sleep(Duration::from_secs(120));
        false
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n");
    assert!(client.head().starts_with("HTTP/1.1 200 OK\r\n"));
    assert_eq!(client.bytes(14), "9\r\ndata: 1\n\n\r\n");
}

#[test]
fn a_get_with_a_body_keeps_it() {
    let control = Recorder::answering(OK);
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET /_search HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n").head();
    client.bytes(2);
    client.send("GET /_search HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}").head();
    client.bytes(2);
    let bodies: Vec<_> =
        control.asked().iter().map(|asked| String::from_utf8_lossy(&asked.body).into_owned()).collect();
    assert_eq!(bodies, ["2\r\n{}\r\n0\r\n\r\n", "{}"]);
}

#[test]
fn an_answer_before_the_end_of_a_large_body_arrives() {
    // The server reads on, as servers do that want their answer to arrive.
    let control = Recorder::start_early(|_, stream| {
        stream.write_all(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 3\r\n\r\nno!").is_ok()
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send(format!("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", 8 << 20));
    for _ in 0..128 {
        client.send(vec![b'x'; 64 << 10]);
    }
    let answer = client.rest();
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.ends_with("no!"), "{answer}");
}

#[test]
fn a_stopped_proxy_lets_another_protocol_finish() {
    let control = Recorder::start(|_, stream| {
        stream
            .write_all(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
            .expect("the proxy reads");
        thread::sleep(Duration::from_millis(500));
        let _ = stream.write_all(b"bye");
        false
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n").head();
    let stopping = thread::spawn(|| proxy.stop(Duration::from_secs(3600)));
    assert_eq!(client.rest(), "bye");
    drop(client);
    stopping.join().expect("it stops");
}

#[test]
fn a_silent_client_does_not_hold_up_a_stop() {
    let control = Recorder::answering(OK);
    let proxy = proxy(control.address);
    let mut silent = Client::new(&proxy);
    // The next client is accepted after it.
    Client::new(&proxy).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head();
    let (stopped, stops) = std::sync::mpsc::channel();
    thread::spawn(move || {
        proxy.stop(Duration::from_secs(3600));
        stopped.send(())
    });
    stops.recv_timeout(Duration::from_secs(60)).expect("it stops");
    assert_eq!(silent.rest(), "");
}

/// A server that silently closes its connection after each answer.
fn closing(times: &'static AtomicUsize) -> Recorder {
    Recorder::start(move |asked, stream| {
        // The second request on a connection finds it closed.
        if times.fetch_add(1, Relaxed) % 2 == 1 && asked.connection == 0 {
            return false;
        }
        stream.write_all(OK.as_bytes()).is_ok()
    })
}

#[test]
fn idempotent_requests_are_sent_again_if_a_kept_connection_ends() {
    static TIMES: AtomicUsize = AtomicUsize::new(0);
    let control = closing(&TIMES);
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    for _ in 0..2 {
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(client.head().starts_with("HTTP/1.1 200 OK\r\n"));
        client.bytes(2);
    }
    assert_eq!(control.asked().len(), 3);
}

#[test]
fn requests_that_are_not_idempotent_are_never_sent_twice() {
    static TIMES: AtomicUsize = AtomicUsize::new(0);
    let control = closing(&TIMES);
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").head();
    client.bytes(2);
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx");
    assert!(client.head().starts_with("HTTP/1.1 502 "));
    assert_eq!(control.asked().len(), 2);
}

#[test]
fn a_dead_server_is_a_502_and_one_that_breaks_off_gives_no_complete_answer() {
    let nobody = nobody();
    let down = proxy(nobody);
    let answer = Client::new(&down).send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").rest();
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");

    let control = Recorder::start(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc").expect("the proxy reads");
        false
    });
    let broken = proxy(control.address);
    let answer = Client::new(&broken).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").rest();
    assert!(answer.ends_with("\r\n\r\nabc"), "{answer}");
}

#[test]
fn a_stopped_proxy_finishes_requests_that_have_begun() {
    let control = Recorder::start(|_, stream| {
        thread::sleep(Duration::from_millis(500));
        stream.write_all(OK.as_bytes()).is_ok()
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    while control.asked().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    let address = proxy.address();
    proxy.stop(Duration::from_secs(60));
    assert!(client.rest().ends_with("ok"));
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn the_proxy_does_not_wait_for_a_client_that_stops_in_its_body() {
    let control = Recorder::answering(OK);
    let limits = tierup_shadow::Limits { progress: Duration::from_millis(200), ..limits() };
    let proxy = proxy_with(control.address, limits, None);
    let answer = Client::new(&proxy).send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc").rest();
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn the_proxy_does_not_wait_for_a_client_that_left_in_its_next_request() {
    let (left, leaves) = std::sync::mpsc::channel();
    let control = Recorder::start(move |_, stream| {
        // The server never answers, and waits for the proxy to give up.
        let _ = stream.read(&mut [0]);
        let _ = left.send(());
        false
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nG");
    while control.asked().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    drop(client);
    leaves.recv_timeout(Duration::from_secs(60)).expect("control learns that nobody waits");
}

#[test]
fn a_hurried_stop_does_not_wait() {
    let control = Recorder::start(|_, _| {
        thread::sleep(Duration::from_secs(600));
        false
    });
    let proxy = proxy(control.address);
    let mut client = Client::new(&proxy);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    while control.asked().is_empty() {
        thread::sleep(Duration::from_millis(5));
    }
    let began = std::time::Instant::now();
    proxy.stop_unless(Duration::from_secs(3600), || began.elapsed() > Duration::from_millis(100));
    assert_eq!(client.rest(), "");
}
