//! The witness in a BEAM: its counts, the end of its tracing, and that it leaves a server that traces alone.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::{
    collections::BTreeSet,
    fs,
    io::{BufRead, BufReader, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

use tierup_codegen::{EmptyFolder, HostSettings, InstallBy, SOCKET, Watch, Watched};
use tierup_host_beam::beam;

const NOTHING: &str = "0 0 {flags,[]}";

/// A server with a witness, and tierup's end of the socket.
struct Server {
    folder: PathBuf,
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    socket: BufReader<UnixStream>,
}

impl Server {
    /// The folder is in the system's folder for temporary files, as a socket's path must be short.
    fn start(test: &str) -> Server {
        let folder = std::env::temp_dir().join(format!("tierup-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let source = folder.join("watched.erl");
        fs::write(&source, include_str!("witness/watched.erl")).unwrap();
        let file = source.canonicalize().unwrap().display().to_string();
        let watched = |(name, arity): (&str, u32)| Watched {
            file: file.clone(),
            name: name.to_owned(),
            qualified_name: format!("watched.{name}/{arity}"),
            line: None,
            fields: Vec::new(),
        };
        let functions = [("plain", 1), ("loop", 2), ("deep", 1)].map(watched);
        let settings = HostSettings {
            folder: folder.clone(),
            install: InstallBy::Nobody,
            prepare: Vec::new(),
            start: Vec::new(),
            baselines: Vec::new(),
        };
        let watch = Watch { private: &folder, key: "key", functions: &functions, calls: false };
        let witness = beam().witness(&settings, &EmptyFolder, &watch).unwrap().unwrap();
        for (name, content) in witness.files.iter() {
            fs::write(folder.join(name), content).unwrap();
        }
        run(Command::new("erlc").arg("watched.erl"), &folder);
        for command in &witness.preparation {
            run(Command::new(&command.program).args(&command.arguments), &folder);
        }
        let listener = UnixListener::bind(folder.join(SOCKET)).unwrap();
        let mut erl = Command::new("erl");
        erl.args(["-noshell", "-s", "watched", "main"]).current_dir(&folder);
        erl.envs(witness.environment.iter().map(|variable| (variable.name, &variable.value)));
        let mut process = erl.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (to, from) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut socket = BufReader::new(listener.accept().unwrap().0);
        assert_eq!(line(&mut socket), format!("hello {} 0", process.id()));
        Server { folder, process, to, from, socket }
    }

    /// Sends the server a word, and returns its answer.
    fn tell(&mut self, what: &str) -> String {
        writeln!(self.to, "{what}").unwrap();
        line(&mut self.from)
    }

    /// Sends the witness a command, and returns its answer.
    fn order(&mut self, what: &str) -> String {
        writeln!(self.socket.get_mut(), "{what}").unwrap();
        line(&mut self.socket)
    }

    /// Runs a round in which the server does this, and returns the files.
    fn round(&mut self, what: &str) -> String {
        assert_eq!(self.order("start"), "started");
        assert_ne!(self.tell("look"), NOTHING);
        self.tell(what);
        let file = self.folder.join("seen");
        assert_eq!(self.order(&format!("stop {}", file.display())), "stopped -");
        assert_eq!(self.tell("look"), NOTHING);
        fs::read_to_string(file).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn line(from: &mut impl BufRead) -> String {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}

fn run(command: &mut Command, folder: &Path) {
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn calls_are_exact_and_tracing_ends() {
    let mut server = Server::start("counted");
    for _ in 0..2 {
        let seen = server.round("call");
        let functions: Vec<_> = seen.split(r#","calls":"#).skip(1).collect();
        let calls: Vec<_> = functions.iter().map(|text| text.split([',', '}']).next().unwrap()).collect();
        // A function that calls itself counts as called once.
        assert_eq!(calls, ["3", "1", "1"], "{seen}");
        let itself: Vec<_> = functions.iter().map(|text| text.contains(r#""calls_itself":true"#)).collect();
        assert_eq!(itself, [false, true, true], "{seen}");
        assert!(seen.contains(r#""others":["deep","loop","main","several"]"#), "{seen}");
        // Its intermediate results never came from outside.
        assert!(seen.contains(r#"{"name":"Made","shapes":[{"is":"list","of":[]}]}"#), "{seen}");
    }
    // Two calls from outside follow each other at once, with the same argument.
    let row = server.round("row");
    let given: BTreeSet<_> = row.split(r#""words":["#).skip(1).filter_map(|text| text.split(']').next()).collect();
    assert_eq!(given.len(), 1, "{row}");
    // Only some of the calls are inspected.
    let many = server.round("large");
    assert!(many.contains(r#""all_calls":5000"#), "{many}");
    assert!(many.matches(r#""at":"#).count() <= 1000, "{many}");
}

#[test]
fn tracing_ends_when_tierup_is_gone() {
    let mut server = Server::start("gone");
    assert_eq!(server.order("start"), "started");
    assert_ne!(server.tell("look"), NOTHING);
    server.socket.get_ref().shutdown(std::net::Shutdown::Both).unwrap();
    for _ in 0..100 {
        if server.tell("look") == NOTHING {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("{}", server.tell("look"));
}

#[test]
fn a_server_that_traces_is_left_alone() {
    let mut server = Server::start("traces");
    server.tell("trace");
    let before = server.tell("look");
    assert_eq!(server.order("start"), "failed the server traces its own functions, which would be disturbed");
    assert_eq!(server.tell("look"), before);
    assert_ne!(before, NOTHING);
}
