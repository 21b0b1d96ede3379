//! What tierup concludes if nginx's status answers and its log is late.

use std::{
    fs::OpenOptions,
    io::{Read as _, Write as _},
    net::TcpListener,
};

use tierup_rollout::Sticky;

use super::*;

/// How late the line of a request to the status is, as on a busy machine.
const LATE: Duration = Duration::from_millis(500);

#[test]
fn a_late_line_is_waited_for_unless_the_last_one_was_missing() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("tierup.log");
    fs::write(&path, "").expect("there is room");
    let status = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let settings = NginxSettings {
        split: folder.path().join("split.conf"),
        log: path.clone(),
        status: status.local_addr().expect("it has one"),
        sticky: Sticky::Cookie("session".into()),
        test: vec!["true".into()],
        reload: vec!["true".into()],
    };
    let answering = thread::spawn(move || {
        for stream in status.incoming().take(2) {
            let (mut stream, mut request) = (stream.expect("a connection"), [0; 1024]);
            let read = stream.read(&mut request).expect("a request");
            let request = String::from_utf8_lossy(&request[..read]).into_owned();
            let mark = request.split(['=', ' ']).nth(2).expect("a mark").to_owned();
            let body = "Active connections: 1\nserver accepts handled requests\n 100 100 100\n";
            stream.write_all(format!("HTTP/1.1 200 OK\r\n\r\n{body}").as_bytes()).expect("it reads");
            drop(stream);
            thread::sleep(LATE);
            let mut log = OpenOptions::new().append(true).open(&path).expect("it is there");
            log.write_all(format!("tierup-status={mark}\n").as_bytes()).expect("there is room");
        }
    });
    let mut nginx = Nginx::new(settings).expect("plain names");
    nginx.log.read(&mut nginx.slots).expect("it is there");
    nginx.compared = Some((1, nginx.log.seen()));
    nginx.unlogged = Some(Unlogged::Requests(UNLOGGED));
    assert_eq!(nginx.compare(Instant::now()).expect("it answers"), Some(Unlogged::Requests(98)));
    nginx.unlogged = Some(Unlogged::Status);
    assert_eq!(nginx.compare(Instant::now()).expect("it answers"), Some(Unlogged::Status));
    answering.join().expect("it answered");
}
