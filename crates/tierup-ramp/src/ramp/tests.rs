//! Ramps on handwritten evidence, with clocks that are set by hand. The database, the journal and the control file are
//! real.

mod advising;
mod balancer;
mod failing;
mod proxies;
mod surviving;
mod world;

use std::{mem, sync::atomic::Ordering::Relaxed};

use tierup_rollout::{
    Control, Part, Weights,
    evidence::{Confirmed, Entry, Event, Pair},
};

use self::world::World;
use super::*;
use crate::{Action, Told, command::Reply, decisions, intake::BLIND_AFTER};

#[test]
fn a_ramp_without_faults_reaches_100_percent() {
    let mut world = World::new();
    let mut ramp = world.begin();
    assert_eq!(world.weight(), "none", "nothing is in force before the first round");
    assert_eq!(world.finish(&mut ramp), ["0%", "10%", "50%", "99%", "100%"]);
    let decisions = ["begin 0%", "advance 10%", "advance 50%", "advance 99%", "ready 99%", "finish 100%"];
    assert_eq!(world.decisions(), decisions);
    // The ramp stays there as long as a judge runs.
    for _ in 0..30 {
        world.slot();
        ramp.round(&[]);
        let control = world.control().expect("it is there");
        assert_eq!((control.weights.candidate, control.phase), (Part::ALL, Phase::Done));
        assert!(!control.is_stale(world.hands.since_1970().as_secs()));
    }
    let shown = ramp.shown().expect("it can be read").expect("the slots tell");
    assert!(shown.ratio() < 1.0, "{shown:?}");
}

#[test]
fn a_candidate_that_turns_bad_is_rolled_back_for_good() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.bad = 200;
    let weights = world.until(&mut ramp, Phase::RolledBack);
    assert_eq!(weights.last().map(String::as_str), Some("0%"));
    let last = decisions(&world.state().journal()).expect("it can be read").pop().expect("a decision");
    assert!(last.decision == Action::RollBack && last.reasons[0].starts_with("5xx"), "{last:?}");
    // Neither a restart nor good evidence brings the candidate back.
    world.bad = 0;
    let mut ramp = world.restart(ramp);
    for _ in 0..50 {
        world.slot();
        ramp.round(&[]);
        assert_eq!(world.weight(), "0%");
    }
}

#[test]
fn an_unreachable_candidate_or_a_wrong_golden_call_rolls_back_at_once() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.write(Entry::Event(Event::Unreachable { side: Side::Candidate, is: true }));
    ramp.round(&[]);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
    // A wrong golden call also rolls back.
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let wrong = Golden { at: ramp.now(), call: "GET /".into(), control: Ok(()), candidate: Err("500".into()) };
    ramp.round(&[wrong]);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
}

#[test]
fn a_judge_killed_after_any_round_continues_unchanged() {
    let (mut steady, mut killed) = (World::new(), World::new());
    let (mut one, mut other) = (steady.begin(), killed.begin());
    for _ in 0..40 {
        one.round(&[]);
        other.round(&[]);
        other = killed.restart(other);
        assert_eq!(other.known.mind.judge.at(), one.known.mind.judge.at());
        let mut last = other.known.saved.generation;
        other.round(&[]);
        let control = killed.control().expect("it is there");
        assert_eq!(control.weights, steady.control().expect("it is there").weights);
        assert!(mem::replace(&mut last, control.generation) <= control.generation);
        steady.slot();
        killed.slot();
    }
    for world in [&steady, &killed] {
        assert!(world.decisions().iter().any(|decision| decision == "ready 99%"));
    }
}

#[test]
fn a_generation_never_has_two_contents() {
    let mut world = World::new();
    let mut ramp = world.begin();
    let mut seen: BTreeMap<u64, Control> = BTreeMap::new();
    for number in 0..60_u64 {
        ramp.round(&[]);
        let found = Control { heartbeat: 0, ..world.control().expect("it is there") };
        let known = seen.entry(found.generation).or_insert_with(|| found.clone());
        assert_eq!(*known, found);
        match number % 7 {
            3 => ramp = world.restart(ramp),
            // Without evidence for a while, control answers all requests.
            5 => world.pass(BLIND_AFTER + 1),
            6 => drop(ramp.order(if number % 2 == 0 { Command::Pause } else { Command::Resume })),
            _ => world.slot(),
        }
    }
    assert!(seen.len() > 10, "{}", seen.len());
}

#[test]
fn without_evidence_control_answers_until_evidence_arrives_again() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let step = world.weight();
    world.pass(BLIND_AFTER);
    ramp.round(&[]);
    assert_eq!(world.weight(), step);
    world.pass(1);
    ramp.round(&[]);
    assert_eq!(world.weight(), "0%");
    assert!(ramp.status().words[0].contains("no proxy wrote evidence"), "{}", ramp.status());
    world.slot();
    ramp.round(&[]);
    assert_eq!(world.weight(), step);
    world.finish(&mut ramp);
}

#[test]
fn setting_the_clock_neither_hurries_nor_stops_a_step() {
    for jump in [-86_400_i64, 86_400] {
        let mut world = World::new();
        let mut ramp = world.begin();
        world.until(&mut ramp, Phase::Ramping);
        world.hands.0[0].fetch_add(jump.cast_unsigned(), Relaxed);
        ramp.round(&[]);
        assert_eq!(world.weight(), "10%", "no evidence, no step");
        world.pass(HEARTBEAT);
        ramp.round(&[]);
        let heartbeat = world.control().expect("it is there").heartbeat;
        assert_eq!(heartbeat, world.hands.since_1970().as_secs(), "proxies have the same clock");
        world.finish(&mut ramp);
    }
}

