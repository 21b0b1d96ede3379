//! What a rollout inside the process promises in every language (`docs/rollout-inside.md`): the control's answers reach every
//! caller, whatever the candidate, the disk or the companion does. Answers that differ are found, and nothing else.

use std::{
    collections::BTreeSet,
    fs,
    path::PathBuf,
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rustix::process::Signal;
use sha2::{Digest as _, Sha256};
use tierup_codegen::{Command, Row, Variant, abi::Value};
use tierup_parity::Outcome;
use tierup_runner::capture;

use crate::server::{Scenario, Server, text};

pub(crate) const SCENARIOS: &[Scenario] = &[
    ("what differs is found, and nothing else", SHADOW, what_differs),
    ("no value is written unless the control file asks for it", "candidate=3:native\nshadow=1\n", no_value),
    ("calls that hang, die or take too much are found beside the server", SHADOW, beside),
    ("the control answers whatever panics", SHARE, panics),
    ("a candidate that fails in more than half of its calls gets no more", SHARE, breaker),
    ("a candidate that takes longer is behind", "candidate=3:native\nshare=0.5\nslower=1.05\n", slower),
    ("the control answers what a candidate in another process does not", "candidate=1:pool\nshare=1\n", pool),
    ("the same input stays with its side, as in all languages", "", by_input),
    ("a file that is missing, cut, wrong or over means the control", "", files),
    ("killed companions change nothing for callers", SHADOW, killed),
    ("after two deaths in a call of the candidate, the control answers", SHARE, deaths),
    ("deaths are found in a new folder, too", SHARE, removed),
    (
        "a folder that cannot be written in changes nothing for callers",
        "candidate=3:native\nshare=1\nshadow=1\n",
        unwritable,
    ),
    ("a full disk changes nothing for callers", SHADOW, full),
    ("a candidate is not compared with itself", "candidate=3:native\nshare=1\nshadow=1\n", itself),
];

const SHADOW: &str = "candidate=3:native\nshadow=1\nkeep=values\n";
const SHARE: &str = "candidate=3:native\nshare=1\n";

/// The control answers it with `:-)`.
const ODD: &str = "😀";

fn panic_if(condition: bool, words: &str) -> [Value; 2] {
    [Value::Bool(condition), text(words)]
}

fn bytes(size: usize) -> Value {
    Value::Bytes(vec![0; size])
}

fn candidate_answers(server: &mut Server<'_>) -> bool {
    server.answer("echo_text", &[text(ODD)]) == Outcome::Ok(Some(text(ODD)))
}

fn what_differs(mut server: Server<'_>) {
    server.start(&[]);
    for word in ["a", "", "ä\n"] {
        server.gives("echo_text", &[text(word)], text(word));
    }
    server.gives("echo_text", &[text(ODD)], text(":-)"));
    // The candidate panics in the first call.
    server.gives("panic_if", &panic_if(true, "x"), text("X"));
    server.gives("panic_if", &panic_if(false, "x"), text("X"));
    // Errors with different messages are alike. The caller gets the server's own.
    assert_eq!(server.answer("fail", &[text("it")]), Outcome::Error("own words for it".to_owned()));
    // A value instead of an error differs.
    server.gives("fail", &[text("nothing")], bytes(0));
    // The control changes its argument. The candidate gets it unchanged.
    let texts = |one: &str, other: &str| Value::List(vec![text(one), text(other)]);
    server.gives("echo_texts", &[texts("a", "b")], texts("a", "b"));
    // It is not pure.
    server.gives("count_calls", &[], Value::Integer(0));
    // These are too large, the last one together.
    for size in [65_533, 1 << 20] {
        server.gives("echo_bytes", &[bytes(size)], bytes(size));
    }
    let half = "x".repeat(50_000);
    server.gives("echo_texts", &[texts(&half, &half)], texts(&half, &half));
    server.counts("6 alike, 9 compared, 3 different, 1 panics", "12 calls, 12 sampled, 3 too_large");
    let large = text("x".repeat(60_000));
    server.gives("echo_text", std::slice::from_ref(&large), large.clone());
    server.counts("7 alike, 10 compared, 3 different, 1 panics", "13 calls, 13 sampled, 3 too_large");
    let found = server.inside();
    assert_eq!((found.kept, &found.candidates[..]), (3, &["3:native".to_owned()][..]));
}

fn no_value(mut server: Server<'_>) {
    server.start(&[]);
    server.gives("echo_text", &[text(ODD)], text(":-)"));
    server.counts("1 compared, 1 different", "1 calls, 1 sampled");
    assert_eq!(server.inside().kept, 0);
}

fn beside(mut server: Server<'_>) {
    server.start(&[("TIERUP_CALL_TIMEOUT", "3")]);
    for word in ["really", "deeply", "fine"] {
        server.gives("hang_on", &[text(word)], Value::Integer(word.len() as i128));
    }
    server.gives("make_bytes", &[Value::Integer(1 << 20)], Value::Bytes(vec![1; 100]));
    server.counts("1 alike, 4 compared, 1 deaths, 3 different, 1 timeouts", "4 calls, 4 sampled");
}

fn panics(mut server: Server<'_>) {
    server.start(&[]);
    for number in 0..1000 {
        server.gives("panic_if", &panic_if(true, &format!("x{number}")), text(format!("X{number}")));
        // The candidate is still called, as no more than half of its calls panic.
        server.gives("panic_if", &panic_if(false, "x"), text("X"));
        server.gives("panic_if", &panic_if(false, "x"), text("X"));
    }
    assert!(candidate_answers(&mut server));
    // The first error is also the server's own. The second one says that the candidate differs.
    assert_eq!(server.answer("fail", &[text("it")]), Outcome::Error("own words for it".to_owned()));
    server.gives("fail", &[text("nothing")], bytes(0));
    server.counts("", "3003 calls, 1 erred, 2 errors, 1000 panics, 3003 shared");
    assert!(!server.said().contains("failed at"), "{}", server.said());
}

fn breaker(mut server: Server<'_>) {
    server.start(&[]);
    for _ in 0..300 {
        server.gives("panic_if", &panic_if(true, "x"), text("X"));
    }
    server.gives("echo_text", &[text(ODD)], text(":-)"));
    let words = "100 of 100 calls failed at 3:native, so the control answers until the control file changes";
    server.until(words, |server| server.said().contains(words));
    // A judge renews `until` alone. The time that this takes may not be long enough: then the test finds less.
    server.control(&format!("{SHARE}until=4102444800\n"));
    thread::sleep(Duration::from_millis(2500));
    server.gives("echo_text", &[text(ODD)], text(":-)"));
    server.counts("", "302 calls, 100 panics, 100 shared");
    server.control(&format!("{SHARE}generation=2\n"));
    server.until("the candidate answers again", candidate_answers);
}

fn slower(mut server: Server<'_>) {
    server.start(&[]);
    let calls = |server: &mut Server<'_>, name: &str| server.inside().calls.get(name).copied().unwrap_or_default();
    server.until("calls are timed", |server| {
        for _ in 0..500 {
            // The candidate fills them all, the control returns 100.
            assert!(matches!(server.answer("make_bytes", &[Value::Integer(100_000)]), Outcome::Ok(_)));
        }
        calls(server, "pairs") > 100
    });
    // The sums are of the same moment.
    let counts = server.inside().calls;
    let [ahead, behind, squares] = ["ahead", "behind", "squares"].map(|name| counts[name]);
    assert!(behind > 10 * ahead && squares <= ahead + behind, "{counts:?}");
    // Which is more depends on the machine: one call that was stopped counts as a hundred.
    assert!(counts["candidate_ns"].min(counts["control_ns"]) > 0, "{counts:?}");
}

fn pool(mut server: Server<'_>) {
    server.start(&[("TIERUP_CALL_TIMEOUT", "3"), ("TIERUP_WORKERS", "1")]);
    server.gives("hang_on", &[text("really")], Value::Integer(6));
    server.gives("hang_on", &[text("deeply")], Value::Integer(6));
    // The candidate answers this one.
    server.gives("hang_on", &[text("changed")], Value::Integer(7));
    server.counts("", "3 calls, 1 lost, 3 shared, 1 timeouts");
}

fn by_input(mut server: Server<'_>) {
    let function = format!("{} ", server.number("make_bytes"));
    for key in ["secret".to_owned(), "k".repeat(70)] {
        server.control(&format!("candidate=3:native\nshare=0.5\nby=input\nkey={key}\n"));
        server.start(&[]);
        for _ in 0..2 {
            for number in 1..=100_u32 {
                // The candidate counts up from 0.
                let answer = server.answer("make_bytes", &[Value::Integer(number.into())]);
                let is_candidate = answer == Outcome::Ok(Some(Value::Bytes((0..number as u8).collect())));
                let hash = hmac(key.as_bytes(), &[function.as_bytes(), &number.to_le_bytes()].concat());
                assert_eq!(is_candidate, hash[3] < 0x80, "{number} with the key {key}");
            }
        }
    }
}

/// HMAC-SHA256 (RFC 2104), apart from any language's library.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let hash = |parts: [&[u8]; 2]| <[u8; 32]>::from(Sha256::digest(parts.concat()));
    let mut block = [0; 64];
    match key.len() {
        0..=64 => block[..key.len()].copy_from_slice(key),
        _ => block[..32].copy_from_slice(&hash([key, &[]])),
    }
    hash([&block.map(|byte| byte ^ 0x5c), &hash([&block.map(|byte| byte ^ 0x36), message])])
}

