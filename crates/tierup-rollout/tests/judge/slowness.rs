//! Latencies of copies and of answers to clients.

use std::collections::BTreeMap;

use tierup_rollout::{Charge, Decision, Judge, Kind, Plan, Reason, Side, evidence::Slot};

use crate::situation::*;

/// A slot in which the candidate's answers take twice as long as all others.
fn slow() -> Slot {
    let fast = || latencies((1..=20).map(|tenth| tenth * 10));
    let slow = || latencies((1..=20).map(|tenth| tenth * 20));
    Slot {
        latencies: [(Side::Control, fast()), (Side::Candidate, slow()), (Side::Twin, fast())].into(),
        copy_latencies: [(Side::Candidate, slow()), (Side::Twin, fast())].into(),
        ..slot()
    }
}

#[test]
fn slow_copies_roll_back() {
    let mut judge = judge(plan());
    take(&mut judge, 40, &slow());
    let Reason::Charged(charge) = rolled_back(&judge) else { panic!("{}", rolled_back(&judge)) };
    assert_eq!(charge.kind, Kind::Slowness);
    assert!(charge.counted.contains("of its twin"), "{charge}");
}

#[test]
fn copies_do_not_count_while_clients_give_the_candidate_more_work() {
    let mut judge = at_ten_percent(plan());
    let slower = latencies((1..=10).map(|tenth| tenth * 15));
    let more = vec![live(LIST, Side::Control, 70), live(LIST, Side::Candidate, 20), live(LIST, Side::Twin, 10)];
    let busy = Slot {
        live: more,
        copy_latencies: [(Side::Candidate, slower), (Side::Twin, slot().copy_latencies[&Side::Twin].clone())].into(),
        ..slot()
    };
    take(&mut judge, 60, &busy);
    let Decision::Advance { because, .. } = judge.decide(NOW) else { panic!("{}", judge.decide(NOW)) };
    let charge = because.iter().find(|charge| charge.kind == Kind::Slowness).expect("there is a twin");
    assert!(
        charge.counted.ends_with("at this step only 0 of 60 blocks counted, as clients gave one of the two more work")
    );
    // The same slot with equal work.
    take(&mut judge, 60, &Slot { live: slot().live, ..busy });
    assert!(matches!(rolled_back(&judge), Reason::Charged(Charge { kind: Kind::Slowness, .. })));
}

#[test]
fn slowness_only_holds_if_clients_or_the_start_may_be_the_cause() {
    let without_copies = Slot { copy_latencies: BTreeMap::new(), ..slow() };
    // The second control process got fewer copies, so it had less work.
    let unequal = Slot { second: part("10%"), ..slow() };
    let without_twin = Plan { has_twin: false, ..plan() };
    for (plan, slot) in [(plan(), without_copies), (plan(), unequal), (without_twin, slow())] {
        let mut judge = at_ten_percent(plan);
        take(&mut judge, 1000, &slot);
        let because = holds(&judge);
        assert!(matches!(&because[..], [Reason::SlowerHere(_)]), "{because:?}");
        judge.applied(part("20%"), 1, LONG_AGO);
        assert!(!holds(&judge).iter().any(|reason| matches!(reason, Reason::SlowerHere(_))));
    }
}

#[test]
fn above_a_third_of_the_traffic_answers_that_take_three_times_as_long_hold() {
    for (times, is_held) in [(30, true), (19, false)] {
        let mut judge = at_ten_percent(plan());
        judge.applied(part("50%"), 1, LONG_AGO);
        let fast = || latencies((1..=20).map(|tenth| tenth * 10));
        let candidate = latencies((1..=20).map(|tenth| tenth * times));
        let latencies = [(Side::Control, fast()), (Side::Candidate, candidate), (Side::Twin, fast())].into();
        take(&mut judge, 100, &Slot { latencies, copy_latencies: BTreeMap::new(), ..slot() });
        let decided = judge.decide(NOW);
        let holds = |because: &[Reason]| because.iter().any(|reason| matches!(reason, Reason::SlowerHere(_)));
        assert_eq!(matches!(&decided, Decision::Hold { because } if holds(because)), is_held, "{decided}");
    }
}

#[test]
fn slots_of_several_proxies_are_one_block_of_time() {
    let mut one = judge(plan());
    let mut two = judge(plan());
    let half = || {
        let mut half = slow();
        half.live = vec![live(LIST, Side::Control, 100)];
        half
    };
    for _ in 0..8 {
        one.take(&[slow()]);
        two.take(&[half(), half()]);
    }
    // There are twice as many copies in the same time: the step is as long, and a block has one sign.
    assert!(holds(&two).contains(&Reason::TooSoon { seconds: 40, needed: 60 }));
    let slowness = |judge: &Judge| {
        let slowness = judge.charges().into_iter().find(|charge| charge.kind == Kind::Slowness);
        slowness.expect("it is judged").counted
    };
    assert_eq!(slowness(&one), slowness(&two));
}
