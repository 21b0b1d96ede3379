//! `tierup check --watch`: after each save, the function in Rust is compared with tier 0, until Ctrl-C.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::Stdio,
    sync::mpsc::{Receiver, channel},
    thread,
};

use serde_json::Value;

use crate::{PATIENCE, Running, interrupt, passed, tierup};

/// The inputs and identifiers of the mismatches in the next report.
#[track_caller]
fn next(reports: &Receiver<String>) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&reports.recv_timeout(PATIENCE).unwrap()).unwrap();
    let part = &report["parts"][0];
    assert_eq!(
        (&report["parts"][1], &part["control"], &part["rows"][0]["label"]),
        (&Value::Null, &"node 0".into(), &"Rust".into())
    );
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mismatches = part["mismatches"].as_array().unwrap().iter();
    mismatches.map(|mismatch| (text(&mismatch["input"]), text(&mismatch["id"]))).collect()
}

#[test]
fn a_watching_check_answers_each_save() {
    let folder = tempfile::tempdir().unwrap();
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "node"]).output().unwrap());
    let project = folder.path().join("slug");
    let mut command = tierup(&project, &["check", "--watch", "--json", "--seed", "1", "--cases", "50"]);
    let mut watching = Running(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let output = BufReader::new(watching.0.stdout.take().unwrap());
    let progress = BufReader::new(watching.0.stderr.take().unwrap());
    let (told, reports) = channel();
    thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| told.send(line)));
    let (told, notes) = channel();
    thread::spawn(move || progress.lines().map_while(Result::ok).try_for_each(|line| told.send(line)));
    let wait_for = |wanted: &str| {
        let mut seen = String::new();
        while !seen.contains(wanted) {
            seen += &notes.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{wanted}` in {seen}"));
            seen.push('\n');
        }
        seen
    };
    assert_eq!(next(&reports), []);
    wait_for("waiting for a file to change");

    // A wrong port: its smallest counterexamples, the same ones whenever it comes back.
    let library = project.join("src/lib.rs");
    let right = fs::read_to_string(&library).unwrap();
    let wrong = right.replacen("slug.push(c.to_ascii_lowercase())", "slug.push(c)", 1);
    assert_ne!(wrong, right);
    let save = |file: &Path, text: &str| fs::write(file, text).unwrap();
    save(&library, &wrong);
    let first = next(&reports);
    assert!(!first.is_empty() && first.iter().all(|(input, _)| input.len() == "slugify(\"A\")".len()), "{first:?}");
    let said = wait_for("waiting for a file to change");
    assert!(said.contains("changed: src/lib.rs") && said.contains("differs now: slugify(\""), "{said}");
    // Tier 0 keeps its answers as long as only Rust files change.
    assert!(!said.contains("calls at node 0"), "{said}");

    // What does not compile is said, and the check goes on.
    save(&library, &right.replacen("slug.pop();", "slug.pop(1);", 1));
    let said = wait_for("waiting for a file to change");
    assert!(said.contains("this method takes 0 arguments"), "{said}");

    save(&library, &right);
    assert_eq!(next(&reports), []);
    let said = wait_for("waiting for a file to change");
    assert!(said.contains("no longer differs: slugify(\""), "{said}");
    save(&library, &wrong);
    assert_eq!(next(&reports), first);
    wait_for("waiting for a file to change");

    // Another baseline is asked anew.
    save(&library, &right);
    assert_eq!(next(&reports), []);
    wait_for("waiting for a file to change");
    let baseline = project.join("node/baseline.js");
    let text = fs::read_to_string(&baseline).unwrap();
    save(&baseline, &text.replacen("'-'", "'_'", 1));
    assert!(!next(&reports).is_empty());
    let said = wait_for("waiting for a file to change");
    assert!(said.contains("calls at node 0, twice"), "{said}");

    interrupt(&watching.0);
    assert_eq!(watching.0.wait().unwrap().code(), Some(0));
}
