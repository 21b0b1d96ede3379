//! Reports: which mismatches are shown, the verdict on each row, and the text.

use std::collections::BTreeSet;

use expect_test::expect;
use tierup_parity::{Difference, Differences, Finding, Place, Verdict};
use tierup_report::{
    Exporter as _, Html, Json, Text,
    text::{Colour, Style},
};

use crate::{
    Answered, Argument, Counterexample, Detail, FORMAT, Mismatch, NoiseReport, Part, Report, RowReport,
    found::{Found, Shown, grouped},
    report::header_reports,
};

/// Seven differences of two bodies, and three more that the list leaves out.
fn differences() -> Detail {
    let line = |number| Difference {
        place: Place::Line(number),
        control: Some(format!("line {number}")),
        candidate: None,
        note: None,
    };
    Detail::Differences(Differences { list: (1..8).map(line).collect(), left_out: 3, of_places: 0 })
}

fn error(why: &str) -> Finding {
    Finding::Error(why.to_owned())
}

fn row(label: &str, findings: Vec<Finding>, trouble: Option<&str>) -> Found {
    let trouble = trouble.map(|what| (what.to_owned(), vec!["its last line".to_owned()]));
    let (seen, headers) = (Vec::new(), BTreeSet::new());
    Found { label: label.to_owned(), seen, findings, effects: None, headers, trouble }
}

#[test]
fn rows_that_fail_alike_are_one_mismatch_and_larger_ones_of_a_kind_are_counted() {
    let found = [
        row("a", vec![Finding::Same, error("gone"), error("gone"), error("gone")], None),
        row("b", vec![error("late"), error("gone"), error("gone"), Finding::Skipped("why".to_owned())], None),
        row("c", vec![error("gone"), error("gone"), error("gone"), error("gone")], Some("it ended 6 times")),
    ];
    let sizes = [9, 3, 7, 1];
    let kinds = ["query", "body", "body", "body"];
    let shown = |kind: bool| {
        let shown = grouped(&found, |index| Shown { size: sizes[index], kind: kind.then_some(kinds[index]) });
        shown.into_iter().map(|one| (one.index, one.rows, one.alike)).collect::<Vec<_>>()
    };
    assert_eq!(shown(false), [(3, vec![0], 0), (1, vec![0, 1], 0), (2, vec![0, 1], 0), (0, vec![1], 0)]);
    // The inputs 1 and 2 have one kind, and fail alike at the same rows, so only the smaller one is shown.
    assert_eq!(shown(true), [(3, vec![0], 0), (1, vec![0, 1], 1), (0, vec![1], 0)]);
}

#[test]
fn a_row_is_as_good_as_its_worst_finding() {
    let verdict = |findings: &[Finding]| RowReport::new("row".to_owned(), findings, None).verdict;
    let skipped = Finding::Skipped("why".to_owned());
    assert_eq!(verdict(&[Finding::Same, skipped.clone()]), Verdict::Alike);
    assert_eq!(verdict(&[Finding::Same, error("gone")]), Verdict::Failed);
    assert_eq!(verdict(&[skipped]), Verdict::NothingCompared);
    assert_eq!(verdict(&[]), Verdict::NothingCompared);
    let same = || RowReport::new("row".to_owned(), &[Finding::Same], None);
    assert_eq!(same().with_effects(Some("a call too many".to_owned())).verdict, Verdict::Differs);
    assert_eq!(same().with_effects(None).with_only_errors(true).verdict, Verdict::OnlyErrors);
    let failed = RowReport::new("row".to_owned(), &[error("gone")], None);
    assert_eq!(failed.with_only_errors(true).verdict, Verdict::Failed, "the worse of two");
}

#[test]
fn a_header_lists_the_rows_at_which_it_differs() {
    let [one, other] =
        [&["ETag", "X-Id"][..], &["ETag"]].map(|names| names.iter().map(|name| name.to_string()).collect());
    let reports = header_reports([("a", &one), ("b", &other)]);
    let said: Vec<String> = reports.iter().map(|one| format!("{}: {}", one.header, one.rows.join(" "))).collect();
    assert_eq!(said, ["ETag: a b", "X-Id: a"]);
}

fn counterexample() -> Counterexample {
    let answered = |text: &str| Answered { outcome: "error", value: None, text: Some(text.to_owned()), status: None };
    Counterexample {
        id: "0123456789abcdef".to_owned(),
        function: Some("shout".to_owned()),
        arguments: vec![Argument { name: "text".to_owned(), value: Some("x".into()), bytes: 3 }],
        expected: answered("one"),
        got: answered("other"),
        first_difference: None,
    }
}

