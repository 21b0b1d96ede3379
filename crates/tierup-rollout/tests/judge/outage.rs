//! A candidate that fails for all of its few clients, and an attacker who imitates that.

use tierup_rollout::{
    Decision, Part, Reason, Side, Weights,
    evidence::{Bad, BadKind, Copies, Live, Pair, Slot},
};

use crate::situation::*;

/// Five seconds at 99 % in which clients of this many networks, and all copies, get a 500.
fn outage(networks: u64) -> Slot {
    let failed = |number| Bad {
        kind: BadKind::Error,
        route: LIST.into(),
        side: Side::Candidate,
        weights: Weights::with_twin(Part::MOST),
        client: Some(number),
        network: Some(number % networks),
    };
    Slot {
        generation: 2,
        bad: (0..40).map(failed).collect(),
        live: vec![Live { errors: 40, ..live(LIST, Side::Candidate, 40) }, live(LIST, Side::Control, 3)],
        copies: vec![
            Copies { only_control: 4, no_evidence: 4, ..copies(LIST, Pair::Candidate, 0, 4) },
            Copies { both: 2, ..copies(LIST, Pair::Second, 2, 0) },
        ],
        copy_latencies: Default::default(),
        ..slot()
    }
}

fn after(slots: usize, slot: &Slot) -> Decision {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 100, &crate::situation::slot());
    judge.applied(Part::MOST, 2, LONG_AGO);
    take(&mut judge, slots, slot);
    judge.decide(NOW)
}

fn is_rolled_back(decision: &Decision) -> bool {
    matches!(decision, Decision::RollBack { .. })
}

#[test]
fn an_outage_of_five_offices_rolls_back_after_a_minute() {
    assert!(!is_rolled_back(&after(11, &outage(5))));
    let decision = after(12, &outage(5));
    let because = Reason::FailsForAll { bad: 480, clients: 5, copies: 48, seconds: 60 };
    assert_eq!(decision, Decision::RollBack { because });
    assert!(is_rolled_back(&after(12, &Slot { generation: 2, ..silent() })), "no answer is as bad");
}

/// The same outage, but the candidate does not answer.
fn silent() -> Slot {
    let mut silent = outage(5);
    silent.live[0] = Live { silent: 40, ..live(LIST, Side::Candidate, 0) };
    silent.copies[0] = Copies { only_control: 4, ..copies(LIST, Pair::Candidate, 0, 0) };
    silent.bad.iter_mut().for_each(|bad| bad.kind = BadKind::TimedOut);
    silent
}

#[test]
fn no_rollback_if_the_candidate_works_for_others_or_control_fails_too() {
    let mut of_two = outage(2);
    of_two.copies.truncate(1);
    let mut fails_everywhere = outage(20);
    fails_everywhere.copies[0] = copies(LIST, Pair::Candidate, 4, 0);
    let mut is_answered = outage(20);
    is_answered.live[0].answered += 1;
    let mut copy_is_answered = outage(20);
    copy_is_answered.copies[0].both = 1;
    let mut twin_fails = outage(20);
    twin_fails.copies[1] = Copies { only_control: 4, ..copies(LIST, Pair::Second, 0, 4) };
    for (slot, why) in [
        (of_two, "two clients are too few"),
        (fails_everywhere, "control fails such requests, too"),
        (is_answered, "another client got an answer"),
        (copy_is_answered, "a copy of another client's request got an answer"),
        (twin_fails, "copies fail at a second control process, too"),
    ] {
        let decision = after(200, &slot);
        assert!(!is_rolled_back(&decision), "{why}: {decision}");
    }
    // One good answer a minute is enough.
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 100, &slot());
    judge.applied(Part::MOST, 2, LONG_AGO);
    let mut honest = outage(20);
    honest.copies[0].both = 1;
    for _ in 0..20 {
        take(&mut judge, 11, &outage(20));
        take(&mut judge, 1, &honest);
    }
    assert!(!is_rolled_back(&judge.decide(NOW)), "{}", judge.decide(NOW));
}
