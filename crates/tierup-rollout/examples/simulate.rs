//! How often does the judge roll an equal candidate back, and how often does it find a bad one?
//!
//! ```text
//! cargo run --release -p tierup-rollout --example simulate -- [--ramps 10000] [--worlds drift,stall]
//! ```
//!
//! Each ramp has the defaults of `[rollout]`: 1, 5, 25, 50 and 99 % of the traffic for ten minutes at least, and 3,000
//! answers from each route. The judge is the one that ships. `docs/judge.md` has the results.

#[path = "../tests/simulation/mod.rs"]
mod simulation;

use std::{num::NonZero, ops::Range, process::ExitCode, thread};

use rand::{SeedableRng, rngs::StdRng};
use simulation::{
    End, Outcome, World, plan, ramp,
    worlds::{ASKED_ONCE, ATTACKED, GUILTY, INNOCENT},
};

/// A ramp that takes longer counts as held: at 1000 requests a second, a ramp that nothing holds takes 70 minutes.
const LONGEST: u64 = 12 * 3600;
/// For candidates that break down at the last step: at 100 requests a second, some ramps need 12 hours to reach it.
const LONGEST_TO_BREAK: u64 = 48 * 3600;
/// A ramp that an attack or a slow candidate holds never goes on, so three hours are enough.
const LONGEST_WAIT: u64 = 3 * 3600;

fn main() -> ExitCode {
    let (mut ramps, mut first) = (10_000, 0);
    let mut worlds = String::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().unwrap_or_default();
        match (argument.as_str(), value.parse()) {
            ("--ramps", Ok(number)) => ramps = number,
            ("--first", Ok(number)) => first = number,
            ("--worlds", _) => worlds = value,
            _ => {
                eprintln!("usage: simulate [--ramps 10000] [--first 0] [--worlds name,name]");
                return ExitCode::FAILURE;
            }
        }
    }
    let is_asked = |world: &&World| worlds.split(',').any(|part| world.name.contains(part));
    println!("{ramps} ramps in each world; in brackets: 95 % intervals\n");
    println!("| the candidate is as good as control | rolled back | for | ready | half of them within |");
    println!("|---|---|---|---|---|");
    INNOCENT
        .iter()
        .chain(&ATTACKED)
        .chain([&ASKED_ONCE])
        .filter(is_asked)
        .for_each(|world| line(world, first..first + ramps));
    println!(
        "\n| the candidate is worse | rolled back | for | ready | half of them within | at | compared by then: half, 99 % | with 5,000 |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    GUILTY.iter().filter(is_asked).for_each(|world| guilty_line(world, first..first + ramps));
    ExitCode::SUCCESS
}

fn line(world: &World, ramps: Range<usize>) {
    let outcomes = simulate(world, &ramps);
    let done: Vec<_> = outcomes.iter().filter(|outcome| outcome.end == End::Ready).collect();
    let (name, rolled_back, kinds) = (world.name, rolled_back(&outcomes), kinds(&outcomes));
    let seconds = quantile(done.iter().map(|outcome| outcome.seconds), 0.5);
    println!("| {name} | {rolled_back} | {kinds} | {} | {} min |", part(done.len(), ramps.len()), seconds / 60);
}

fn guilty_line(world: &World, ramps: Range<usize>) {
    let outcomes = simulate(world, &ramps);
    let found: Vec<_> = outcomes.iter().filter(|outcome| is_rolled_back(outcome)).collect();
    let (name, rolled_back, kinds) = (world.name, rolled_back(&outcomes), kinds(&outcomes));
    let promoted = part(outcomes.iter().filter(|outcome| outcome.end == End::Ready).count(), outcomes.len());
    let seconds = quantile(found.iter().map(|outcome| outcome.seconds), 0.5);
    let weight = quantile(found.iter().map(|outcome| u64::from(outcome.weight.ten_thousandths())), 0.5);
    let compared = [0.5, 0.99].map(|part| quantile(found.iter().map(|outcome| outcome.compared), part));
    let with_5000 = found.iter().filter(|outcome| outcome.compared <= 5_000).count();
    println!(
        "| {name} | {rolled_back} | {kinds} | {promoted} | {:.1} min | {} % | {}, {} | {} |",
        seconds as f64 / 60.0,
        weight / 100,
        compared[0],
        compared[1],
        part(with_5000, ramps.len())
    );
}

/// Simulates the ramps in parallel. Seeds are numbered, so the number of processors does not change the results.
fn simulate(world: &World, ramps: &Range<usize>) -> Vec<Outcome> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let plan = plan();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|first| {
                let plan = &plan;
                let one = move |number: usize| {
                    let mut random = StdRng::seed_from_u64(1939 + number as u64);
                    let longest = match world {
                        World { breaks: Some(_), .. } => LONGEST_TO_BREAK,
                        World { attack: Some(_), .. } | World { slower_from: 50.., .. } => LONGEST_WAIT,
                        _ => LONGEST,
                    };
                    ramp(world, plan, longest, &mut random, |judge| judge)
                };
                scope.spawn(move || ramps.clone().skip(first).step_by(threads).map(one).collect::<Vec<_>>())
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a ramp does not panic")).collect()
    })
}

fn is_rolled_back(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::RolledBack(_) | End::BrokeDown)
}

fn rolled_back(outcomes: &[Outcome]) -> String {
    part(outcomes.iter().filter(|outcome| is_rolled_back(outcome)).count(), outcomes.len())
}

/// The kinds of evidence that rolled ramps back, most frequent first.
fn kinds(outcomes: &[Outcome]) -> String {
    let name = |outcome: &Outcome| match outcome.end {
        End::RolledBack(Some(kind)) => Some(kind.to_string()),
        End::RolledBack(None) => Some("a confirmed mismatch".to_owned()),
        End::BrokeDown => Some("a breakdown".to_owned()),
        End::Ready | End::Held => None,
    };
    let mut kinds: Vec<(usize, String)> = Vec::new();
    for name in outcomes.iter().filter_map(name) {
        match kinds.iter_mut().find(|(_, known)| *known == name) {
            Some((count, _)) => *count += 1,
            None => kinds.push((1, name)),
        }
    }
    kinds.sort_by(|one, other| other.cmp(one));
    kinds.into_iter().map(|(count, name)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// A part in per cent with its 95 % interval (Wilson, "Probable inference, the law of succession, and statistical
/// inference", 1927).
fn part(count: usize, of: usize) -> String {
    let (n, p, z) = (of as f64, count as f64 / of as f64, 1.96_f64);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt() / (1.0 + z * z / n);
    let percent = |part: f64| part.clamp(0.0, 1.0) * 100.0;
    format!("{:.2} % [{:.2}, {:.2}]", percent(p), percent(middle - half), percent(middle + half))
}

fn quantile(values: impl Iterator<Item = u64>, part: f64) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    let place = (values.len() as f64 * part) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
}
