//! Evidence of rollouts inside processes: counts are added up once, and kept calls are judged by the project's rules.

use expect_test::{Expect, expect};
use tempfile::TempDir;
use tierup_codegen::abi;
use tierup_diagnostic::Exit;
use tierup_project::Loaded;
use tierup_report::{
    Exporter as _, Text,
    text::{Colour, Style},
};

use super::project;
use crate::Inside;

const CLOSE: &str =
    r#"{"function":1,"arguments":"AAAAAAAA8D8AAAAA","control":"AAAAAAAAAOA/","candidate":"AIUDAAAAAOA/"}"#;
const DIFFERS: &str = r#"{"function":0,"arguments":"AQAAAEE=","control":"AAEAAABh","candidate":"AAEAAABB"}"#;

fn rules() -> (TempDir, Loaded) {
    project("[\"echo\", \"pair\"]", "[check]\ncompare = \"json\"\ntolerance = 1e-9\n")
}

/// A file of a process: what was compared, what the process counted, and calls that it kept.
fn file(loaded: &Loaded, name: &str, compared: &str, host: &str, kept: &[&str]) -> (String, String) {
    let hash = abi::hash_text(&loaded.project.interface);
    let host = format!(r#"{{"machine":"a","began":1,"candidate":"3:native",{host}}}"#);
    (name.to_owned(), format!("{{\"abi\":\"{hash}\",{compared},\"host\":{host}}}\n{}\n", kept.join("\n")))
}

fn check(inside: &Inside, expected: Expect) {
    let text = Text(Style { width: None, colour: Colour::Plain }).export(inside);
    let verdict =
        inside.verdict().map_or_else(|failure| format!("{:?}: {failure}", failure.exit()), |()| "alike".into());
    expected.assert_eq(&format!("{text}{verdict}"));
}

#[test]
fn what_the_rules_find_alike_does_not_count_as_different() {
    let (_folder, loaded) = rules();
    let counts = r#""compared":90,"alike":89,"different":1"#;
    let host = r#""process":7,"calls":1000,"sampled":90"#;
    let inside = Inside::read(&[file(&loaded, "1", counts, host, &[CLOSE])], 0, &loaded);
    check(
        &inside,
        expect![[r#"
        1,000 calls in 1 process; the candidate: 3:native
        shadow: 90 sampled, 90 compared, 90 alike, 0 different (0 panics, 0 time-outs, 0 deaths)
        alike"#]],
    );
    assert_eq!(inside.files["1"]["alike"], 1, "a judge tells it apart by its file");
}

#[test]
fn a_call_that_differs_is_shown_once_with_how_often() {
    let (_folder, loaded) = rules();
    let lost = r#"{"function":0,"arguments":"AQAAAEI=","control":"AAEAAABi","unanswered":"no answer within 10 s"}"#;
    let counts = r#""compared":3,"alike":0,"different":3"#;
    let files = [file(&loaded, "1", counts, r#""process":7,"calls":3,"sampled":3"#, &[DIFFERS, lost, DIFFERS])];
    check(
        &Inside::read(&files, 0, &loaded),
        expect![[r#"
        3 calls in 1 process; the candidate: 3:native
        shadow: 3 sampled, 3 compared, 0 alike, 3 different (0 panics, 0 time-outs, 0 deaths)

        1. echo("A") (2 times)
           line 1: "A" instead of "a" (neither body was compared as JSON: 'a' instead of a value at byte 0)

        2. echo("B")
           no answer: no answer within 10 s
        No: error: not alike: the candidate"#]],
    );
}

#[test]
fn a_process_with_several_files_is_counted_once() {
    let (_folder, loaded) = rules();
    let counts = r#""compared":10,"alike":10"#;
    let files = [
        file(&loaded, "1", counts, r#""process":7,"calls":100,"sampled":10"#, &[]),
        file(&loaded, "2", counts, r#""process":7,"calls":250,"sampled":20"#, &[]),
        file(&loaded, "3", counts, r#""process":8,"calls":1,"sampled":1"#, &[]),
    ];
    let inside = Inside::read(&files, 0, &loaded);
    assert_eq!((inside.processes, inside.calls["calls"], inside.compared["compared"]), (2, 251, 30));
}

#[test]
fn what_cannot_be_read_is_said() {
    let (_folder, loaded) = rules();
    let counts = r#""compared":1,"alike":1"#;
    let good = file(&loaded, "1", counts, r#""process":7,"calls":1"#, &["{\"function\":0,\"argum", CLOSE]);
    let other = ("2".to_owned(), good.1.replacen("\"abi\":\"", "\"abi\":\"0", 1));
    let inside = Inside::read(&[good, other, ("3".to_owned(), "{\"abi\"".to_owned())], 0, &loaded);
    assert_eq!(inside.unread.iter().collect::<Vec<_>>(), ["2", "3"]);
    assert_eq!(inside.notes, ["1 file of another interface left out", "2 lines of evidence cannot be read"]);
    assert_eq!(inside.compared["different"], 1, "a call that was kept is counted");
}

#[test]
fn only_what_was_compared_and_found_alike_is_a_yes() {
    let (_folder, loaded) = rules();
    let exit = |compared: &str, host: &str, deaths| {
        let files = [file(&loaded, "1", compared, host, &[])];
        Inside::read(&files, deaths, &loaded).verdict().map_or_else(|failure| failure.exit(), |()| Exit::Done)
    };
    let (some, none) = (r#""compared":9,"alike":9"#, r#""compared":0"#);
    assert_eq!(exit(some, r#""process":7"#, 0), Exit::Done);
    assert_eq!(exit(none, r#""process":7"#, 0), Exit::Failed, "nothing to tell by");
    assert_eq!(exit(none, r#""process":7,"shared":3"#, 0), Exit::Done);
    assert_eq!(exit(some, r#""process":7"#, 1), Exit::No, "a death");
    assert_eq!(exit(some, r#""process":7,"erred":1"#, 0), Exit::No);
    assert_eq!(exit(r#""compared":9,"different":1"#, r#""process":7"#, 0), Exit::No, "no call was kept");
}
