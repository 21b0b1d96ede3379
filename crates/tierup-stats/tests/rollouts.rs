//! The evidence of a rollout raises few false alarms and finds what is bad. A fast version of `examples/rollouts.rs`,
//! with fixed seeds.

#[path = "rollout_simulation/mod.rs"]
mod rollout_simulation;

use rand::SeedableRng;
use rand::rngs::StdRng;
use rollout_simulation::worlds::{GUILTY, INNOCENT};
use rollout_simulation::{Kind, World, roll_out};

const ROLLOUTS: u32 = 200;

fn seeded() -> StdRng {
    StdRng::seed_from_u64(1939)
}

/// The share of rollouts that were ended early.
fn rolled_back(world: &World, rollouts: u32, random: &mut StdRng) -> f64 {
    let ended = (0..rollouts).filter(|_| roll_out(world, random).is_some()).count();
    ended as f64 / f64::from(rollouts)
}

#[test]
fn innocent_candidates_go_through() {
    for world in INNOCENT {
        let share = rolled_back(&world, ROLLOUTS, &mut seeded());
        assert!(share <= 0.01, "{}: {share}", world.name);
    }
}

#[test]
fn bad_candidates_are_found() {
    for (world, at_least) in GUILTY.into_iter().zip([1.0, 0.8, 0.95, 0.95]) {
        let share = rolled_back(&world, ROLLOUTS, &mut seeded());
        assert!(share >= at_least, "{}: {share}", world.name);
    }
}

#[test]
fn what_is_found_is_what_is_wrong() {
    let kinds = [Kind::ServerErrors, Kind::ServerErrors, Kind::Slowness, Kind::Slowness];
    for (world, kind) in GUILTY.into_iter().zip(kinds) {
        let mut random = seeded();
        let found: Vec<Kind> = (0..50).filter_map(|_| Some(roll_out(&world, &mut random)?.0)).collect();
        let right = found.iter().filter(|found| **found == kind).count();
        assert!(right * 10 >= found.len() * 8, "{}: {found:?}", world.name);
    }
}
