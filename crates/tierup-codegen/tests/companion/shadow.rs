//! How a shadow treats calls that a host has answered, and functions that hang, die or want too much.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::process::{Companion, Connection, ENDLESS, FILL, LENGTH, SLOW, eventually, hash};

const SHADOW: u32 = (1 << 31) - 2;
const COUNTS: u32 = (1 << 31) - 3;
const DRAW: u32 = 0;
const FAIL: u32 = 8;

struct Shadow {
    companion: Companion,
    connection: Connection,
    folder: PathBuf,
}

/// The bit that permits keeping a call's values.
const KEEP: u32 = 1 << 30;

impl Shadow {
    fn start(test: &str, timeout: &str) -> Shadow {
        let companion = Companion::start(test, &[":"], &[("TIERUP_CALL_TIMEOUT", timeout)]);
        let folder = companion.socket.with_file_name("evidence");
        let mut connection = companion.connect();
        assert_eq!(connection.greeting(), hash());
        connection.send(SHADOW, &[], folder.to_str().expect("UTF-8").as_bytes());
        assert_eq!(connection.answer().expect("answered"), b"");
        Shadow { companion, connection, folder }
    }

    /// Sends a call and the host's answer to it, as a host does.
    fn sample(&mut self, function: u32, arguments: &[u8], answer: &[u8]) {
        let length = u32::try_from(arguments.len()).expect("short").to_le_bytes();
        self.connection.send(function | KEEP, &length, &[arguments, answer].concat());
    }

    /// Empty until the shadow has written its file.
    fn evidence(&self) -> String {
        let Some(file) = fs::read_dir(&self.folder).ok().and_then(|mut files| files.next()) else {
            return String::new();
        };
        let file = file.expect("it can be read");
        assert_eq!(file.metadata().expect("it is there").permissions().mode() & 0o777, 0o600);
        fs::read_to_string(file.path()).expect("UTF-8")
    }

    /// Waits until `count` calls are compared: after the connection's end, the rest has only five seconds. The shadow
    /// writes its counts whenever the host sends its own. Only a hang takes so long as to fail here: beside busy
    /// programs, the lowest priority gets a hundredth of a processor.
    fn has_compared(&mut self, count: u32, host: &str) {
        let counts = format!("\"compared\":{count},");
        for _ in 0..6000 {
            self.connection.send(COUNTS, &[], host.as_bytes());
            thread::sleep(Duration::from_millis(100));
            if self.evidence().contains(&counts) {
                return;
            }
        }
        panic!("not within ten minutes: {count} are compared: {}", self.evidence());
    }

    /// Ends the connection, and returns what the shadow has found: the counts and the differences.
    fn end(self) -> (String, Vec<String>) {
        self.connection.ends();
        eventually("its end", || self.companion.children().is_empty());
        let text = self.evidence();
        let mut lines = text.lines().map(|line| line.trim_end().to_owned());
        let counts = lines.next().expect("counts");
        let counts = counts.replace(&hash(), "ABI");
        (counts, lines.collect())
    }
}

fn text(text: &str) -> Vec<u8> {
    [&u32::try_from(text.len()).expect("short").to_le_bytes()[..], text.as_bytes()].concat()
}

fn answer(tag: u8, words: &str) -> Vec<u8> {
    [vec![tag], text(words)].concat()
}

