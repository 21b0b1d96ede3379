//! The generated package without anything built: every file is Perl, baselines are called, a new server answers.

// Windows has neither the variants nor the driver: see `support` in `src/lib.rs`.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod project;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;
use std::{collections::HashMap, fs, process};

use tierup_codegen::{Command, Files, HostSettings, Row};
use tierup_host_perl::perl;
use tierup_model::{CrateInfo, read_interface};
use tierup_project::Loaded;
use tierup_runner::{CallEnding, Driver, Ready, Server, Start, port};

use project::{conformance, write_below};

const PATIENCE: Duration = Duration::from_secs(60);

/// Writes the package and its driver into `.tierup/`, and nothing that is built.
fn write_package(loaded: &Loaded) {
    let _ = fs::remove_dir_all(&loaded.work);
    package(loaded).iter().for_each(|files| write_below(&loaded.work.join("perl"), files));
}

fn package(loaded: &Loaded) -> [Files; 2] {
    let (project, settings) = (&loaded.project, settings(loaded));
    [perl().package(project, settings).unwrap(), perl().driver(project, settings).0]
}

fn settings(loaded: &Loaded) -> &HostSettings {
    loaded.host(perl().name()).unwrap()
}

#[test]
fn every_file_is_perl_and_says_what_made_it() {
    let loaded = conformance("perl-syntax");
    write_package(&loaded);
    for (name, content) in package(&loaded).iter().flat_map(Files::iter) {
        let text = std::str::from_utf8(content).unwrap();
        assert!(text.lines().take(3).any(|line| line.starts_with("# Made by tierup")), "{name}");
        assert!(!text.contains("MODULE"), "{name}");
        // A warning would stand beside it.
        let mut perl = process::Command::new("perl");
        let output = perl.args(["-w", "-I", "lib", "-c", name]).current_dir(loaded.work.join("perl")).output();
        assert_eq!(String::from_utf8_lossy(&output.unwrap().stderr), format!("{name} syntax OK\n"));
    }
}

#[test]
fn baselines_are_called_as_they_are() {
    let loaded = conformance("perl-baselines");
    write_package(&loaded);
    let (_, command) = perl().driver(&loaded.project, settings(&loaded));
    let mut driver = Driver::start(&command, &loaded.work, &[]).unwrap();
    let functions = &loaded.project.interface.functions;
    let mut call = |row: &str, function: &str, arguments: &[u8]| {
        let number = functions.iter().position(|one| one.name == function).unwrap();
        driver.call(&row.parse::<Row>().unwrap(), number as u32, 2, arguments, PATIENCE).unwrap().ending
    };
    let text = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    assert_eq!(call("0", "echo_text", &text("größe")), CallEnding::Ok(text("größe")));
    assert_eq!(call("0:text", "echo_text", &text("x")), CallEnding::Ok(text("own x")));
    assert_eq!(call("0", "echo_u64", &u64::MAX.to_le_bytes()), CallEnding::Ok(u64::MAX.to_le_bytes().to_vec()));
    assert_eq!(call("0", "fail", &text("no")), CallEnding::Error("no\n".into()));
    let lost = |ending: CallEnding, words: &str| {
        assert!(matches!(&ending, CallEnding::Lost(message) if message.contains(words)), "{ending:?}");
    };
    // Another value than the signature says.
    lost(call("0", "panic_with", &text("x")), "answer: expected text, got a reference");
    lost(call("0", "echo_bool", &[1]), "Own has no function echo_bool");
    lost(call("0:other", "echo_text", &text("x")), "tier 0:other has no baseline");
    lost(call("1:pool", "echo_text", &text("x")), "nothing was built: run `tierup build`");
    lost(call("2:core", "echo_text", &text("x")), "no tier `2:core`");
}

#[test]
fn a_crate_whose_name_is_no_module_is_refused() {
    let mut loaded = conformance("perl-refused");
    loaded.project.interface.package = "größe".into();
    let refused = perl().package(&loaded.project, settings(&loaded)).unwrap_err();
    assert!(refused.contains("Perl cannot load a module for `größe`"), "{refused}");
}

/// `tierup new --host perl`, at tier 0.
#[test]
fn a_new_server_answers() {
    let info = CrateInfo {
        package: "near-words".into(),
        library: "near_words".into(),
        version: "0.1.0".into(),
        root: "src/lib.rs".into(),
    };
    let source = "pub fn slugify(text: &str) -> Result<String, String> { unimplemented!() }";
    let sources = HashMap::from([("src/lib.rs".to_owned(), source.to_owned())]);
    let interface = read_interface(&info, &["slugify".to_owned()], &sources).unwrap();
    let mut loaded = conformance("perl-new");
    loaded.project.interface = interface;
    write_package(&loaded);
    let scaffold = perl().scaffold("near-words", "slugify");
    let folder = loaded.folder.join("perl");
    write_below(&folder, &scaffold.files);

    let port = port::free().unwrap();
    let (program, arguments) = scaffold.start.split_first().unwrap();
    let start = Start {
        command: &Command { folder: "perl".into(), ..Command::new(program, arguments.iter().map(String::as_str)) },
        root: &loaded.folder,
        environment: &[("TIERUP_TIER".to_owned(), "0".to_owned()), ("PORT".to_owned(), port.to_string())],
        port,
        ready: Ready::Answers("/livez".into()),
        deadline: PATIENCE,
    };
    let server = Server::start(&start).unwrap();
    let get = |target: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(stream, "GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        format!("{} {body}", head.split(' ').nth(1).unwrap())
    };
    assert_eq!(get("/slug?text=Gr%C3%B6%C3%9Fe+or+size!"), "200 gr-e-or-size");
    assert_eq!(get("/slug?text=!"), "400 text has no letters or digits");
    assert_eq!(get("/slug"), "400 query parameter \"text\" is missing");
    assert_eq!(get("/other"), "404 not found");
    assert!(server.stop(PATIENCE), "it is killed rather than stopped");
}
