//! What `0:memo` promises in every language (`docs/servers.md`): answers of the server's own functions are kept by their arguments
//! and within bounds, and errors are not kept. These functions are those of tier 0, which count their calls.

use std::{fs, path::Path, slice};

use tierup_codegen::{Row, Wrapping, abi::Value};
use tierup_parity::Outcome;

use crate::server::{NO_ROLLOUT, Scenario, Server, text};

pub(crate) const SCENARIOS: &[Scenario] = &[
    ("0:memo answers repeated calls from memory, and no others", NO_ROLLOUT, repeated),
    ("0:memo keeps no errors", NO_ROLLOUT, errors),
    ("0:memo forgets the answer that was not asked for longest", NO_ROLLOUT, longest),
    ("0:memo keeps at most so many bytes", NO_ROLLOUT, bytes),
    ("0:memo has limits that are numbers", NO_ROLLOUT, numbers),
    ("0:memo answers calls made at the same time, and counts them", NO_ROLLOUT, counted),
    ("0:memo answers without a place for its counts", NO_ROLLOUT, uncounted),
];

const MEMO: Row = Row::Wrapped(Wrapping::Memo);

/// How many calls reached the server's own functions. The question is not counted, and not answered from memory.
#[track_caller]
fn made(server: &mut Server<'_>) -> i128 {
    match server.at(&Row::Baseline(None), "count_calls", &[]) {
        Outcome::Ok(Some(Value::Integer(count))) => count,
        outcome => panic!("{outcome}"),
    }
}

#[track_caller]
fn echo(server: &mut Server<'_>, words: &str) {
    assert_eq!(server.at(&MEMO, "echo_text", &[text(words)]), Outcome::Ok(Some(text(words))));
}

fn repeated(mut server: Server<'_>) {
    server.spawn(&[]);
    let texts = |texts: &[&str]| Value::List(texts.iter().map(|it| text(*it)).collect());
    let optional = |value: Option<Value>| Value::Optional(value.map(Box::new));
    let point = |x: f64, y: f64| Value::Record(vec![Value::F64(x), Value::F64(y)]);
    // Many are alike but for the function, or but for the bounds between parts.
    let echoed = [
        ("echo_text", text("")),
        ("echo_text", text("a")),
        ("echo_text", text("b")),
        ("echo_owned_text", text("a")),
        ("echo_texts", texts(&[])),
        ("echo_texts", texts(&["ab", ""])),
        ("echo_texts", texts(&["a", "b"])),
        ("echo_option_text", optional(None)),
        ("echo_option_text", optional(Some(text("")))),
        ("echo_point", point(f64::NAN, 0.0)),
        ("echo_point", point(f64::NAN, -0.0)),
    ];
    for _ in 0..3 {
        for (name, argument) in &echoed {
            let found = server.at(&MEMO, name, slice::from_ref(argument));
            assert_eq!(found, Outcome::Ok(Some(argument.clone())), "{name}");
        }
        assert_eq!(server.at(&MEMO, "do_nothing", &[]), Outcome::Ok(None));
        assert_eq!(made(&mut server), echoed.len() as i128 + 1);
    }
    assert_eq!(server.close(&MEMO).get("tier"), "0:memo");
}

fn errors(mut server: Server<'_>) {
    server.spawn(&[]);
    for calls in 1..=3 {
        assert_eq!(server.at(&MEMO, "fail", &[text("no")]), Outcome::Error("no".to_owned()));
        assert_eq!(made(&mut server), calls);
    }
}

fn longest(mut server: Server<'_>) {
    server.spawn(&[("TIERUP_MEMO_ENTRIES", "3")]);
    // "d" takes the place of "b", as "a" was asked for again.
    for (words, calls) in [("a", 1), ("b", 2), ("c", 3), ("a", 3), ("d", 4), ("a", 4), ("c", 4), ("d", 4), ("b", 5)] {
        echo(&mut server, words);
        assert_eq!(made(&mut server), calls, "{words}");
    }
}

fn bytes(mut server: Server<'_>) {
    server.spawn(&[("TIERUP_MEMO_BYTES", "10000")]);
    // An answer that is too large takes no other's place.
    let large = "x".repeat(10_000);
    for (words, calls) in [("small", 1), (&*large, 2), (&*large, 3), ("small", 3)] {
        echo(&mut server, words);
        assert_eq!(made(&mut server), calls, "{words:.9}");
    }
    let words: Vec<_> = (0..20).map(|number| format!("{number:1000}")).collect();
    words.iter().for_each(|words| echo(&mut server, words));
    for (number, calls) in [(19, 23), (0, 24)] {
        echo(&mut server, &words[number]);
        assert_eq!(made(&mut server), calls, "{number}");
    }
}

fn numbers(mut server: Server<'_>) {
    for (name, value) in [("TIERUP_MEMO_ENTRIES", "none"), ("TIERUP_MEMO_ENTRIES", "0"), ("TIERUP_MEMO_BYTES", "1.5")] {
        server.spawn(&[(name, value)]);
        let found = server.at(&MEMO, "echo_text", &[text("x")]);
        let Outcome::Lost(words) = found else { panic!("{name}={value}: {found}") };
        let is_told =
            words.contains(&format!("{name} must be a whole number")) && words.contains(&format!("`{value}`"));
        assert!(is_told, "{words}");
    }
}

fn counted(mut server: Server<'_>) {
    let folder = tempfile::tempdir().unwrap();
    server.spawn(&[("TIERUP_MEMO_COUNTS", folder.path().to_str().unwrap()), ("TIERUP_MEMO_ENTRIES", "10")]);
    echo(&mut server, "first");
    let calls: Vec<_> = (0..300).map(|number| ("echo_text", vec![text((number * 7 % 30).to_string())])).collect();
    for (found, (_, arguments)) in server.together(&MEMO, &calls).into_iter().zip(&calls) {
        assert_eq!(found, Outcome::Ok(Some(arguments[0].clone())));
    }
    let mut asked = 1 + calls.len() as i128;
    server.until("all calls are counted", |server| {
        let hits = asked - made(server);
        if let Some([counted, found, entries, bytes]) = counts(folder.path())
            && counted == asked
        {
            assert_eq!([found, entries], [hits, 10]);
            assert!(bytes > 10 * 100, "{bytes}");
            return true;
        }
        // Some packages write the counts with a call, ten times a second.
        echo(server, "last");
        asked += 1;
        false
    });
}

/// The calls, hits, entries and bytes in the only file of the folder; `None` if nothing is written yet.
fn counts(folder: &Path) -> Option<[i128; 4]> {
    let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() <= 1, "{files:?}");
    let line = fs::read_to_string(files.first()?).unwrap();
    // So that a reader never sees a part of a number.
    assert!(line.is_empty() || line.len() == 96 && line.ends_with('\n'), "{line:?}");
    line.split_whitespace().map(|number| number.parse().unwrap()).collect::<Vec<_>>().try_into().ok()
}

fn uncounted(mut server: Server<'_>) {
    let folder = tempfile::tempdir().unwrap();
    server.spawn(&[("TIERUP_MEMO_COUNTS", folder.path().join("missing").to_str().unwrap())]);
    for _ in 0..2 {
        echo(&mut server, "x");
        assert_eq!(made(&mut server), 1);
    }
}