#[test]
fn answers_are_compared_and_differences_kept() {
    let mut shadow = Shadow::start("compared", "2");
    shadow.sample(LENGTH, &text("ab"), b"\0\x02\0\0\0\0\0\0\0");
    shadow.sample(LENGTH, &text("ab"), b"\0\x03\0\0\0\0\0\0\0");
    // Errors and panics are worded differently at each tier.
    shadow.sample(DRAW, &text("number x"), &answer(1, "other words"));
    shadow.sample(FAIL, &text("this"), &answer(2, "other words"));
    shadow.sample(FAIL, &text("this"), &answer(0, "fine"));
    shadow.sample(DRAW, &text("number x"), &answer(0, ""));
    // The values of this call may not be kept.
    shadow.connection.send(LENGTH, &6u32.to_le_bytes(), &[&text("ab")[..], b"\0\x03\0\0\0\0\0\0\0"].concat());
    shadow.has_compared(7, r#"{"calls":7}"#);
    let (counts, lines) = shadow.end();
    let expected = r#"{"abi":"ABI","compared":7,"alike":3,"different":4,"panics":1,"timeouts":0,"deaths":0,"dropped":0,"host":{"calls":7}}"#;
    assert_eq!(counts, expected);
    let first = r#"{"function":4,"arguments":"AgAAAGFi","control":"AAMAAAAAAAAA","candidate":"AAIAAAAAAAAA"}"#;
    assert_eq!((lines.len(), lines[0].as_str()), (3, first));
    assert!(
        lines[1].starts_with(r#"{"function":8,"arguments":"BAAAAHRoaXM=","control":"AAQAAABmaW5l","candidate":"Ai"#),
        "{}",
        lines[1]
    );
}

#[test]
fn endless_calls_and_ended_processes_are_counted() {
    let mut shadow = Shadow::start("unanswered", "0.2");
    shadow.sample(SLOW, &ENDLESS, &[0; 9]);
    // This call needs more memory than the process may have, so the process dies.
    shadow.sample(FILL, &(3u32 << 30).to_le_bytes(), &answer(0, "x"));
    // This call's answer is larger than any that a host sends.
    shadow.sample(FILL, &(1u32 << 20).to_le_bytes(), &answer(0, "x"));
    shadow.sample(LENGTH, &text("ab"), b"\0\x02\0\0\0\0\0\0\0");
    shadow.has_compared(4, "{}");
    let (counts, lines) = shadow.end();
    let expected = r#"{"abi":"ABI","compared":4,"alike":1,"different":3,"panics":0,"timeouts":1,"deaths":1,"dropped":0,"host":{}}"#;
    assert_eq!(counts, expected);
    let why = ["no answer within 0.2 s", "its process was ended by signal 6", "its answer has more than 65536 bytes"];
    for (line, why) in lines.iter().zip(why) {
        assert!(line.ends_with(&format!(r#","unanswered":"{why}"}}"#)), "{line}");
    }
}

/// Calls are compared at the lowest priority, which gets hardly any processor time beside busy threads.
#[test]
fn a_call_that_waits_for_a_processor_is_not_late() {
    let mut shadow = Shadow::start("starved", "0.2");
    shadow.sample(LENGTH, &text("ab"), b"\0\x02\0\0\0\0\0\0\0");
    shadow.has_compared(1, "{}");
    let is_over = AtomicBool::new(false);
    let began = Instant::now();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().expect("known").get() {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) && began.elapsed() < Duration::from_secs(90) {
                    std::hint::spin_loop();
                }
            });
        }
        shadow.sample(FILL, &(1u32 << 20).to_le_bytes(), &answer(0, "x"));
        shadow.has_compared(2, "{}");
        is_over.store(true, Ordering::Relaxed);
    });
    let (_, lines) = shadow.end();
    assert!(lines[0].ends_with(r#""unanswered":"its answer has more than 65536 bytes"}"#), "{}", lines[0]);
}

#[test]
fn calls_that_find_no_room_are_counted_and_evidence_is_bounded() {
    let mut shadow = Shadow::start("bounds", "2");
    shadow.sample(SLOW, &400u64.to_le_bytes(), &[0; 9]);
    // These calls arrive while the first one runs.
    for _ in 0..500 {
        shadow.sample(LENGTH, &text("ab"), &[0; 9]);
    }
    let (counts, lines) = shadow.end();
    let count = |name: &str| -> u64 {
        let rest = counts.split_once(&format!("\"{name}\":")).expect("it is counted").1;
        rest.split(',').next().expect("a number").parse().expect("a number")
    };
    assert_eq!(count("compared") + count("dropped"), 501);
    assert!(count("dropped") > 300, "{counts}");
    assert!(lines.len() as u64 == count("different").min(100), "{counts}");
}

#[test]
fn without_a_folder_to_write_in_nothing_is_called() {
    let companion = Companion::start("nowhere", &[":"], &[]);
    let file = companion.socket.with_file_name("file");
    fs::write(&file, "").expect("written");
    let mut connection = companion.connect();
    assert_eq!(connection.greeting(), hash());
    connection.send(SHADOW, &[], file.join("evidence").to_str().expect("UTF-8").as_bytes());
    assert_eq!(connection.answer().expect("answered"), b"");
    connection.send(SLOW, &8u32.to_le_bytes(), &ENDLESS);
    connection.ends();
    eventually("its end", || companion.children().is_empty());
    let said = companion.end();
    assert!(said.contains("the evidence of a shadow is incomplete: "), "{said}");
}
