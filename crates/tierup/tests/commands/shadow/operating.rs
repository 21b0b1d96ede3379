//! Operating `tierup shadow`: metrics, probes, and the limit of clients.

use std::{
    io::{Read as _, Write as _},
    iter,
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{ask, ended, line_of, server, started};
use crate::{run, tierup};

/// The process, the address of its metrics, and the address at which it listens.
fn metered(control: SocketAddr, more: &[&str]) -> (Child, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("http://{control}");
    let words = ["shadow", "--control", &address, "--candidate", &address, "--listen", "127.0.0.1:0"];
    let mut command = tierup(folder.path(), &[&words[..], &["--metrics", "127.0.0.1:0"], more].concat());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut next = |before: &str| {
        let line = line_of(&mut child);
        let address = line.trim_end().strip_prefix(before).unwrap_or_else(|| panic!("{line}")).split(['/', ' ']).next();
        address.unwrap().trim_end_matches(':').to_owned()
    };
    let (metrics, proxy) = (next("metrics: http://"), next("listening on http://"));
    (child, metrics, proxy)
}

#[test]
fn metrics_are_served_beside_the_proxy() {
    let (child, metrics, proxy) = metered(server(|_| "same".to_owned()), &["--show", "items"]);
    for _ in 0..3 {
        assert_eq!(ask(&proxy, "/items/17"), "same");
    }
    let line = "tierup_requests_total{route=\"GET /items/*\",side=\"control\",outcome=\"answered\"} 3";
    let began = Instant::now();
    // A request is counted after its answer was sent.
    while !ask(&metrics, "/metrics").lines().any(|found| found == line) {
        assert!(began.elapsed() < Duration::from_secs(30), "{}", ask(&metrics, "/metrics"));
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(ask(&metrics, "/other"), "metrics are at /metrics\n");
    // A silent client must not block others.
    let _silent = TcpStream::connect(&metrics).unwrap();
    assert!(ask(&metrics, "/metrics").contains("tierup_control_file_stale 0"));
    ended(child);
}

#[test]
fn probes_tell_whether_the_proxy_is_ready() {
    // This server never answers. On an address of its own, nobody else takes its port while it is down.
    let own = if cfg!(target_os = "linux") { "127.77.0.1:0" } else { "127.0.0.1:0" };
    let control = TcpListener::bind(own).unwrap();
    let at = control.local_addr().unwrap();
    let (child, metrics, proxy) = metered(at, &["--drain", "3600"]);
    let probe = |path: &str| {
        let mut stream = TcpStream::connect(&metrics).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: probe\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        format!("{} {body}", head.split(' ').nth(1).unwrap())
    };
    assert_eq!((probe("/livez"), probe("/readyz")), ("200 ok\n".into(), "200 ok\n".into()));
    drop(control);
    assert_eq!((probe("/livez"), probe("/readyz")), ("200 ok\n".into(), "503 the control cannot be reached\n".into()));
    let control = TcpListener::bind(at).unwrap();
    assert_eq!(probe("/readyz"), "200 ok\n");
    let mut client = TcpStream::connect(&proxy).unwrap();
    client.write_all(b"GET / HTTP/1.1\r\nHost: shop\r\n\r\n").unwrap();
    // Probes also connect, but send nothing.
    let _asked = control.incoming().flatten().find_map(|mut stream| {
        let length = stream.read(&mut [0; 1]).unwrap_or_default();
        (length > 0).then_some(stream)
    });
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    while probe("/readyz") == "200 ok\n" {
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((probe("/livez"), probe("/readyz")), ("200 ok\n".into(), "503 draining\n".into()));
    ended(child);
}

#[test]
fn a_new_client_replaces_an_idle_one_and_the_operator_is_warned() {
    let control = server(|_| "same".to_owned());
    let (mut child, address) = started(control, control, &["--connections", "1"]);
    let mut resting = TcpStream::connect(&address).unwrap();
    // It has its place before the other client comes: with two threads, the order of connections says nothing.
    resting.write_all(b"GET /r HTTP/1.1\r\nHost: shop\r\n\r\n").unwrap();
    assert!(resting.read(&mut [0]).unwrap() == 1);
    assert_eq!(ask(&address, "/a"), "same");
    resting.read_to_end(&mut Vec::new()).unwrap();
    let is_it = |line: &String| line.contains("are taken") || line.is_empty();
    let line = iter::repeat_with(|| line_of(&mut child)).find(is_it).unwrap();
    assert!(
        line.starts_with("warning: all 1 places for clients are taken") && line.contains("--connections"),
        "{line}"
    );
    ended(child);
}

#[test]
fn more_connections_than_open_files_allow_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = "http://127.0.0.1:9";
    let words = ["shadow", "--control", at, "--candidate", at, "--listen", "127.0.0.1:0", "--threads", "1"];
    let program = tierup(folder.path(), &[&words[..], &["--connections", "900"]].concat());
    let mut command = Command::new("sh");
    command.current_dir(folder.path()).args(["-c", "ulimit -n 1024 && exec \"$0\" \"$@\""]);
    let output = command.arg(program.get_program()).args(program.get_args()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("error: 900 clients need ") && said.contains("may open only 1024"), "{said}");
    assert!(said.contains("hint: give at most --connections "), "{said}");
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(run(folder.path(), &[&words[..], &["--connections", "0"]].concat()).contains("--connections"));
}
