//! The stated memory for comparing is an upper bound of what this process's allocator hands out, for every kind of
//! document.

mod allocations;

use std::io::Write as _;

use flate2::{Compression, write::GzEncoder};
use tierup_parity::{
    Answer, Comparator, DuplicateKeys, Finding, JsonRules, Numbers, Observation, Policy, Seen, TextRules, Tolerance,
    compare, decode, decoding, json, memory_of,
};

use self::allocations::{Taken, taken};

fn answer(body: String) -> Observation {
    Observation::new(Seen::Answer(Answer { status: 200, body: body.into(), ..Answer::default() }))
}

fn policies() -> Vec<Policy> {
    let path = |text: &str| text.parse().expect("a path");
    let tolerance = Some(Tolerance { absolute: 0.1, relative: 0.0 });
    let rules = [
        JsonRules::default(),
        JsonRules { duplicate_keys: DuplicateKeys::Last, numbers: Numbers::Value, ..JsonRules::default() },
        JsonRules { unordered: vec![path("$"), path("$.*"), path("$[*]")], ..JsonRules::default() },
        JsonRules { unordered: vec![path("$"), path("$[*].x")], tolerance, ..JsonRules::default() },
    ];
    let bodies = rules.map(Comparator::Json).into_iter();
    let bodies = bodies.chain([Comparator::Text(TextRules::default()), Comparator::Exact]);
    bodies.map(|bodies| Policy { bodies, ..Policy::default() }).collect()
}

/// Documents of some 20 to 60 KB that differ in `end`.
fn documents(end: &str) -> Vec<(&'static str, String)> {
    let list = |item: &str, count| format!("[{}{end}]", format!("{item},").repeat(count));
    let numbered = |count: usize, item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let long = "k".repeat(20_000);
    vec![
        ("small numbers", list("0", 10_000)),
        ("other numbers", format!("[{}]", format!("{end},").repeat(5000) + "0")),
        ("floats", format!("[{}]", numbered(100, &|number| format!("{number}.{end}")))),
        ("empty arrays", list("[]", 10_000)),
        ("arrays of one", list("[0]", 5000)),
        ("deep", format!("[{}{end}{}]", "[".repeat(500), "]".repeat(500))),
        ("deep, again and again", list(&format!("{}{}", "[".repeat(400), "]".repeat(400)), 5)),
        ("members", format!("{{{},\"x\":{end}}}", numbered(6000, &|number| format!("\"{number}\":0")))),
        ("the same member", format!("{{{}\"\":{end}}}", "\"\":0,".repeat(10_000))),
        ("objects of one", list(r#"{"x":[0]}"#, 3000)),
        ("long text", format!("[\"{}\",{end}]", "a".repeat(60_000))),
        ("texts that differ", format!("[\"{end}{}\"]", "\u{7f}".repeat(60_000))),
        ("escapes", format!("[\"{}\",{end}]", "\\u00e4".repeat(10_000))),
        ("short escapes", list(r#""\n""#, 5000)),
        ("a key in many places", format!("{{\"{long}\":[{}]}}", format!("{end},").repeat(600) + "0")),
        (
            "records",
            format!(
                "[{}]",
                numbered(600, &|number| {
                    format!(
                        r#"{{"id":{number},"name":"number {number}","price":1.5,"tags":["a","b"],"at":"2026-11-{end}"}}"#
                    )
                })
            ),
        ),
        ("lines", format!("{}{end}\n", "\n".repeat(60_000))),
        ("bytes that steer", format!("{end}{}", "\u{1}".repeat(60_000))),
        ("no JSON", format!("[{}{end}", ",".repeat(20_000))),
        ("no JSON in the end", format!("{}{end}", list("0", 5000))),
    ]
}

#[test]
fn the_memory_for_comparing_has_an_upper_bound() {
    // The memory for showing a difference.
    let showing = 16 << 10;
    for ((what, one), (_, other)) in documents("41").into_iter().zip(documents("52")) {
        // Texts that are not JSON take memory for their differences, but none for trees.
        let differences = memory_of(&answer(format!("-{one}")), &answer(format!("-{other}")));
        let [control, candidate] = [one, other].map(answer);
        let expected = memory_of(&control, &candidate);
        for policy in policies() {
            let (finding, Taken { most, kept }) = taken(|| compare(&control, &candidate, &policy));
            assert!(matches!(finding, Finding::Mismatch(_)), "{what}: {:?}", policy.bodies);
            assert!(kept <= differences, "{what}: {kept}");
            let (took, expected) = (most - kept, expected - differences + showing);
            assert!(took <= expected, "{what}: {took} and not {expected} bytes: {:?}", policy.bodies);
        }
    }
}

#[test]
fn equal_answers_take_nothing_and_trees_take_many_times_their_text() {
    let [small, same, text] = [answer("[0,0,0]".to_owned()), answer("[0,0,0]".to_owned()), answer("a".repeat(1000))];
    assert_eq!(memory_of(&small, &same), 0);
    let least = memory_of(&small, &text);
    let large = memory_of(&answer(format!("[{}0]", "0,".repeat(500_000))), &text) - least;
    assert!(large > 24 << 20, "{large}");
}

#[test]
fn a_text_that_is_not_json_reserves_little() {
    let commas = format!("[{}", ",".repeat(4 << 20));
    let (read, Taken { most: took, .. }) = taken(|| json::read(commas.as_bytes()));
    read.expect_err("no value comes");
    assert!(took < (2 << 20) * size_of::<json::Json<'_>>(), "{took}");
}

#[test]
fn the_memory_for_decoding_has_an_upper_bound() {
    let gzip = |text: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).and_then(|()| encoder.finish()).expect("there is room")
    };
    let coded = |coding: &str, body| {
        let headers = vec![("content-encoding".to_owned(), coding.to_owned())];
        Observation::new(Seen::Answer(Answer { status: 200, headers, body, ..Answer::default() }))
    };
    // A block that claims 16 MiB, with the largest window (RFC 7932, section 9.2), but has only 3 MiB.
    let brotli = [&[0xcf, 0xff, 0xff, 0xff][..], &vec![0; 3 << 20]].concat();
    let whole = gzip(&vec![0; 2 << 20]);
    let all =
        [("gzip", whole.clone()), ("gzip, gzip", gzip(&whole)), ("gzip", gzip(&vec![0; 8 << 20])), ("br", brotli)];
    for (coding, body) in all {
        let (mut one, mut other) = (coded(coding, body.clone()), coded("gzip", gzip(&vec![1; 2 << 20])));
        let expected = decoding(&one, &other);
        let ((), Taken { most: took, .. }) = taken(|| decode(&mut one, &mut other));
        assert!((1 << 20..=expected).contains(&took), "{coding}: {took} and not {expected} bytes");
    }
}