fn files(mut server: Server<'_>) {
    let lines = format!("{SHARE}until=4102444800\n");
    let checksum: String = Sha256::digest(&lines).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let whole = format!("{lines}checksum={checksum}\n");
    let cut = whole[..whole.len() - 9].to_owned();
    let number = "`share` must be a number from 0 to 1, such as 0.01, got ";
    let wrong = [
        (cut.clone(), "its last line has no end: it may be cut"),
        (whole.replace("share=1", "share=0.9"), "its checksum does not fit the lines above it"),
        (SHARE.replace("=1", "=1.5"), number),
        ("candidate=0:tuned\nshare=1\n".to_owned(), "`candidate` must be a variant in Rust, such as 3:native, got "),
        (format!("{SHARE}until=1\n"), "its judge has not renewed it: `until` is over"),
        (format!("{SHARE}until=nan\n"), "`until` must be a number of seconds since 1970"),
        (format!("{SHARE}slower=0.9\n"), "`slower` must be a number from 1 to 1000"),
        (format!("{SHARE}slower=nan\n"), "`slower` must be a number from 1 to 1000"),
        ("#\n".repeat(2049), "it has more than 4096 bytes"),
        // A reason that was told is not told again.
        (cut, "its last line has no end: it may be cut"),
    ];
    server.control(&whole);
    server.start(&[]);
    let not_obeyed = " is not obeyed, so the control answers every call: ";
    for (lines, words) in &wrong {
        server.until("the candidate answers", candidate_answers);
        server.control(lines);
        server.until(&format!("the control answers: {words}"), |server| !candidate_answers(server));
        server.until(words, |server| server.said().contains(&format!("{not_obeyed}{words}")));
        server.control(&whole);
    }
    server.until("the candidate answers", candidate_answers);
    let file = server.control_file();
    // Neither a missing file nor a pipe is waited for. The reasons are the system's words.
    fs::remove_file(&file).unwrap();
    server.until("the control answers without a file", |server| !candidate_answers(server));
    server.control(&whole);
    server.until("the candidate answers", candidate_answers);
    let part = file.with_extension("pipe");
    capture(&Command::new("mkfifo", [&*part.to_string_lossy()]), file.parent().unwrap()).unwrap();
    fs::rename(part, &file).unwrap();
    server.until("the control answers beside a pipe", |server| !candidate_answers(server));
    // That of the missing file and that of the pipe come to those above.
    let reasons = wrong.iter().map(|(_, words)| words).collect::<BTreeSet<_>>().len() + 2;
    server.until("each reason is told once", |server| server.said().matches(not_obeyed).count() == reasons);
    // A judge has renewed it.
    let until = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() + 100;
    server.control(&format!("{SHARE}until={until}\n"));
    server.until("the candidate answers", candidate_answers);
}

