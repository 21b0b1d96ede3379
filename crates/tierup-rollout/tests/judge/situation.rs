//! A judge of a small plan, slots without any trouble, and what the judge decides.

use std::time::Duration;

use tierup_rollout::{
    Decision, Golden, Judge, Latencies, Part, Plan, Reason, Side, Weights,
    evidence::{Bad, BadKind, Copies, Live, Pair, Slot},
};

pub(crate) const RAMP: &str = "00000001";
pub(crate) const LIST: &str = "GET /list";
pub(crate) const NOW: u64 = 1_795_406_400;
/// When steps began, unless a test says otherwise.
pub(crate) const LONG_AGO: u64 = NOW - 3_600;

pub(crate) fn part(text: &str) -> Part {
    text.parse().expect("a part")
}

/// A plan with small numbers: 10 and 99 %, with a minute and a hundred answers each.
pub(crate) fn plan() -> Plan {
    Plan { steps: vec![part("10%"), part("99%")], hold: 60, least: 100, ..Plan::default() }
}

/// A judge of a plan, with golden calls that succeed.
pub(crate) fn judge(plan: Plan) -> Judge {
    let mut judge = Judge::new(RAMP, plan).expect("the plan is right");
    judge.golden(&golden(Ok(()), Ok(())));
    judge
}

/// The same judge at its first step.
pub(crate) fn at_ten_percent(plan: Plan) -> Judge {
    let mut judge = judge(plan);
    judge.applied(part("10%"), 1, LONG_AGO);
    judge
}

pub(crate) fn golden(control: Result<(), &str>, candidate: Result<(), &str>) -> Golden {
    let owned = |answer: Result<(), &str>| answer.map_err(str::to_owned);
    Golden { at: NOW, call: "health".into(), control: owned(control), candidate: owned(candidate) }
}

pub(crate) fn live(route: &str, side: Side, answered: u64) -> Live {
    Live { route: route.into(), side, answered, errors: 0, silent: 0 }
}

pub(crate) fn copies(route: &str, pair: Pair, same: u64, mismatched: u64) -> Copies {
    Copies { same, mismatched, ..Copies::new(route, pair) }
}

pub(crate) fn latencies(milliseconds: impl IntoIterator<Item = u64>) -> Latencies {
    let mut latencies = Latencies::default();
    milliseconds.into_iter().for_each(|took| latencies.add(Duration::from_millis(took)));
    latencies
}

/// Five seconds without any trouble: 100 requests, of which the candidate and its twin answer a tenth each.
pub(crate) fn slot() -> Slot {
    let equal = || latencies((1..=10).map(|tenth| tenth * 10));
    Slot {
        ramp: Some(RAMP.into()),
        generation: 1,
        lasted: 5000,
        second: part("50%"),
        live: vec![live(LIST, Side::Control, 80), live(LIST, Side::Candidate, 10), live(LIST, Side::Twin, 10)],
        copies: vec![copies(LIST, Pair::Candidate, 10, 0), copies(LIST, Pair::Second, 10, 0)],
        copy_latencies: [(Side::Candidate, equal()), (Side::Twin, equal())].into(),
        ..Slot::default()
    }
}

pub(crate) fn take(judge: &mut Judge, slots: usize, slot: &Slot) {
    (0..slots).for_each(|_| judge.take(std::slice::from_ref(slot)));
}

pub(crate) fn bad(kind: BadKind, side: Side, client: u64) -> Bad {
    let weights = Weights::with_twin(part("10%"));
    Bad { kind, route: LIST.into(), side, weights, client: Some(client), network: None }
}

pub(crate) fn holds(judge: &Judge) -> Vec<Reason> {
    match judge.decide(NOW) {
        Decision::Hold { because } => because,
        other => panic!("{other}"),
    }
}

pub(crate) fn rolled_back(judge: &Judge) -> Reason {
    match judge.decide(NOW) {
        Decision::RollBack { because } => because,
        other => panic!("{other}"),
    }
}

pub(crate) fn advances(judge: &Judge) -> bool {
    matches!(judge.decide(NOW), Decision::Advance { .. })
}
