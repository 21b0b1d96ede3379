//! Do the intervals of `tierup bench` hold what they promise? In: recordings of real rows, or none. Out: how often a
//! simulated report covers the truth, for 3, 5 and 10 blocks, with one comparison and with six.
//!
//! ```text
//! cargo run --release -p tierup-stats --example coverage -- [FILE.json]
//! ```
//!
//! FILE is a list of runs, `[{"label": "…", "blocks": [[slice, slice, …], …]}, …]`: the numbers of one row in one run
//! each. Without it, recordings are made up, and labelled as synthetic.

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use std::error::Error;

use rand::SeedableRng;
use rand::rngs::StdRng;
use simulation::synthetic::{EVEN, SLOW_SLICES, UNEVEN, coverage_of_unlike_rows, record, record_one_slow_slice};
use simulation::{Dealing, Design, Run, coverage};

const SIMULATIONS: u32 = 10_000;
const BLOCKS: [usize; 3] = [3, 5, 10];

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{SIMULATIONS} simulated reports in each cell. Promised: 95 %. The simulation's own standard error: 0.2 %."
    );
    match std::env::args_os().nth(1).map(|file| file.to_string_lossy().into_owned()) {
        Some(file) => {
            let runs: Vec<Run> = serde_json::from_str(&read(&file)?).map_err(|error| format!("{file}: {error}"))?;
            runs.iter().for_each(|run| report(std::slice::from_ref(run)));
            if runs.len() > 1 {
                report(&runs);
            }
        }
        None => {
            synthetic_runs().into_iter().for_each(|run| report(&[run]));
            println!("\nsynthetic: a candidate with slow slices, a control without, 4 slices each");
            line("unlike rows, 1 comparison", |blocks| {
                Some(coverage_of_unlike_rows(blocks, 4, SIMULATIONS, &mut seeded()))
            });
        }
    }
    Ok(())
}

fn read(file: &str) -> Result<String, String> {
    std::fs::read_to_string(file).map_err(|error| format!("cannot read {file}: {error}"))
}

/// Every cell of the table starts from the same seed, so that it can be recomputed alone.
fn seeded() -> StdRng {
    StdRng::seed_from_u64(1908)
}

fn report(runs: &[Run]) {
    println!();
    for run in runs {
        let slices = || run.blocks.iter().map(Vec::len);
        let (fewest, most) = (slices().min().unwrap_or(0), slices().max().unwrap_or(0));
        println!("{}: {} blocks of {fewest} to {most} slices", run.label, run.blocks.len());
    }
    for (dealing, name) in [(Dealing::Slices, "slices dealt"), (Dealing::Processes, "processes dealt")] {
        for (comparisons, words) in [(1, "1 comparison"), (6, "6 comparisons")] {
            line(&format!("{name}, {words}"), |blocks| {
                coverage(runs, Design { dealing, blocks, comparisons }, SIMULATIONS, &mut seeded())
            });
        }
    }
}

fn line(name: &str, covered: impl Fn(usize) -> Option<f64>) {
    let cells = BLOCKS.map(|blocks| match covered(blocks) {
        Some(share) => format!("{blocks} blocks {:5.1} %", share * 100.0),
        None => "too small a recording".to_string(),
    });
    println!("  {name:<32}{}", cells.join("    "));
}

fn synthetic_runs() -> Vec<Run> {
    let mut generator = seeded();
    vec![
        record("synthetic: even noise", EVEN, 40, 28, &mut generator),
        record("synthetic: uneven noise", UNEVEN, 40, 28, &mut generator),
        record("synthetic: slow slices", SLOW_SLICES, 40, 28, &mut generator),
        record("synthetic: slow slices, few in a block", SLOW_SLICES, 40, 8, &mut generator),
        record("synthetic: slow slices, a short recording", SLOW_SLICES, 5, 28, &mut generator),
        record_one_slow_slice("synthetic: exactly one slow slice in every block", 40, 8, &mut generator),
    ]
}
