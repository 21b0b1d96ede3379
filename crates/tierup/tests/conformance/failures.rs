//! How calls end in every variant of every language: with an error, a panic, an overflow of the stack, a killed process. The
//! caller learns it, and the next call is answered.

use std::{iter, thread, time::Duration};

use tierup_codegen::{Row, Variant, abi::Value};
use tierup_parity::Outcome;

use crate::{
    processes::Kind,
    server::{NO_ROLLOUT, Scenario, Server, text},
};

pub(crate) const SCENARIOS: &[Scenario] = &[
    ("an error has the function's words", NO_ROLLOUT, errors),
    ("a panic has its words and its place, and the next call is answered", NO_ROLLOUT, panics),
    ("panics among calls at once harm only themselves", NO_ROLLOUT, at_once),
    ("what the function prints does not get into its answer", NO_ROLLOUT, prints),
    ("panics leave standard error readable", NO_ROLLOUT, readable),
    ("16 MiB cross both ways", NO_ROLLOUT, large),
    ("an instance of Wasm that panicked is thrown away", NO_ROLLOUT, trapped),
    ("a stack that overflows ends a worker, and no sandbox", NO_ROLLOUT, overflows),
    ("a killed worker is replaced, and costs the call that it had", NO_ROLLOUT, killed),
];

fn ok(value: Value) -> Outcome {
    Outcome::Ok(Some(value))
}

fn number(number: i128) -> Value {
    Value::Integer(number)
}

fn errors(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows() {
        for words in ["plain", "", "ä\n\"quoted\" 😀", &"long ".repeat(2000)] {
            assert_eq!(server.at(&row, "fail", &[text(words)]), Outcome::Error(words.to_owned()), "{row}");
        }
        let refused = Outcome::Error("more than 2 is too large".to_owned());
        assert_eq!(server.at(&row, "check_limit", &[number(3), number(2)]), refused, "{row}");
        assert_eq!(server.at(&row, "check_limit", &[number(1), number(2)]), Outcome::Ok(None), "{row}");
        assert!(matches!(server.at(&row, "parse_number", &[text("x")]), Outcome::Error(_)), "{row}");
        assert_eq!(server.at(&row, "parse_number", &[text(" 12 ")]), ok(number(12)), "{row}");
    }
}

/// Whether a call panicked with these words, in a file of the function's.
fn is_panic(found: &Outcome, words: &str) -> bool {
    let Outcome::Panic(message) = found else { return false };
    let place = message.strip_prefix(words).and_then(|rest| rest.strip_prefix(", at "));
    let Some((file, line)) = place.and_then(|place| place.split_once("calls.rs:")) else { return false };
    !file.contains(char::is_whitespace) && line.split(':').filter_map(|part| part.parse::<u32>().ok()).count() == 2
}

fn panics(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows() {
        let items = || Value::List(vec![number(1), number(2)]);
        for round in 0..5 {
            for words in [format!("round {round}"), format!("round {round}").repeat(2000)] {
                let found = server.at(&row, "panic_with", &[text(&*words)]);
                assert!(is_panic(&found, &words), "{row}: {found:.300}");
            }
            let found = server.at(&row, "item", &[items(), number(7)]);
            assert!(matches!(found, Outcome::Panic(_)), "{row}: {found}");
            assert_eq!(server.at(&row, "item", &[items(), number(1)]), ok(number(2)), "{row}");
            let found = server.at(&row, "panic_if", &[Value::Bool(true), text("x")]);
            assert!(is_panic(&found, "told to panic"), "{row}: {found}");
            assert_eq!(server.at(&row, "panic_if", &[Value::Bool(false), text("x")]), ok(text("X")), "{row}");
        }
    }
}

fn at_once(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows() {
        // At 1:spawn, each call starts a process.
        let count = if is(&row, Variant::Spawn) { 50 } else { 500 };
        let is_panic = |number: usize| number.is_multiple_of(10);
        let calls = (0..count).map(|it| ("panic_if", vec![Value::Bool(is_panic(it)), text(format!("text {it}"))]));
        // A row is bound before its calls are made at the same time.
        server.at(&row, "do_nothing", &[]);
        for (it, found) in server.together(&row, &calls.collect::<Vec<_>>()).into_iter().enumerate() {
            match found {
                Outcome::Panic(_) => assert!(is_panic(it), "{row}: {it}"),
                found => assert!(!is_panic(it) && found == ok(text(format!("TEXT {it}"))), "{row}: {it}: {found}"),
            }
        }
        let panics = count / 10;
        assert_eq!(server.close(&row).counts(), format!("{} calls, {panics} panics", count + 1), "{row}");
    }
}

