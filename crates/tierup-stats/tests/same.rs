//! A server against itself, ten times for a minute on a real machine (`tierup-bench/compare/README.md`): in CPU per
//! request, which decides the verdict, each run finds no difference.

use serde::Deserialize;
use tierup_stats::{Better, Blocks, Confidence, Finding, Threshold, mean};

/// One row's slices of one measure in one run.
#[derive(Deserialize)]
struct Recording {
    label: String,
    blocks: Vec<Vec<f64>>,
}

/// The findings of the ten runs on one measure.
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

/// Throughput scatters more, so it may not prove that there is no difference, but no run claims one.
#[test]
fn throughput_never_claims_a_difference() {
    let findings = findings("throughput", Better::Higher);
    let claims = [Finding::Better, Finding::Ahead, Finding::Behind, Finding::Worse];
    assert!(findings.iter().all(|finding| !claims.contains(finding)), "{findings:?}");
}
