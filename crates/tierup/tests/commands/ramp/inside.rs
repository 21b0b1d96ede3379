//! `tierup ramp --inside`: its control file, and its reaction to processes' counts. The tests write the evidence.

use std::{fs, path::Path, process::Stdio};

use tierup_codegen::abi;

use super::{ended, metrics, metrics_address, until};
use crate::{MANIFEST, run, tierup, write};

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = "[function]\ncrate = \".\"\nexport = [\"shout\"]\npure = true\n[host.node]\nstart = [\"node\", \"server.js\"]\n\
        [rollout]\nsteps = [\"10%\", \"99%\"]\nhold = \"1s\"\ntolerated = \"3%\"\n";
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    let files = [("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", ""), ("tierup.toml", settings)];
    write(folder.path(), &files);
    folder
}

#[test]
fn a_ramp_that_cannot_compare_any_call_does_not_begin() {
    let folder = project();
    let folder = folder.path();
    let nothing = run(folder, &["ramp", "--inside", "rollout", "--sample", "0%"]);
    assert!(nothing.starts_with("exit code: 2\n") && nothing.contains("--sample must be above 0%"), "{nothing}");
    let settings = fs::read_to_string(folder.join("tierup.toml")).unwrap();
    fs::write(folder.join("tierup.toml"), settings.replace("pure = true\n", "")).unwrap();
    let impure = run(folder, &["ramp", "--inside", "rollout"]);
    assert!(impure.starts_with("exit code: 2\n") && impure.contains("no function is declared pure"), "{impure}");
    assert!(!folder.join("rollout").exists());
}

/// Writes a process's counts.
fn count(folder: &Path, calls: u64, different: u64) {
    count_timed(folder, calls, different, 0);
}

/// The same with pairs of timed calls, in each of which the candidate takes 1.5 times as long.
fn count_timed(folder: &Path, calls: u64, different: u64, pairs: u64) {
    let loaded = tierup_project::open(folder, &tierup::hosts::all()).unwrap();
    let hash = abi::hash_text(&loaded.project.interface);
    let host = format!(
        r#"{{"process":7,"began":1,"machine":"a","candidate":"2:core","calls":{calls},"sampled":{calls},"shared":{calls},"pairs":{pairs},"ahead":0,"behind":{},"squares":{},"control_ns":{},"candidate_ns":{}}}"#,
        176_471 * pairs,
        31_142 * pairs,
        1_000 * pairs,
        1_500 * pairs
    );
    let line = format!(r#"{{"abi":"{hash}","compared":{calls},"different":{different},"host":{host}}}"#);
    fs::create_dir_all(folder.join("rollout.evidence")).unwrap();
    fs::write(folder.join("rollout.evidence/part"), line + "\n").unwrap();
    fs::rename(folder.join("rollout.evidence/part"), folder.join("rollout.evidence/7.jsonl")).unwrap();
}

fn control(folder: &Path) -> String {
    fs::read_to_string(folder.join("rollout")).unwrap_or_default()
}

#[test]
fn counts_raise_the_candidate_and_a_difference_rolls_it_back() {
    let folder = project();
    let folder = folder.path();
    // Earlier counts do not count.
    count(folder, 1_000, 50);
    let start = ["ramp", "--inside", "rollout", "--candidate", "2:core", "--by-input"];
    let first = [&start[..], &["--metrics", "127.0.0.1:0"]].concat();
    let mut judge = tierup(folder, &first).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let address = metrics_address(&mut judge);
    until("it begins", || control(folder).contains("shadow=0.01"));
    let second = run(folder, &start);
    assert!(second.starts_with("exit code: 3\n") && second.contains("another `tierup ramp` judges"), "{second}");
    count(folder, 2_000, 50);
    until("its first step", || control(folder).contains("shadow=0.011111\nshare=0.1\n"));
    assert!(
        control(folder).contains("candidate=2:core\n") && control(folder).contains("by=input\n"),
        "{}",
        control(folder)
    );
    until("metrics", || metrics(&address).contains("candidate=\"2:core\"} 0.1\n"));
    let text = metrics(&address);
    assert!(text.contains("\ntierup_inside_calls_total 1000\n"), "{text}");
    assert!(text.contains("\ntierup_inside_different_total 0\n"), "{text}");
    count(folder, 3_000, 51);
    let (code, _, said) = ended(judge);
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("error: the candidate was rolled back: 1 of 2000 compared calls is answered differently\n"),
        "{said}"
    );
    assert!(!control(folder).contains("share") && !control(folder).contains("shadow"), "{}", control(folder));
    let journal = fs::read_to_string(folder.join("rollout.ramp/decisions.jsonl")).unwrap();
    let decisions: Vec<serde_json::Value> = journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let words: Vec<_> =
        decisions.iter().map(|one| (one["decision"].as_str().unwrap(), one["weight"].as_u64().unwrap())).collect();
    assert_eq!(words, [("advance", 1000), ("roll back", 0)]);

    let again = run(folder, &start);
    assert!(
        again.starts_with("exit code: 1\n") && again.contains("error: the last ramp was rolled back: 1 of 2000"),
        "{again}"
    );
    // Removing the file ends the ramp.
    let judge = tierup(folder, &[&start[..], &["--new"]].concat()).stderr(Stdio::piped()).spawn().unwrap();
    until("another one begins", || control(folder).contains("share=0\n"));
    fs::remove_file(folder.join("rollout")).unwrap();
    let (code, _, said) = ended(judge);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("somebody else has changed or removed the control file"), "{said}");
    assert!(!folder.join("rollout").exists());
    // A restarted judge does not write it again.
    let again = run(folder, &start);
    assert!(again.starts_with("exit code: 1\n") && again.contains("error: the last ramp was stopped"), "{again}");
    let other = run(folder, &["ramp", "--inside", "rollout"]);
    assert!(other.starts_with("exit code: 2\n") && other.contains("error: the last ramp is of 2:core"), "{other}");
}