fn prints(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows() {
        assert_eq!(server.at(&row, "print_and_return", &[text("abc")]), ok(text("cba")), "{row}");
        let found = server.at(&row, "print_and_return", &[text("x\n".repeat(1000))]);
        assert_eq!(found, ok(text("\nx".repeat(1000))), "{row}");
    }
}

fn readable(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows() {
        server.at(&row, "do_nothing", &[]);
        // A driver may have compiled itself.
        let before = server.said();
        for _ in 0..50 {
            assert!(matches!(server.at(&row, "panic_with", &[text("words")]), Outcome::Panic(_)), "{row}");
        }
        server.close(&row);
        assert_eq!(server.said(), before, "{row}");
    }
}

fn large(mut server: Server<'_>) {
    server.spawn(&[]);
    const SIZE: usize = 16 << 20;
    let bytes = Value::Bytes(b"tierup!!".repeat(SIZE / 8));
    let words = text("x".repeat(SIZE));
    let made = Value::Bytes((0..=255).cycle().take(SIZE).collect());
    for row in server.rows() {
        let same = [
            ("echo_bytes", &bytes, &bytes),
            ("make_bytes", &number(SIZE as i128), &made),
            ("echo_text", &words, &words),
        ];
        for (name, given, expected) in same {
            let found = server.at(&row, name, std::slice::from_ref(given));
            assert!(found == ok(expected.clone()), "{row}: {name}: {found:.100}");
        }
        assert_eq!(server.at(&row, "echo_text", &[text("small again")]), ok(text("small again")), "{row}");
    }
}

fn is(row: &Row, variant: Variant) -> bool {
    matches!(row, Row::Variant(found) if *found == variant)
}

fn trapped(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows().into_iter().filter(|row| row.to_string().starts_with('2')) {
        for _ in 0..2 {
            server.at(&row, "count_calls", &[]);
        }
        assert!(matches!(server.at(&row, "panic_with", &[text("x")]), Outcome::Panic(_)), "{row}");
        assert_eq!(server.at(&row, "count_calls", &[]), ok(number(1)), "{row}: the instance still answers");
    }
}

fn overflows(mut server: Server<'_>) {
    server.spawn(&[]);
    for row in server.rows().into_iter().filter(|row| !row.to_string().starts_with('3')) {
        for _ in 0..3 {
            let found = server.at(&row, "hang_on", &[text("deeply")]);
            match &found {
                Outcome::Lost(_) => assert!(row.to_string().starts_with('1'), "{row}: {found}"),
                found => assert!(matches!(found, Outcome::Panic(_)), "{row}: {found}"),
            }
            assert_eq!(server.at(&row, "echo_text", &[text("unharmed")]), ok(text("unharmed")), "{row}");
        }
    }
}

fn killed(mut server: Server<'_>) {
    server.spawn(&[("TIERUP_WORKERS", "2")]);
    let (native, pool) = (Row::Variant(Variant::Native), Row::Variant(Variant::Pool));
    let calls: Vec<_> = (0..100).map(|seed| ("churn", vec![number(seed), number(1_000_000)])).collect();
    for row in [&native, &pool] {
        server.at(row, "do_nothing", &[]);
    }
    let right = server.together(&native, &calls);
    let processes = server.processes();
    let (found, hit) = thread::scope(|scope| {
        let made = scope.spawn(|| server.together(&pool, &calls));
        // Workers are killed until one has had a call.
        let hits = iter::from_fn(|| {
            thread::sleep(Duration::from_millis(50));
            (!made.is_finished()).then(|| processes.kill(Kind::Worker))
        });
        let hit: usize = hits.take(4).sum();
        (made.join().unwrap(), hit)
    });
    let mut lost = 0;
    for (found, right) in found.iter().zip(&right) {
        if let Outcome::Lost(words) = found {
            // The worker had ended before, during or after the write.
            let ends = ["has closed its standard input", "ended before it answered", "signal 9"];
            assert!(ends.iter().any(|end| words.contains(end)), "{words}");
            lost += 1;
        } else {
            assert_eq!(found, right);
        }
    }
    // A package may give a worker a call before it learns of its end.
    assert!(lost <= 2 * hit, "{lost} lost, {hit} killed");
    assert_eq!(server.at(&pool, "echo_text", &[text("after")]), ok(text("after")));
    let counted = server.close(&pool);
    assert_eq!([counted.get("lost"), counted.get("timeouts")], [&*lost.to_string(), "0"]);
}