fn killed(mut server: Server<'_>) {
    server.start(&[]);
    let mut hit = 0;
    for round in 0..10 {
        hit += server.signal(if round % 2 == 0 { Signal::KILL } else { Signal::STOP });
        for _ in 0..50 {
            server.gives("echo_text", &[text("a")], text("a"));
            server.gives("echo_bytes", &[bytes(60_000)], bytes(60_000));
        }
        thread::sleep(Duration::from_millis(300));
        server.signal(Signal::CONT);
    }
    assert!(hit > 2, "only {hit} signals");
    // A new companion reports the calls that were counted before it started, too.
    server.until("calls are compared again", |server| {
        server.gives("echo_text", &[text("a")], text("a"));
        let inside = server.inside();
        inside.calls.get("calls").is_some_and(|calls| *calls >= 1000) && inside.compared.get("compared") > Some(&10)
    });
}

/// Whether the server ends in a call that overflows the stack. Otherwise, the control has answered.
fn dies(server: &mut Server<'_>) -> bool {
    match server.try_answer("hang_on", &[text("deeply")]) {
        None => true,
        Some(answer) => {
            assert_eq!(answer, Outcome::Ok(Some(Value::Integer(6))));
            false
        }
    }
}

fn deaths(mut server: Server<'_>) {
    for _ in 0..2 {
        server.start(&[]);
        assert!(dies(&mut server), "it lives");
        // A process that is killed between two calls does not count.
        server.start(&[]);
        server.gives("echo_text", &[text("a")], text("a"));
    }
    server.start(&[]);
    assert!(!dies(&mut server));
    assert!(server.said().contains("2 processes died in a call of 3:native "), "{}", server.said());
    server.control(&format!("{SHARE}generation=2\n"));
    server.start(&[]);
    assert!(dies(&mut server), "a new generation lives");
}

