//! How steady the recommendation of a run is. In: a `report.json`. Out: how often each advice was given in 100 runs whose
//! blocks were drawn from it with replacement; it fails where none was given in 95.
//!
//! `cargo run --release -p tierup-bench --example advice -- examples/qr/report.json`

use std::{collections::BTreeMap, process::ExitCode};

use tierup_bench::{analysis::analyse, record::Record};

const RUNS: usize = 100;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("name a report.json")?;
    let record: Record = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    // A linear congruential generator (Knuth's MMIX): the same runs each time.
    let mut state = record.settings.seed;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..RUNS {
        let mut run = record.clone();
        for block in &mut run.blocks {
            *block = record.blocks[draw(record.blocks.len())].clone();
        }
        for group in analyse(&run).groups {
            let advice = group.recommendation.unwrap_or_default();
            let head = advice.split(": ").next().unwrap_or_default().to_owned();
            *given.entry(format!("{} {head}", group.name).trim().to_owned()).or_default() += 1;
        }
    }
    given.iter().for_each(|(advice, times)| println!("{times} of {RUNS}: {advice}"));
    let groups = analyse(&record).groups.len();
    let steady = given.values().filter(|times| **times >= 95).count();
    Ok(if steady == groups { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
