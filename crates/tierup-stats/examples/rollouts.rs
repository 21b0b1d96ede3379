//! How often does the evidence of a rollout roll an innocent candidate back, and how often does it find a bad one?
//!
//! ```text
//! cargo run --release -p tierup-stats --example rollouts
//! ```
//!
//! Each rollout gives the candidate 1, 5, 25 and 50 % of 200 requests a second for ten minutes each, and compares ten
//! answers a second. The evidence is looked at after every answer; four kinds of it share an error rate of 1 %.

#[path = "../tests/rollout_simulation/mod.rs"]
mod rollout_simulation;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rollout_simulation::worlds::{GUILTY, INNOCENT};
use rollout_simulation::{BLOCK_SECONDS, World, roll_out};

const ROLLOUTS: usize = 10_000;

fn main() {
    println!("{ROLLOUTS} simulated rollouts in each line\n\nrolled back though innocent (promised: at most 1 %)");
    INNOCENT.iter().for_each(line);
    println!("\nfound");
    GUILTY.iter().for_each(line);
}

fn line(world: &World) {
    let mut random = StdRng::seed_from_u64(1939);
    let ended: Vec<_> = (0..ROLLOUTS).filter_map(|_| roll_out(world, &mut random)).collect();
    let mut minutes: Vec<f64> = ended.iter().map(|(_, block)| (block + 1) as f64 * BLOCK_SECONDS / 60.0).collect();
    minutes.sort_by(f64::total_cmp);
    let half =
        minutes.get(minutes.len() / 2).map_or(String::new(), |minute| format!("half of them by minute {minute:.1}"));
    println!("  {:<46}{:7.2} %   {half}", world.name, ended.len() as f64 / ROLLOUTS as f64 * 100.0);
}