fn removed(mut server: Server<'_>) {
    server.start(&[]);
    assert!(candidate_answers(&mut server));
    fs::remove_dir_all(server.evidence()).unwrap();
    server.until("there is a new folder", |server| candidate_answers(server) && !server.files("call").is_empty());
    assert!(dies(&mut server), "it lives");
    let marks = server.files("call");
    assert_eq!(marks.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["1 3:native\n"]);
    server.start(&[]);
    assert_eq!(server.inside().deaths, 1);
}

fn unwritable(mut server: Server<'_>) {
    // A file stands where the folder for the evidence would be.
    fs::write(server.evidence(), "").unwrap();
    server.spawn(&[]);
    assert!(!dies(&mut server));
    server.until("the reasons are told", |server| {
        let said = server.said();
        let reasons =
            ["nobody would learn that a call of 3:native ended the process", "the evidence of a shadow is incomplete"];
        // PHP counts by itself.
        reasons.iter().all(|words| said.contains(words)) || said.contains("nothing can be counted in ")
    });
}

/// A file system of 4 KiB at a folder, as long as this lives.
struct Small(PathBuf);

impl Small {
    fn at(folder: PathBuf) -> Option<Small> {
        fs::create_dir(&folder).unwrap();
        let small = ["-t", "tmpfs", "-o", "size=4k,mode=700", "none", folder.to_str().unwrap()];
        capture(&Command::new("mount", small), &folder).is_ok().then_some(Small(folder))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // It may still be in use for a moment.
        let _ = capture(&Command::new("umount", ["-l", self.0.to_str().unwrap()]), &self.0);
    }
}

fn full(mut server: Server<'_>) {
    let Some(_small) = Small::at(server.evidence()) else {
        println!("not tested: no file system can be mounted here");
        return;
    };
    server.spawn(&[]);
    for _ in 0..200 {
        server.gives("hang_on", &[text("deep")], Value::Integer(4));
    }
    server.end();
}

fn itself(mut server: Server<'_>) {
    server.spawn(&[]);
    let native = Row::Variant(Variant::Native);
    let answer = server.call(&native, "panic_if", &panic_if(true, "x"));
    assert!(matches!(answer, Some(Outcome::Panic(_))), "{answer:?}");
    server.until("the candidate answers", candidate_answers);
    server.counts("", "1 calls, 1 shared");
}
