//! Golden calls over HTTP, to servers whose answers are right, wrong, late or missing.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use tempfile::TempDir;

use super::*;

/// A server's reaction to a request.
#[derive(Debug, Clone, Copy)]
enum Does {
    Answer(&'static str),
    /// Answers with this status and no body.
    Status(&'static str),
    /// Closes the connection.
    Close,
    /// Sends nothing, and leaves the connection open.
    Hang,
}

const RIGHT: Does = Does::Answer("hello anna");

/// A server that takes these actions, one for each request. The last one repeats.
struct Server {
    address: String,
    asked: Arc<AtomicUsize>,
}

impl Server {
    fn start(does: &'static [Does]) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("its address"));
        let asked = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&asked);
        thread::spawn(move || {
            let mut open = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.expect("a client");
                match target(&stream) {
                    // A connection without a request only checked whether the server listens.
                    None => continue,
                    Some(target) => assert_eq!(target, "GET /hello?name=anna HTTP/1.1"),
                }
                let number = counted.fetch_add(1, Relaxed);
                let answer = |stream: &mut TcpStream, status: &str, body: &str| {
                    let head =
                        format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
                    stream.write_all(format!("{head}{body}").as_bytes()).expect("it is read");
                };
                match does[number.min(does.len() - 1)] {
                    Does::Answer(body) => answer(&mut stream, "200 OK", body),
                    Does::Status(status) => answer(&mut stream, status, ""),
                    Does::Close => {}
                    Does::Hang => open.push(stream),
                }
            }
        });
        Server { address, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Relaxed)
    }
}

/// Reads the head of a request, and returns its first line, if there is a request.
fn target(stream: &TcpStream) -> Option<String> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next()?;
    assert!(lines.any(|line| line.is_empty()), "the head ends");
    Some(first)
}

/// A project with a function that greets.
fn project() -> (TempDir, Arc<Loaded>) {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("it is made");
        fs::write(file, text).expect("it is written");
    };
    write("hot/Cargo.toml", "[package]\nname = \"hot\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n");
    write("hot/src/lib.rs", "pub fn hello(name: &str) -> String { format!(\"hello {name}\") }\n");
    let hash = sha256(b"hello anna");
    let settings = format!(
        "[function]\ncrate = \"hot\"\nexport = [\"hello\"]\n[host.node]\nfolder = \".\"\nstart = [\"node\", \"server.js\"]\n\
         [[route]]\nrequest = \"GET /hello?name={{name}}\"\ncall = \"hello\"\n\
         [health]\nrequest = \"GET /hello?name=anna\"\nsha256 = \"{hash}\"\n"
    );
    write("tierup.toml", &settings);
    let loaded = tierup_project::open(folder.path(), &[tierup_host_node::node()]).expect("a project");
    (folder, Arc::new(loaded))
}

/// Makes a golden call of both sides. `has_weight` says whether the candidate answers clients.
fn call(control: &str, candidate: &str, has_weight: bool) -> Vec<Golden> {
    let (_folder, loaded) = project();
    let golden = loaded.golden.clone().expect("[health] has a request");
    let mut calls = GoldenCalls::start(loaded, golden, Duration::from_secs(2)).expect("a thread");
    let (control, candidate) = (control.to_owned(), candidate.to_owned());
    assert_eq!(calls.look(7, has_weight, Some(&control), Some(&candidate)), [], "it does not wait");
    for _ in 0..1_000 {
        let found = calls.look(8, has_weight, Some(&control), Some(&candidate));
        if !calls.is_under_way {
            return found;
        }
        assert_eq!(found, []);
        thread::sleep(Duration::from_millis(20));
    }
    panic!("the call does not end");
}

/// Why the candidate's answer is wrong, and how many requests it got.
fn wrong(does: &'static [Does]) -> (String, usize) {
    let (control, candidate) = (Server::start(&[RIGHT]), Server::start(does));
    let [golden] = &call(&control.address, &candidate.address, true)[..] else { panic!("one call") };
    assert_eq!(golden.control, Ok(()));
    (golden.candidate.clone().expect_err("it is wrong"), candidate.asked())
}

#[test]
fn each_side_is_asked_once_if_both_are_right() {
    let (control, candidate) = (Server::start(&[RIGHT]), Server::start(&[RIGHT]));
    let found = call(&control.address, &candidate.address, true);
    let right = Golden { at: 7, call: "GET /hello?name=anna".to_owned(), control: Ok(()), candidate: Ok(()) };
    assert_eq!((&found[..], control.asked(), candidate.asked()), (&[right][..], 1, 1));
}

/// A name may have several addresses, and a server may listen at only one: `localhost` often begins with `::1`.
#[test]
fn a_name_is_asked_at_the_address_that_listens() {
    let (control, candidate) = (Server::start(&[RIGHT]), Server::start(&[RIGHT]));
    let named = |server: &Server| server.address.replace("127.0.0.1", "localhost");
    let found = call(&named(&control), &named(&candidate), true);
    assert!(matches!(&found[..], [Golden { control: Ok(()), candidate: Ok(()), .. }]), "{found:?}");
}

#[test]
fn an_answer_is_wrong_if_it_was_wrong_twice() {
    let (why, asked) = wrong(&[Does::Answer("hullo anna")]);
    assert_eq!((why, asked), (format!("its answer has the SHA-256 {}", sha256(b"hullo anna")), 2));
    let (why, asked) = wrong(&[Does::Status("503 Service Unavailable")]);
    assert_eq!((why.as_str(), asked), ("it answered with 503", 2));
    // A wrong answer of the control is reported separately.
    let (control, candidate) = (Server::start(&[Does::Answer("hullo anna")]), Server::start(&[RIGHT]));
    let found = call(&control.address, &candidate.address, true);
    assert!(matches!(&found[..], [Golden { control: Err(_), candidate: Ok(()), .. }]), "{found:?}");
}

#[test]
fn a_single_lost_call_does_not_count() {
    for lost in [Does::Close, Does::Hang, Does::Status("502 Bad Gateway")] {
        let (control, candidate) = (Server::start(&[RIGHT]), Server::start(vec![lost, RIGHT].leak()));
        let found = call(&control.address, &candidate.address, true);
        assert!(matches!(&found[..], [Golden { control: Ok(()), candidate: Ok(()), .. }]), "{lost:?}: {found:?}");
        assert_eq!(candidate.asked(), 2, "{lost:?}");
    }
}

#[test]
fn a_late_answer_is_a_missing_one() {
    let (why, asked) = wrong(&[Does::Hang]);
    assert!(why.ends_with("it did not answer in time") && asked == 2, "{asked}: {why}");
}

#[test]
fn a_silent_candidate_is_wrong_only_if_it_has_clients() {
    let control = Server::start(&[RIGHT]);
    // No server listens at this port.
    let gone = format!("http://127.0.0.1:{}", tierup_runner::port::free().expect("a port"));
    assert_eq!(call(&control.address, &gone, false), []);
    let found = call(&control.address, &gone, true);
    let [Golden { control: Ok(()), candidate: Err(why), .. }] = &found[..] else { panic!("{found:?}") };
    assert_eq!(*why, gone.replace("http://", "nothing listens at "));
    // A wrong answer counts even before the first step.
    let wrong = Server::start(&[Does::Answer("hullo anna")]);
    assert_eq!(call(&control.address, &wrong.address, false).len(), 1);
}
