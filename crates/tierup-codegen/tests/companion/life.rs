//! Connections and their workers, and the end of each and of the companion.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use crate::process::{Companion, ENDLESS, FILL, LENGTH, SLOW, command, eventually, folder, hash};

/// The bit of a function's number that announces a sequence number.
const NUMBERED: u32 = 1 << 31;

/// Asks for pipes.
const PIPES: u32 = NUMBERED - 1;

#[test]
fn a_connection_has_a_worker_that_answers_in_order() {
    let companion = Companion::start("answers", &[":"], &[]);
    let (mut one, mut other) = (companion.connect(), companion.connect());
    assert_eq!([one.greeting(), other.greeting()], [hash(), hash()]);
    assert_eq!(companion.children().len(), 2);
    one.send(SLOW, &[], &ENDLESS);
    other.send(LENGTH, &[], b"\x02\0\0\0ab");
    other.send(LENGTH | NUMBERED, &[7; 8], b"\x01\0\0\0a");
    other.send(FILL, &[], &(16u32 << 20).to_le_bytes());
    assert_eq!(other.answer().expect("answered"), b"\0\x02\0\0\0\0\0\0\0");
    assert_eq!(other.answer().expect("answered"), b"\x07\x07\x07\x07\x07\x07\x07\x07\0\x01\0\0\0\0\0\0\0");
    assert_eq!(other.answer().expect("answered").len(), 5 + (16 << 20));
    drop((one, other));
    assert_eq!(companion.end(), "");
}

#[test]
fn a_worker_ends_with_its_connection_even_during_a_call() {
    let companion = Companion::start("closed", &[":"], &[]);
    let (mut idle, mut busy) = (companion.connect(), companion.connect());
    assert_eq!([idle.greeting(), busy.greeting()], [hash(), hash()]);
    busy.send(SLOW, &[], &ENDLESS);
    drop((idle, busy));
    eventually("the end of both", || companion.children().is_empty());
    assert_eq!(companion.end(), "");
}

#[test]
fn a_connection_ends_with_its_worker_and_standard_error_says_why() {
    let companion = Companion::start("killed", &[":"], &[]);
    let mut client = companion.connect();
    assert_eq!(client.greeting(), hash());
    client.send(SLOW, &[], &ENDLESS);
    let worker = companion.children().remove(0);
    kill(&worker);
    assert!(client.answer().is_err());
    assert_eq!(companion.connect().greeting(), hash());
    let said = companion.end();
    assert!(said.ends_with(&format!("worker: the worker {worker} was ended by signal 9\n")), "{said}");
}

#[test]
fn pipes_carry_calls_and_the_worker_still_ends_with_its_connection() {
    if cfg!(not(target_os = "linux")) {
        return; // The name is empty there.
    }
    let companion = Companion::start("pipes", &[":"], &[]);
    for ends_by in ["nothing more", "pipe", "connection"] {
        let mut client = companion.connect();
        assert_eq!(client.greeting(), hash());
        client.send(PIPES, &[], &[]);
        let name = String::from_utf8(client.answer().expect("a name")).expect("UTF-8");
        let path = |end: &str| companion.socket.with_file_name(format!("{name}.{end}"));
        let mut input = File::options().write(true).open(path("in")).expect("it is there");
        let mut output = File::open(path("out")).expect("it is there");
        fs::remove_file(path("in")).and_then(|()| fs::remove_file(path("out"))).expect("both were there");
        if ends_by == "nothing more" {
            // Not a single request was sent.
            client.ends();
            drop(input);
            assert_eq!(output.read(&mut [0]).expect("the end"), 0);
            continue;
        }
        for _ in 0..2 {
            let request = [&[10, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0][..], b"ab"].concat();
            input.write_all(&request).expect("sent");
            let mut answer = [0; 13];
            output.read_exact(&mut answer).expect("answered");
            assert_eq!(answer, *b"\x09\0\0\0\0\x02\0\0\0\0\0\0\0");
        }
        if ends_by == "pipe" {
            drop(input);
            assert_eq!(output.read(&mut [0]).expect("the end"), 0);
        } else {
            input.write_all(&[&[12, 0, 0, 0, 7, 0, 0, 0], &ENDLESS[..]].concat()).expect("sent");
            drop(client);
        }
        eventually("its end", || companion.children().is_empty());
    }
    assert_eq!(companion.end(), "");
}

#[test]
fn connections_live_on_without_the_companion() {
    let mut companion = Companion::start("alone", &[":"], &[]);
    let mut client = companion.connect();
    assert_eq!(client.greeting(), hash());
    companion.child.kill().expect("it ran");
    companion.child.wait().expect("a child");
    client.send(LENGTH, &[], b"\x02\0\0\0ab");
    assert_eq!(client.answer().expect("answered"), b"\0\x02\0\0\0\0\0\0\0");
}

#[test]
fn the_companion_ends_with_its_standard_input_and_leaves_nobody_waiting() {
    let companion = Companion::start("ended", &["exec sleep 3600"], &[]);
    let mut client = companion.connect();
    eventually("a start", || companion.starts() == 1);
    let socket = companion.socket.clone();
    companion.end();
    assert!(!socket.exists());
    assert_eq!(client.greeting(), "failed to fill whole buffer");
}

#[test]
fn without_descriptors_connections_wait() {
    if cfg!(not(target_os = "linux")) {
        return; // Nobody else can limit a program that runs.
    }
    let companion = Companion::start("descriptors", &[":"], &[]);
    assert_eq!(companion.connect().greeting(), hash());
    let id = companion.child.id().to_string();
    let limit = |most: &str| {
        let limited = Command::new("prlimit").args(["--pid", &id, most]).status().expect("prlimit starts");
        assert!(limited.success());
    };
    limit("--nofile=1:100");
    let mut waiting = companion.connect();
    limit("--nofile=100:100");
    assert_eq!(waiting.greeting(), hash());
}

#[test]
fn another_interface_and_a_folder_that_others_can_enter_are_refused() {
    let folder = folder("refused");
    let end = |abi: &str| {
        let output = command(&folder).args(["--tierup-companion", abi]).output().expect("it starts");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let (code, said) = end("1");
    assert!(code == Some(3) && said.contains("its caller wants `1`: run `tierup build`"), "{said}");
    let own = fs::read_dir(&folder).expect("it is there").next().expect("one entry").expect("it can be read").path();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).expect("ours");
    let (code, said) = end(&hash());
    assert!(code == Some(3) && said.contains("must be a folder that only this user can enter"), "{said}");
    fs::remove_dir_all(folder).expect("ours");
}

fn kill(process: &str) {
    assert!(Command::new("kill").args(["-9", process]).status().expect("kill starts").success());
}
