//! The reader never panics, and its problems never point outside the text.

#![expect(clippy::unwrap_used, reason = "this is a test")]

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use tierup_diagnostic::Diagnostic;
use tierup_requests::{Context, Moment, Recording, Templates};

const NOW: Moment = Moment { unix_milliseconds: 1_795_251_845_678, utc_offset_minutes: -90 };

/// Pieces of both formats, so that random texts reach deep into the reader.
const FRAGMENTS: [&str; 48] = [
    "###", "### Title", "\n", "\n", "\r\n", "\n\n", "GET ", "POST ", "http://", "127.0.0.1:3000", "/path", "?a=b",
    "  &c=d", " HTTP/1.1", "@name", " = ", "{{", "}}", "name", "$guid", "$randomInt 1 9", "$datetime 'YYYY'",
    "$random.float(", ")", "%", "Content-Type: ", "multipart/form-data", "application/x-www-form-urlencoded",
    "Authorization: Basic ", "< ./a", "<@ ./a", "> {%", "%}", "<> x", "# @name x", "//", "\u{feff}", "\0", "é", "🦀",
    "\\", "\t", " ", ":", "[", "]", "#", "&",
];

fn fragments() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(FRAGMENTS.as_slice()), 0..40).prop_map(|parts| parts.concat())
}

/// A text with a few pieces cut out or put in.
fn mutated(text: String) -> impl Strategy<Value = String> {
    let change = (any::<prop::sample::Index>(), 0usize..30, prop::sample::select(FRAGMENTS.as_slice()));
    prop::collection::vec(change, 1..6).prop_map(move |changes| {
        changes.into_iter().fold(text.clone(), |mut text, (index, length, fragment)| {
            let start = text.floor_char_boundary(index.index(text.len() + 1));
            let end = text.ceil_char_boundary((start + length).min(text.len()));
            text.replace_range(start..end, fragment);
            text
        })
    })
}

fn file(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn http(text: &str) {
    let files = |path: &str| Ok(format!("{{{{name}}}} {path}").into_bytes());
    let context = Context { files: &files, ..Context::new(NOW) };
    let set = Templates::parse("a.http", text).and_then(|templates| templates.expand(20, 1, &context));
    match set {
        Ok(set) => {
            assert!(set.order.iter().all(|index| (*index as usize) < set.requests.len()));
            for request in &set.requests {
                assert!(request.target.bytes().all(|byte| (0x21..=0x7e).contains(&byte)), "{:?}", request.target);
                assert!(request.target.starts_with('/') || request.target == "*", "{:?}", request.target);
                assert!(request.headers.iter().all(|(_, value)| !value.contains(['\r', '\n', '\0'])));
            }
        }
        Err(problems) => sane(&problems),
    }
}

fn har(text: &str) {
    if let Err(problems) = Recording::parse("a.har", text, None) {
        sane(&problems);
    }
}

fn sane(problems: &[Diagnostic]) {
    assert!(!problems.is_empty());
    for problem in problems {
        if let Some(place) = &problem.place {
            assert!(place.source_line.get(place.range.clone()).is_some(), "{place:?}");
            assert!(place.source_line.len() < 1000 && place.line > 0 && place.column > 0);
        }
        assert!(problem.to_string().starts_with("error: "));
        assert!(problem.message.len() < 1000, "{}", problem.message);
    }
}

proptest! {
    #[test]
    fn any_text(text in any::<String>()) {
        http(&text);
        har(&text);
    }

    #[test]
    fn texts_of_fragments(text in fragments()) {
        http(&text);
    }

    #[test]
    fn changed_requests(text in mutated(file("tests/cases/variables.http"))) {
        http(&text);
    }

    #[test]
    fn changed_cases(text in mutated(file("tests/cases/bodies.http"))) {
        http(&text);
    }

    #[test]
    fn changed_recordings(text in mutated(file("tests/cases/recording.har"))) {
        har(&text);
    }
}

#[test]
fn line_ends_make_no_difference() {
    let text = file("tests/cases/bodies.http");
    let context = Context { files: &|_: &str| Ok(b"file".to_vec()), ..Context::new(NOW) };
    let read = |text: &str| Templates::parse("a.http", text).unwrap().expand(1, 1, &context).unwrap();
    assert_eq!(read(&text), read(&format!("\u{feff}{}", text.replace('\n', "\r\n"))));
}

#[test]
fn a_line_of_a_hundred_megabytes() {
    let text = format!("POST /a\n\n{}{{{{$guid}}}}", "x".repeat(100_000_000));
    let set = Templates::parse("a.http", &text).unwrap().expand(1, 1, &Context::new(NOW)).unwrap();
    assert_eq!(set.requests[0].body.len(), 100_000_000 + 36);
}

#[test]
fn long_lines() {
    let long = "x".repeat(1_000_000);
    http(&format!("{long}\n\n{{{{{long}"));
    http(&format!("GET /\n\n{{{{{long}}}}}"));
    http(&"{".repeat(1_000_000));
    http(&format!("GET /\n\n{}}}}}", "{{".repeat(500_000)));
    http(&format!("GET /{}", "{{a}}".repeat(100_000)));
    har(&format!("{{\"log\":\"{long}"));
}

#[test]
fn variables_that_refer_to_each_other() {
    let chain: String = (0..5000).map(|index| format!("@v{index} = {{{{v{}}}}}\n", index + 1)).collect();
    http(&format!("{chain}GET /{{{{v0}}}}"));
    let doubling: String = (0..60).map(|index| format!("@v{index} = {{{{v{0}}}}}{{{{v{0}}}}}\n", index + 1)).collect();
    http(&format!("{doubling}@v60 = xxxxxxxx\nPOST /\n\n{{{{v0}}}}"));
    http("@a = {{b}}\n@b = {{a}}\nGET /{{a}}");
}

#[test]
fn the_number_of_problems_is_limited() {
    let text = format!("GET /\n{}", "not a header\n".repeat(100_000));
    let problems = Templates::parse("a.http", &text).unwrap_err();
    assert_eq!(problems.len(), 20);
}