#[test]
fn orders_are_obeyed_and_recorded() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let order = |ramp: &mut Ramp, text: &str| -> Reply { ramp.order(text.parse().expect("a command")).1 };
    assert_eq!(order(&mut ramp, "resume").refused.as_deref(), Some("it is not paused"));
    assert_eq!(order(&mut ramp, "pause").refused, None);
    for _ in 0..20 {
        world.slot();
        ramp.round(&[]);
    }
    assert_eq!((world.weight().as_str(), ramp.phase()), ("10%", Phase::Paused), "no step while it is paused");
    assert_eq!(order(&mut ramp, "to 25%").refused, None);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("25%", Phase::Paused));
    let mut ramp = world.restart(ramp);
    ramp.round(&[]);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("25%", Phase::Paused));
    assert_eq!(order(&mut ramp, "resume").refused, None);
    assert_eq!(world.finish(&mut ramp), ["25%", "50%", "99%", "100%"]);
    assert_eq!(order(&mut ramp, "abort").refused, None);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
    assert!(order(&mut ramp, "to 1%").refused.is_some() && world.weight() == "0%");
    let decisions = world.decisions();
    for expected in ["pause 10%", "to 25% 25%", "resume 25%", "roll back 0%"] {
        assert!(decisions.iter().any(|decision| decision == expected), "{expected}: {decisions:?}");
    }
}

#[test]
fn only_the_operator_finishes_a_ramp_and_only_when_it_is_ready() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let order =
        |ramp: &mut Ramp, text: &str| ramp.order(text.parse().expect("a command")).1.refused.unwrap_or_default();
    assert_eq!(order(&mut ramp, "finish"), "the ramp is not at its last step");
    assert!(order(&mut ramp, "to 100%").starts_with("99% is the most"));
    assert_eq!(order(&mut ramp, "to 99%"), "");
    assert!(order(&mut ramp, "finish").starts_with("the last step still needs something: "));
    // The operator gives no order: control keeps its part, and `ready` is announced only once.
    for _ in 0..100 {
        world.slot();
        ramp.round(&[]);
        assert_eq!((world.weight().as_str(), ramp.phase()), ("99%", Phase::Ramping));
    }
    assert_eq!(world.decisions().iter().filter(|decision| *decision == "ready 99%").count(), 1);
    assert_eq!(order(&mut ramp, "finish"), "");
    assert_eq!((world.weight().as_str(), ramp.phase()), ("100%", Phase::Done));
    assert_eq!(order(&mut ramp, "finish"), "the ramp is finished already");
}

#[test]
fn an_outage_rolls_back_after_the_end_too() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.finish(&mut ramp);
    world.bad = 1_000;
    let weights = world.until(&mut ramp, Phase::RolledBack);
    assert_eq!(weights, ["100%", "0%"]);
    let last = decisions(&world.state().journal()).expect("it can be read").pop().expect("a decision");
    assert!(last.reasons[0].starts_with("the candidate broke down"), "{last:?}");
}

impl World {
    /// Writes 150 confirmed differences. 66 end a ramp, as only a tenth of the copies goes to the twin.
    fn confirm(&mut self) {
        for number in 0..150 {
            let (route, request, words) = ("GET /".to_owned(), format!("GET /?{number}"), "x".to_owned());
            let confirmed = Confirmed {
                pair: Pair::Candidate,
                route,
                request,
                words,
                client: number,
                is_network: false,
                status: 200,
            };
            self.write(Entry::Event(Event::Confirmed(confirmed)));
        }
    }
}

#[test]
fn a_new_ramp_ignores_evidence_of_the_last_one() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let first = world.control().expect("it is there");
    world.confirm();
    ramp.round(&[]);
    assert_eq!(ramp.phase(), Phase::RolledBack);
    drop(ramp);
    // The differences are written while no judge runs.
    world.confirm();
    let mut ramp = world.begin();
    ramp.round(&[]);
    let second = world.control().expect("it is there");
    assert_eq!((second.phase, second.weights), (Phase::Shadow, Weights::CONTROL_ONLY));
    assert!(second.ramp != first.ramp && second.key != first.key);
    world.finish(&mut ramp);
}

#[test]
fn metrics_tell_how_the_ramp_stands() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let decided_at = world.hands.since_1970().as_secs();
    ramp.store.refuse(true);
    world.slot();
    ramp.round(&[]);
    let told = Told { done: 2, failed: 1, dropped: 0 };
    let text = ramp.metrics(Some(told));
    let name = &ramp.known.saved.name;
    for line in [
        &*format!("tierup_ramp_phase{{ramp=\"{name}\",phase=\"shadow\"}} 0"),
        &format!("tierup_ramp_phase{{ramp=\"{name}\",phase=\"ramping\"}} 1"),
        "tierup_ramp_weight 0.1",
        "tierup_ramp_evidence{kind=\"errors\"} 1",
        "tierup_ramp_evidence_needed{kind=\"slowness\"} 600",
        &format!("tierup_ramp_last_decision_timestamp_seconds{{decision=\"advance\"}} {decided_at}"),
        "tierup_ramp_rounds_failed_total 1",
        "tierup_ramp_trouble 1",
        "tierup_ramp_proxies 1",
        "tierup_ramp_notifications_total{outcome=\"done\"} 2",
        "tierup_ramp_notifications_total{outcome=\"failed\"} 1",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    assert!(!ramp.metrics(None).contains("notifications"));
}
