//! Simulated ramps: the judge lets equal candidates through, and finds bad ones. A fast version of
//! `examples/simulate.rs`, with fixed seeds; equal candidates have shorter steps. `docs/judge.md` has the results of
//! the long one.

#[path = "simulation/mod.rs"]
mod simulation;

use rand::{SeedableRng, rngs::StdRng};
use simulation::{
    End, Outcome, World, plan, ramp,
    worlds::{ASKED_ONCE, ATTACKED, GUILTY, INNOCENT},
};
use tierup_rollout::{Judge, Kind, Plan};

/// All steps, each for a minute and with a tenth of the answers.
fn short() -> Plan {
    Plan { hold: 60, least: 300, ..plan() }
}

fn outcomes(world: &World, plan: &Plan, ramps: u64) -> Vec<Outcome> {
    let random = |number| StdRng::seed_from_u64(1939 + number);
    (0..ramps).map(|number| ramp(world, plan, 4 * 3600, &mut random(number), |judge| judge)).collect()
}

fn is_rolled_back(outcome: &Outcome) -> bool {
    matches!(outcome.end, End::RolledBack(_) | End::BrokeDown)
}

#[test]
fn equal_candidates_go_through_in_every_world() {
    let mut rolled_back = Vec::new();
    for world in INNOCENT {
        let outcomes = outcomes(&world, &short(), 15);
        rolled_back.extend(outcomes.iter().filter(|outcome| is_rolled_back(outcome)).map(|end| (world.name, *end)));
        let done = outcomes.iter().filter(|outcome| outcome.end == End::Ready).count();
        assert!(done >= 14, "{}: {outcomes:?}", world.name);
    }
    // At a rate of 1 %, one or two of 150 would be rolled back.
    assert!(rolled_back.len() <= 1, "{rolled_back:?}");
}

#[test]
fn bad_candidates_are_found_for_the_right_reason() {
    let world = |name| GUILTY.into_iter().find(|world| world.name.starts_with(name)).expect("such a world");
    for (name, kind, least) in [
        ("0.1 % wrong answers", None, 9),
        ("wrong to everybody, one request, no twin", None, 10),
        ("40 % have no answer", Some(Kind::Departures), 10),
        ("5xx rise", Some(Kind::Errors), 9),
        ("all answers take 20 %", Some(Kind::Slowness), 9),
        ("the slowest 3 % take", Some(Kind::Slowness), 9),
        ("the slowest 3 %, with a cold", Some(Kind::Slowness), 9),
        ("the slowest 3 %, and answers", Some(Kind::Slowness), 9),
        ("the slowest 3 %, under load, from", Some(Kind::Slowness), 8),
    ] {
        let outcomes = outcomes(&world(name), &plan(), 10);
        let found = outcomes.iter().filter(|outcome| outcome.end == End::RolledBack(kind)).count();
        assert!(found >= least, "{name}: {outcomes:?}");
    }
}

#[test]
fn a_candidate_that_breaks_down_at_the_last_step_is_rolled_back() {
    for world in GUILTY.iter().filter(|world| world.breaks.is_some()) {
        let outcomes: Vec<_> = (0..3)
            .map(|number| ramp(world, &short(), 4 * 3600, &mut StdRng::seed_from_u64(1939 + number), |judge| judge))
            .collect();
        assert!(outcomes.iter().all(|outcome| outcome.end == End::BrokeDown), "{}: {outcomes:?}", world.name);
    }
}

#[test]
fn a_candidate_that_becomes_slow_above_a_third_of_the_traffic_is_held() {
    // A step of one minute is too short to judge latencies.
    let plan = Plan { hold: 300, ..short() };
    for world in GUILTY.iter().filter(|world| world.slower_from >= 50) {
        let outcomes: Vec<_> = (0..3)
            .map(|number| ramp(world, &plan, 2 * 3600, &mut StdRng::seed_from_u64(1939 + number), |judge| judge))
            .collect();
        assert!(outcomes.iter().all(|outcome| outcome.end == End::Held), "{}: {outcomes:?}", world.name);
    }
}

#[test]
fn twenty_public_addresses_with_any_number_of_keys_end_nothing() {
    for world in &ATTACKED {
        let outcomes: Vec<_> = (0..3)
            .map(|number| ramp(world, &short(), 2 * 3600, &mut StdRng::seed_from_u64(1939 + number), |judge| judge))
            .collect();
        assert!(!outcomes.iter().any(is_rolled_back), "{}: {outcomes:?}", world.name);
    }
}

/// The reason for three confirmations: see [`tierup_rollout::evidence::CONFIRMATIONS`].
#[test]
fn asking_again_once_would_hold_equal_candidates_for_ever() {
    let outcomes = outcomes(&ASKED_ONCE, &plan(), 10);
    assert!(outcomes.iter().filter(|outcome| outcome.end == End::Held).count() >= 1, "{outcomes:?}");
}

#[test]
fn a_judge_that_is_stored_and_restored_after_each_slot_decides_the_same() {
    let store = |judge: Judge| {
        let text = serde_json::to_string(&judge).expect("JSON");
        let restored: Judge = serde_json::from_str(&text).expect("a judge");
        assert_eq!(restored, judge);
        restored
    };
    let all_troubles = INNOCENT.last().expect("there are some");
    for world in [all_troubles, &GUILTY[2]] {
        let random = || StdRng::seed_from_u64(1939);
        let stored = ramp(world, &short(), 4 * 3600, &mut random(), store);
        assert_eq!(stored, ramp(world, &short(), 4 * 3600, &mut random(), |judge| judge), "{}", world.name);
    }
}
