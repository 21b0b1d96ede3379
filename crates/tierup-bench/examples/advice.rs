//! Measures how steady the advice of runs is. In: files like `report.json`. Out: for each file, how often each advice
//! was given in 100 runs, each of which draws the file's blocks with replacement. Fails if no advice was given in 95
//! runs.
//!
//! Whole blocks are drawn, with all of their rows, as only blocks are independent of each other (a cluster bootstrap;
//! Davison and Hinkley 1997). A drawn run has as many blocks as the file, and is analysed by the code of `tierup
//! bench`.
//!
//! `cargo run --release -p tierup-bench --example advice -- docs/data/*.json`

use std::{collections::BTreeMap, process::ExitCode};

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use tierup_bench::{
    analysis::{Group, analyse},
    record::Record,
};

const RUNS: usize = 100;
/// An advice is steady if at least this many runs gave it.
const STEADY: usize = 95;

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        return Err("name a report.json".into());
    }
    let mut all_steady = true;
    for file in &files {
        let record = Record::read(&std::fs::read_to_string(file)?).map_err(|error| format!("{file}: {error}"))?;
        println!("{file}");
        for (group, given) in resampled(&record) {
            let mut given: Vec<(String, usize)> = given.into_iter().collect();
            given.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
            given
                .iter()
                .for_each(|(advice, times)| println!("{times} of {RUNS}: {}", format!("{group} {advice}").trim()));
            all_steady &= given.first().is_some_and(|(_, times)| *times >= STEADY);
        }
    }
    Ok(if all_steady { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// For each group, how often each advice was given.
fn resampled(record: &Record) -> BTreeMap<String, BTreeMap<String, usize>> {
    // The seed makes the draws reproducible.
    let mut random = ChaCha8Rng::seed_from_u64(record.settings.seed);
    let mut given: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for _ in 0..RUNS {
        let mut run = record.clone();
        for block in &mut run.blocks {
            block.clone_from(&record.blocks[random.random_range(0..record.blocks.len())]);
        }
        for group in analyse(&run).groups {
            *given.entry(group.name.clone()).or_default().entry(advice(&group)).or_default() += 1;
        }
    }
    given
}

/// `Take 2:core`: the recommendation without its figures.
fn advice(group: &Group) -> String {
    let text = group.recommendation.as_deref().unwrap_or("no advice");
    text.split(": ").next().unwrap_or(text).to_owned()
}