fn report() -> Report {
    let shown = Mismatch {
        rows: vec!["node 2:core".to_owned(), "node 3:native".to_owned()],
        alike: 2,
        input: "shout(\"x\")".to_owned(),
        size: 5,
        origin: "random case 3 of seed 7, made smaller".to_owned(),
        detail: differences(),
        diff: (0..20).map(|line| format!("-line {line}\n")).collect(),
        again: "tierup check . --case x.txt".to_owned(),
        is_noise: true,
        counterexample: counterexample(),
    };
    let rows = vec![
        RowReport::new("node 2:core".to_owned(), &[Finding::Same, Finding::Skipped("too large".to_owned())], None),
        RowReport::new("node 3:native".to_owned(), &[Finding::Same, error("gone")], None),
        RowReport::new(
            "node 4:server".to_owned(),
            &[],
            Some(("it ended".to_owned(), vec!["its last line".to_owned()])),
        ),
    ];
    let part = Part {
        what: "functions",
        control: "node 0".to_owned(),
        seconds: 1.2,
        inputs: vec![("edge values".to_owned(), 2), ("random".to_owned(), 0)],
        statuses: Vec::new(),
        only_errors: false,
        headers: Vec::new(),
        rows,
        left_out: vec![("node 1:pool".to_owned(), "there is no pool".to_owned())],
        noise: NoiseReport { inputs: 1, example: Some("shout(\"t\")".to_owned()), ..NoiseReport::default() },
        coverage: Vec::new(),
        mismatches: vec![shown],
        not_shown: 4,
    };
    let title = "shop".to_owned();
    let command = "tierup check".to_owned();
    Report {
        format: FORMAT,
        title,
        command,
        seed: 7,
        seconds: 1.4,
        parts: vec![part],
        notes: vec!["a note".to_owned()],
    }
}

#[test]
fn a_report_says_what_was_compared_skipped_left_out_and_found() {
    let text = Text(Style { width: None, colour: Colour::Plain }).export(&report());
    expect![[r#"
        functions, compared with node 0: 2 inputs (2 edge values)

        row            same  mismatch  error  skipped
        node 2:core    1     0         0      1        alike
        node 3:native  1     0         1      0        FAILED
        node 4:server  0     0         0      0        NOTHING COMPARED
        node 2:core: 1 skipped: too large
        node 4:server: it ended
            | its last line
        node 1:pool was skipped: there is no pool

        noise: node 0 answers differently when asked again, or not at all, for 1 inputs, e.g. shout("t")

        1. node 2:core, node 3:native (random case 3 of seed 7, made smaller), and 2 more like it
           shout("x")
           line 1: nothing instead of line 1
           line 2: nothing instead of line 2
           line 3: nothing instead of line 3
           line 4: nothing instead of line 4
           line 5: nothing instead of line 5
           and 5 more differences
           the control's own answers also differ here: see noise
             -line 0
             -line 1
             -line 2
             -line 3
             -line 4
             -line 5
             -line 6
             -line 7
             -line 8
             -line 9
             -line 10
             -line 11
             -line 12
             -line 13
             -line 14
             -line 15
             and 4 more lines
           again: tierup check . --case x.txt

        4 more are not shown (--show N shows N)

        note: a note

        not compared in full: node 3:native; not compared at all: node 4:server (2 comparisons in 1 s, seed 7)
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_a_server_answers_neither_steers_a_terminal_nor_runs_in_a_page() {
    let hostile = || "</pre><script>alert(1)</script>\u{1b}]0;mine\u{7}\n\ta line".to_owned();
    let mut report = report();
    (report.title, report.command, report.notes) = (hostile(), hostile(), vec![hostile()]);
    let part = &mut report.parts[0];
    (part.control, part.left_out, part.noise.example) = (hostile(), vec![(hostile(), hostile())], Some(hostile()));
    part.rows = vec![RowReport::new(hostile(), &[Finding::Same], Some((hostile(), vec![hostile()])))];
    let shown = &mut part.mismatches[0];
    (shown.rows, shown.input, shown.origin, shown.diff) = (vec![hostile()], hostile(), hostile(), hostile());
    shown.detail = Detail::Error(hostile());
    let page = Html.export(&report);
    assert!(!page.contains("<script>alert") && !page.contains('\u{1b}') && page.contains("Differences"), "{page}");
    let text = Text(Style { width: None, colour: Colour::Plain }).export(&report);
    assert!(!text.contains(['\u{1b}', '\u{7}']), "{text}");
    assert!(text.contains("\u{fffd}]0;mine\u{fffd}\n\ta line"), "{text}");
}

#[test]
fn json_has_what_scripts_read() {
    let json: serde_json::Value = serde_json::from_str(&Json.export(&report())).unwrap();
    let part = &json["parts"][0];
    let detail = &part["mismatches"][0]["detail"]["differences"];
    let fields =
        [&part["what"], &part["rows"][1]["verdict"], &detail["list"][0], &detail["left_out"], &part["left_out"]];
    expect![[r#"
        "functions"
        "failed"
        {"candidate":null,"control":"line 1","place":{"at":1,"kind":"line"}}
        3
        [["node 1:pool","there is no pool"]]"#]]
    .assert_eq(&fields.map(ToString::to_string).join("\n"));
    // Empty fields are left out.
    assert!(part.get("statuses").is_none() && part["rows"][0].get("trouble").is_none(), "{part}");
}

#[test]
fn a_report_is_clean_where_something_was_compared_and_every_row_is_alike() {
    let of = |findings: &[&[Finding]]| {
        let rows = findings.iter().map(|findings| RowReport::new("row".to_owned(), findings, None)).collect();
        let report = report();
        let part = Part { rows, ..report.parts[0].clone() };
        let report = Report { parts: vec![part], ..report };
        (report.compared(), report.is_clean())
    };
    assert_eq!(of(&[&[Finding::Same], &[Finding::Same]]), (true, true));
    assert_eq!(of(&[&[Finding::Same], &[error("gone")]]), (true, false));
    assert_eq!(of(&[&[Finding::Same], &[]]), (true, false), "one row was not compared at all");
    assert_eq!(of(&[&[error("gone")]]), (false, false));
    assert_eq!(of(&[]), (false, false));
}
