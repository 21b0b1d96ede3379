//! `tierup shadow report --inside`: evidence of processes, judged by the project's rules.

use std::{fs, path::Path};

use expect_test::expect;
use tierup_codegen::abi;

use crate::{MANIFEST, run, write};

const SOURCE: &str = "pub fn slug(text: &str) -> Result<String, String> { Ok(text.into()) }\n\
    pub fn half(value: f64) -> f64 { value / 2.0 }\n";
const SETTINGS: &str = "[function]\ncrate = \".\"\nexport = [\"slug\", \"half\"]\npure = true\n\
    [host.node]\nstart = [\"node\", \"server.js\"]\n[check]\ncompare = \"json\"\ntolerance = 1e-9\n";

/// Writes a process's evidence file: its counts, and the kept calls.
fn evidence(folder: &Path, name: &str, counts: &str, host: &str, lines: &[&str]) {
    let loaded = tierup_project::open(folder, &tierup::hosts::all()).unwrap();
    let hash = abi::hash_text(&loaded.project.interface);
    let first = format!(r#"{{"abi":"{hash}",{counts},"host":{host}}}      "#);
    fs::write(folder.join("rollout.evidence").join(name), format!("{first}\n{}\n", lines.join("\n"))).unwrap();
}

#[test]
fn evidence_is_judged_by_the_projects_rules() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", SOURCE), ("node/server.js", ""), ("tierup.toml", SETTINGS)];
    write(folder, &files);
    let report = || run(folder, &["shadow", "report", "--inside", "rollout"]);
    expect![[r#"
        exit code: 3
        -- stdout
        -- stderr
        error: cannot read `rollout.evidence`: No such file or directory (os error 2)
        hint: a server writes there that runs with TIERUP_ROLLOUT and takes calls
    "#]]
    .assert_eq(&report());

    fs::create_dir(folder.join("rollout.evidence")).unwrap();
    let none = r#""compared":0,"alike":0,"different":0"#;
    evidence(folder, "0.jsonl", none, r#"{"process":7,"began":1,"machine":"a","candidate":"3:native","calls":9}"#, &[]);
    assert!(report().starts_with("exit code: 3\n"), "{}", report());

    let host = r#"{"process":7,"began":1,"machine":"a","candidate":"3:native","calls":1000,"sampled":100,"too_large":2,"dropped":1,"shared":0}"#;
    let close = r#"{"function":1,"arguments":"AAAAAAAA8D8=","control":"AAAAAAAAAOA/","candidate":"AIUDAAAAAOA/"}"#;
    let counts = r#""compared":90,"alike":89,"different":1,"panics":0,"timeouts":0,"deaths":0,"dropped":7"#;
    evidence(folder, "1.jsonl", counts, host, &[]);
    expect![[r#"
        exit code: 1
        -- stdout
        1,000 calls in 1 process; the candidate: 3:native
        shadow: 100 sampled, 90 compared, 89 alike, 1 different (0 panics, 0 time-outs, 0 deaths)
        not compared: 8 while others were under way, 2 too large
        note: 1 more differ byte by byte, and were not kept
        -- stderr
        error: not alike byte by byte, and no call was kept to be judged by the project's rules
        hint: `keep=values` in the control file keeps calls that differ, with all their values
    "#]]
    .assert_eq(&report());
    evidence(folder, "1.jsonl", counts, host, &[close]);
    // This file belongs to another interface.
    let other =
        fs::read_to_string(folder.join("rollout.evidence/1.jsonl")).unwrap().replacen(r#""abi":""#, r#""abi":"0"#, 1);
    fs::write(folder.join("rollout.evidence/2.jsonl"), other).unwrap();
    // This is the process of the first file, with later counts.
    expect![[r#"
        exit code: 0
        -- stdout
        1,000 calls in 1 process; the candidate: 3:native
        shadow: 100 sampled, 90 compared, 90 alike, 0 different (0 panics, 0 time-outs, 0 deaths)
        not compared: 8 while others were under way, 2 too large
        note: 1 file of another interface left out
        -- stderr
    "#]]
    .assert_eq(&report());

    let differs = r#"{"function":0,"arguments":"AQAAAEE=","control":"AAEAAABh","candidate":"AAEAAABB"}"#;
    let lines = [
        differs,
        differs,
        r#"{"function":0,"arguments":"BAAAAGhhbmc=","control":"AAQAAABoYW5n","unanswered":"no answer within 10 s"}"#,
        r#"{"function":0,"arguments":"AQAAAHA=","control":"AQkAAABvd24gd29yZHM=","candidate":"AhoAAABvaCwgYXQgc2x1Zy9zcmMvbGliLnJzOjE6MQ=="}"#,
        r#"{"function":0,"argum"#,
    ];
    let host = r#"{"process":8,"began":1,"machine":"a","candidate":"3:native","calls":20,"sampled":6,"shared":14,"panics":1,"errors":1,"refused":2,"refusal":"slug: text: expected a string, got 7"}"#;
    let counts = r#""compared":6,"alike":1,"different":5,"panics":1,"timeouts":1,"deaths":0,"dropped":0"#;
    evidence(folder, "3.jsonl", counts, host, &lines);
    fs::write(folder.join("rollout.evidence/9.died"), "1 3:native\n").unwrap();
    expect![[r#"
        exit code: 1
        -- stdout
        1,020 calls in 2 processes; the candidate: 3:native
        shadow: 106 sampled, 96 compared, 91 alike, 5 different (1 panic, 1 time-out, 0 deaths)
        not compared: 8 while others were under way, 2 too large
        2 calls had arguments that the candidate refuses: slug: text: expected a string, got 7
        share: 14 calls for the candidate; the control answered 2 of them (1 error, 1 panic, 0 time-outs, 0 lost)
        processes that ended in a call of the candidate: 1

        1. slug("A") (2 times)
           line 1: "A" instead of "a" (neither body was compared as JSON: 'a' instead of a value at byte 0)

        2. slug("p")
           outcome: panic: oh, at slug/src/lib.rs:1:1 instead of error: own words

        3. slug("hang")
           no answer: no answer within 10 s
        note: 1 more differ byte by byte, and were not kept
        note: 1 file of another interface left out
        note: 1 line of evidence cannot be read
        -- stderr
        error: not alike: the candidate
    "#]]
    .assert_eq(&report());
    let json = run(folder, &["shadow", "report", "--inside", "rollout.evidence", "--json"]);
    assert!(json.contains("\"different\": 6") && json.contains("\"call\": \"slug(\\\"hang\\\")\""), "{json}");

    let keep = || run(folder, &["shadow", "report", "--inside", "rollout", "--keep-cases"]);
    let said = keep();
    assert!(said.matches("\nkept: corpus/slug/").count() == 3 && said.contains("read them before"), "{said}");
    let kept = fs::read_dir(folder.join("corpus/slug")).unwrap();
    let mut kept: Vec<_> = kept.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    kept.sort();
    assert_eq!(kept, ["A", "hang", "p"]);
    assert!(keep().contains("\nnothing new to keep\n"), "{}", keep());
}
