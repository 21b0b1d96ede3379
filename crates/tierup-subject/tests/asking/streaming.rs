//! An answer is read frame by frame while it arrives, or whole with a limit.

use std::{
    cell::RefCell,
    io::Write as _,
    net::SocketAddr,
    rc::Rc,
    sync::{Mutex, mpsc},
    time::Duration,
};

use tierup_subject::{Arriving, Connection, Keeping, Prepared, Silence};

use crate::server::{answering, head, server};

/// The result of `read` for the server's answer.
fn asked<T>(address: SocketAddr, read: impl AsyncFn(Arriving) -> Result<T, Silence>) -> Result<T, Silence> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = Connection::new(address, None, Rc::new(Keeping::default()));
        let request = Prepared::new("GET", "/", &[], b"", "localhost").unwrap();
        let asked = connection.ask(&request, read);
        tokio::time::timeout(Duration::from_secs(20), asked).await.expect("it answers in time")
    })
}

#[test]
fn frames_arrive_before_the_answer_is_whole() {
    let (go_on, may_go_on) = mpsc::channel();
    let may_go_on = Mutex::new(may_go_on);
    let address = server(move |stream| {
        head(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: b\r\n\r\n3\r\nhel\r\n").unwrap();
        may_go_on.lock().unwrap().recv().unwrap();
        stream.write_all(b"2\r\nlo\r\n0\r\nX-Trailer: c\r\n\r\n").unwrap();
    });
    let frames = RefCell::new(Vec::new());
    asked(address, async |mut arriving: Arriving| {
        assert_eq!((arriving.status(), arriving.headers()["x-a"].as_bytes()), (200, &b"b"[..]));
        while let Some(frame) = arriving.frame().await {
            frames.borrow_mut().push(frame?);
            // The server sends the rest only after the first frame is here.
            let _ = go_on.send(());
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(frames.take().concat(), b"hello");
}

#[test]
fn a_body_beyond_the_limit_is_not_read() {
    let address = answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    let read = |limit| asked(address, async move |arriving: Arriving| arriving.whole(limit).await);
    assert_eq!(read(5).map(|answer| answer.body.to_vec()), Ok(b"hello".to_vec()));
    assert_eq!(read(4).map(|answer| answer.body), Err(Silence::TooLarge));
}
