//! A load balancer that counts answers itself, and sometimes logs none.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc,
    },
    time::{Duration, Instant},
};

use tierup_rollout::{
    Control, Golden, Phase, Side, Weights,
    evidence::{Entry, Live, Slot},
};

use super::world::{World, options, plan};
use crate::{
    Actuator, Attendant, Command, Error, Observed, Own, Piece, Result, Round, Status, judge,
    ramp::{Door, Ramp},
};

/// A load balancer with its weights in a control file and invented answers, which its log has or lacks.
struct Balancer {
    own: Own,
    logs: Arc<AtomicBool>,
}

impl Actuator for Balancer {
    fn name(&self) -> &'static str {
        "balancer"
    }

    fn describe(&self) -> Vec<Piece> {
        self.own.describe()
    }

    fn check(&mut self) -> Result<()> {
        self.own.check()
    }

    fn set(&mut self, control: &Control) -> Result<()> {
        self.own.set(control)
    }

    fn read(&mut self, now: u64) -> Result<Weights> {
        self.own.read(now)
    }

    fn counts_answers(&self) -> bool {
        true
    }

    fn observe(&mut self) -> Observed {
        if self.logs.load(Relaxed) {
            return Observed { entries: vec![Entry::Slot(Slot::default())], ..Observed::default() };
        }
        let blind = Error::Unlogged { program: "balancer", answers: 30, logged: 0 };
        Observed { blind: Some(blind), may_be_quiet: true, ..Observed::default() }
    }

    fn release(&mut self) -> Result<()> {
        self.own.release()
    }
}

fn begin(world: &mut World, logs: &Arc<AtomicBool>) -> Ramp {
    let balancer = Balancer { own: Own::new(world.state().control()), logs: logs.clone() };
    let mut door =
        Door::open(world.state(), Box::new(balancer), Box::new(world.hands.clone())).expect("it can be opened");
    assert_eq!(door.look().expect("it can be read"), None);
    world.writes_to(world.file);
    assert!(door.look().expect("it can be read").is_some());
    door.begin(plan(), options()).expect("it begins")
}

/// Five seconds in which the proxy before control got this many requests. Returns the weight after them.
fn five_seconds(world: &mut World, ramp: &mut Ramp, requests: u64) -> String {
    world.pass(5);
    let live = Live { route: "GET /".into(), side: Side::Control, answered: requests, errors: 0, silent: 0 };
    let live = if requests > 0 { vec![live] } else { Vec::new() };
    world.write(Entry::Slot(Slot {
        ramp: Some(ramp.known.saved.name.clone()),
        lasted: 5_000,
        live,
        ..Slot::default()
    }));
    ramp.round(&[]);
    world.weight()
}

#[test]
fn a_silent_log_suspends_the_ramp_only_if_there_were_requests() {
    let (mut world, logs) = (World::new(), Arc::new(AtomicBool::new(true)));
    let mut ramp = begin(&mut world, &logs);
    ramp.order("to 25%".parse().expect("a command"));
    assert_eq!(five_seconds(&mut world, &mut ramp, 100), "25%");
    // Clients use other services of the load balancer, but not this one.
    logs.store(false, Relaxed);
    for _ in 0..50 {
        assert_eq!(five_seconds(&mut world, &mut ramp, 0), "25%");
        assert!(ramp.status().trouble.is_some(), "the weight holds");
    }
    // The log has the line of one request a little later.
    assert_eq!(five_seconds(&mut world, &mut ramp, 1), "25%");
    logs.store(true, Relaxed);
    assert_eq!(five_seconds(&mut world, &mut ramp, 0), "25%");
    logs.store(false, Relaxed);
    // The evidence of one request arrives a little later than the log.
    assert_eq!(five_seconds(&mut world, &mut ramp, 1), "25%");
    for _ in 0..50 {
        assert_eq!(five_seconds(&mut world, &mut ramp, 0), "25%");
    }
    // The log lacks these requests.
    let weights: Vec<String> = (0..4).map(|_| five_seconds(&mut world, &mut ramp, 1)).collect();
    assert_eq!(weights, ["25%", "25%", "25%", "0%"]);
    for _ in 0..50 {
        assert_eq!(five_seconds(&mut world, &mut ramp, 0), "0%", "once, and not again and again");
    }
    logs.store(true, Relaxed);
    assert_eq!(five_seconds(&mut world, &mut ramp, 0), "25%");
}

#[test]
fn counts_keep_their_age_while_rounds_fail() {
    let (mut world, logs) = (World::new(), Arc::new(AtomicBool::new(true)));
    let mut ramp = begin(&mut world, &logs);
    ramp.order("to 25%".parse().expect("a command"));
    ramp.store.refuse(true);
    five_seconds(&mut world, &mut ramp, 1);
    logs.store(false, Relaxed);
    for _ in 0..15 {
        five_seconds(&mut world, &mut ramp, 1);
    }
    ramp.store.refuse(false);
    let weights: Vec<String> = (0..4).map(|_| five_seconds(&mut world, &mut ramp, 1)).collect();
    assert_eq!(weights, ["25%", "25%", "25%", "0%"]);
}

#[test]
fn control_answers_all_if_its_requests_are_unknown() {
    // There is no living proxy, or no request goes to control.
    for (to, lives) in [("25%", false), ("100%", true)] {
        let (mut world, logs) = (World::new(), Arc::new(AtomicBool::new(true)));
        let mut ramp = begin(&mut world, &logs);
        let to = to.parse().expect("a part");
        ramp.known.saved.weights = ramp.weights(to);
        ramp.apply(to);
        logs.store(false, Relaxed);
        for _ in 0..=13 {
            if lives {
                five_seconds(&mut world, &mut ramp, 0);
            } else {
                world.pass(5);
                ramp.round(&[]);
            }
        }
        assert_eq!(world.weight(), "0%", "{to}");
    }
}

/// Ends a judge that would otherwise run for ever.
struct Patient {
    until: Instant,
    went_on: bool,
}

impl Attendant for Patient {
    fn is_over(&self) -> bool {
        Instant::now() >= self.until
    }

    fn golden_calls(&mut self, _ramp: &Ramp) -> Vec<Golden> {
        Vec::new()
    }

    fn sees(&mut self, _ramp: &Ramp, _round: &Round) {}

    fn stands(&mut self, status: &Status) {
        self.went_on = status.phase == Phase::RolledBack;
    }
}

#[test]
fn a_judge_ends_after_a_rollback_even_if_nothing_is_logged() {
    let (mut world, logs) = (World::new(), Arc::new(AtomicBool::new(true)));
    let mut ramp = begin(&mut world, &logs);
    ramp.order("to 25%".parse().expect("a command"));
    logs.store(false, Relaxed);
    ramp.round(&[]);
    ramp.order(Command::Abort);
    assert!(ramp.status().trouble.is_some() && world.weight() == "0%");
    let (_send, commands) = mpsc::channel();
    let mut patient = Patient { until: Instant::now() + Duration::from_secs(5), went_on: false };
    assert_eq!(judge(&mut ramp, &commands, &mut patient), Phase::RolledBack);
    assert!(!patient.went_on, "it went on although the weights were taken back");
}
