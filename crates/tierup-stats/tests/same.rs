//! A server against itself, ten times for a minute on a real machine (`tierup-bench/compare/README.md`): by what
//! decides, each run finds no difference.

use serde::Deserialize;
use tierup_stats::{Better, Blocks, Confidence, Finding, Threshold, mean};

/// One row's slices of one measure in one run.
#[derive(Deserialize)]
struct Recording {
    label: String,
    blocks: Vec<Vec<f64>>,
}

/// The findings of the ten runs.
fn findings(measure: &str, better: Better) -> Vec<Finding> {
    let recordings: Vec<Recording> = serde_json::from_str(include_str!("../recordings/same.json")).expect("recordings");
    let row = |run: u32, row: u32| -> Vec<f64> {
        let label = format!("{measure}, run {run}, row {row}");
        let recording = recordings.iter().find(|recording| recording.label == label).expect(&label);
        recording.blocks.iter().map(|slices| mean(slices).expect("slices")).collect()
    };
    let finding = |run: u32| {
        let (control, candidate) = (row(run, 1), row(run, 2));
        let ratio = Blocks { candidate: &candidate, control: &control }.ratio(Confidence::default());
        Threshold::default().finding(&ratio.expect("a ratio"), better)
    };
    (1..=10).map(finding).collect()
}

#[test]
fn cpu_per_request_finds_no_difference() {
    assert_eq!(findings("CPU per request", Better::Lower), [Finding::NoDifference; 10]);
}

/// Throughput, which scatters more, contradicts none of them.
#[test]
fn throughput_is_not_said_to_differ() {
    let findings = findings("throughput", Better::Higher);
    let claims = [Finding::Better, Finding::Ahead, Finding::Behind, Finding::Worse];
    assert!(findings.iter().all(|finding| !claims.contains(finding)), "{findings:?}");
}