/// A judge that has begun, with earlier evidence.
fn begun(folder: &Path) -> std::process::Child {
    count(folder, 1_000, 50);
    let start = ["ramp", "--inside", "rollout", "--candidate", "2:core"];
    let judge = tierup(folder, &start).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    until("it begins", || control(folder).contains("shadow=0.01"));
    judge
}

#[test]
fn a_candidate_that_takes_longer_is_rolled_back() {
    let folder = project();
    let folder = folder.path();
    let judge = begun(folder);
    assert!(control(folder).contains("\nslower=1.05\n"), "{}", control(folder));
    count_timed(folder, 2_000, 50, 100);
    let (code, _, said) = ended(judge);
    assert_eq!(code, Some(1), "{said}");
    let words = "error: the candidate was rolled back: the candidate takes 1.50 times as long as the control in 100 pairs of calls";
    assert!(said.contains(words), "{said}");
    let report = run(folder, &["shadow", "report", "--inside", "rollout"]);
    assert!(report.contains("\ntime: the candidate took 1.50 times as long in 100 pairs of calls\n"), "{report}");
}

#[test]
fn counts_of_a_removed_file_hide_no_difference() {
    let folder = project();
    let folder = folder.path();
    let judge = begun(folder);
    fs::rename(folder.join("rollout.evidence/7.jsonl"), folder.join("7")).unwrap();
    count(folder, 3_000, 40);
    fs::rename(folder.join("rollout.evidence/7.jsonl"), folder.join("rollout.evidence/8.jsonl")).unwrap();
    let (code, _, said) = ended(judge);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("40 of 3000 compared calls are answered differently"), "{said}");
}

#[test]
fn evidence_that_cannot_be_read_takes_the_candidate_back() {
    let folder = project();
    let folder = folder.path();
    let judge = begun(folder);
    count(folder, 4_000, 50);
    until("the candidate has a share", || control(folder).contains("share=0.1"));
    // Reading it fails, for root too.
    std::os::unix::fs::symlink("/proc/self/mem", folder.join("rollout.evidence/8.jsonl")).unwrap();
    let (code, _, said) = ended(judge);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("the ramp was stopped: cannot read"), "{said}");
    assert!(!control(folder).contains("share="), "{}", control(folder));
}

#[test]
fn a_death_is_found_without_another_process_or_a_journal() {
    let folder = project();
    let folder = folder.path();
    fs::create_dir_all(folder.join("rollout.ramp")).unwrap();
    std::os::unix::fs::symlink("nowhere/journal", folder.join("rollout.ramp/decisions.jsonl")).unwrap();
    let judge = begun(folder);
    let text = control(folder);
    let ramp = text.split("generation=").nth(1).unwrap().split('\n').next().unwrap();
    let mut ended_process = std::process::Command::new("true").spawn().unwrap();
    ended_process.wait().unwrap();
    let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let name = format!("{}-1-0x1-{}.call", ended_process.id(), machine.trim());
    fs::write(folder.join("rollout.evidence").join(name), format!("1 2:core {ramp}\n")).unwrap();
    let (code, _, said) = ended(judge);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("1 process ended in a call of the candidate"), "{said}");
    let again = run(folder, &["ramp", "--inside", "rollout", "--candidate", "2:core"]);
    assert!(again.contains("error: the last ramp was rolled back: 1 process"), "{again}");
}

#[test]
fn options_for_servers_only_are_refused() {
    let folder = project();
    for more in [&["--row", "4"][..], &["--candidate", "4:server"], &["--state", "x"]] {
        let said = run(folder.path(), &[&["ramp", "--inside", "rollout"], more].concat());
        assert!(said.starts_with("exit code: 2\n"), "{said}");
    }
    let said = run(folder.path(), &["ramp", "--by-input"]);
    assert!(said.starts_with("exit code: 2\n") && said.contains("--inside <FILE>"), "{said}");
}
