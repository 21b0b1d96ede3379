//! `tierup bench --in-process` of a new project: every row of every variant, and an interrupt.

use std::{fs, path::Path, process::Stdio};

use serde_json::Value;

use crate::{interrupt, passed, tierup, wait};

pub(crate) fn calls_are_timed(project: &Path) {
    let out = passed(
        "bench --in-process",
        &tierup(project, &["bench", "--in-process", "--quick", "--json", "--seed", "1"]).output().unwrap(),
    );
    let record: Value = serde_json::from_str(&out).unwrap();
    let labels: Vec<&str> =
        record["rows"].as_array().unwrap().iter().map(|row| row["label"].as_str().unwrap()).collect();
    let variants = ["1:spawn", "1:pool", "2:bindgen", "2:core", "2:component", "3:native", "3:async"];
    assert_eq!(labels[..2], ["rust", "0"]);
    assert_eq!(labels[2..], variants);
    assert_eq!(record["functions"][0]["name"], "slugify");
    let figures = record["figures"]["functions"][0]["rows"].as_array().unwrap();
    for (label, row) in labels.iter().zip(figures) {
        let seconds = row["seconds"]["value"].as_f64();
        assert!(seconds.is_some_and(|seconds| seconds > 0.0), "{label}: {row}");
        assert_eq!(row["blocks"].as_array().unwrap().len(), 3, "{label}: {row}");
        assert_eq!(row["over_alone"].is_null(), *label == "rust", "{label}: {row}");
        assert_eq!(row["of_reference"].is_null(), matches!(*label, "rust" | "0"), "{label}: {row}");
    }
    let report = fs::read_to_string(project.join(".tierup/bench/in-process.md")).unwrap();
    assert!(report.contains("| `3:native` |") && report.contains("Calls are made one at a time"), "{report}");
    interrupted(project);
}

/// The calls timed so far are shown, and no process is left.
fn interrupted(project: &Path) {
    let report = project.join(".tierup/bench/in-process.json");
    fs::remove_file(&report).unwrap();
    let mut bench = tierup(project, &["bench", "--in-process", "--tiers", "0,3:native", "--blocks", "100"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    wait("a block is over", || report.exists());
    interrupt(&bench);
    assert_eq!(bench.wait().unwrap().code(), Some(130));
    let mut out = String::new();
    std::io::Read::read_to_string(&mut bench.stdout.take().unwrap(), &mut out).unwrap();
    assert!(out.contains("interrupted: the figures contain only what was timed before"), "{out}");
    assert!(out.contains("3:native"), "{out}");
}
