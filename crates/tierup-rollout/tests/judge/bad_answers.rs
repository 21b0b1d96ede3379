//! Which side gave the bad answers.

use tierup_rollout::{
    Decision, Kind, Part, Reason, Side, Weights,
    evidence::{Bad, BadKind, Slot},
};

use crate::situation::*;

#[test]
fn a_rise_of_5xx_rolls_back_and_names_the_side() {
    let mut judge = at_ten_percent(plan());
    let answers = (0..2).map(|client| bad(BadKind::Error, Side::Control, client));
    let candidates = (2..12).map(|client| bad(BadKind::Error, Side::Candidate, client));
    judge.take(&[Slot { bad: answers.chain(candidates).collect(), ..slot() }]);
    let Reason::Charged(charge) = rolled_back(&judge) else { panic!("{}", rolled_back(&judge)) };
    assert_eq!((charge.kind, charge.needed), (Kind::Errors, 600.0));
    assert!(charge.to_string().contains("10 of 12 bad answers were the candidate's at 10%"), "{charge}");
    // A rollback is final, whatever evidence follows.
    take(&mut judge, 1000, &slot());
    assert!(matches!(judge.decide(NOW), Decision::RollBack { .. }));
}

#[test]
fn one_client_is_one_witness() {
    let mut judge = at_ten_percent(plan());
    let same = vec![bad(BadKind::TimedOut, Side::Candidate, 7); 1000];
    take(&mut judge, 20, &Slot { bad: same, ..slot() });
    assert!(advances(&judge), "{}", judge.decide(NOW));
}

#[test]
fn one_public_network_is_one_witness_with_any_number_of_keys() {
    let mut judge = at_ten_percent(plan());
    let forged = |client| Bad { network: Some(7), ..bad(BadKind::TimedOut, Side::Candidate, client) };
    take(&mut judge, 20, &Slot { bad: (0..50).map(forged).collect(), ..slot() });
    assert!(advances(&judge), "{}", judge.decide(NOW));
}

/// These networks know their side. Their bad answers only hold the ramp; those of others end it as soon as without
/// them.
#[test]
fn twenty_public_networks_hold_and_end_nothing() {
    for kind in [BadKind::Error, BadKind::TimedOut, BadKind::Left] {
        let mut judge = at_ten_percent(plan());
        let of = |number| Bad { network: Some(number), ..bad(kind, Side::Candidate, number) };
        take(&mut judge, 20, &Slot { bad: (0..20).map(of).collect(), ..slot() });
        let because = holds(&judge);
        let [Reason::Charged(charge)] = &because[..] else { panic!("{because:?}") };
        assert!(charge.counted.contains("20 may be one attacker's, and do not roll back"), "{charge}");
        take(&mut judge, 1, &Slot { bad: (20..30).map(of).collect(), ..slot() });
        assert!(matches!(rolled_back(&judge), Reason::Charged(_)));
    }
}

#[test]
fn twenty_public_networks_cannot_hide_a_candidate_that_fails_often() {
    let weights = Weights::with_twin(Part::HALF);
    let of = |side, number| Bad { weights, network: Some(number), ..bad(BadKind::Error, side, number) };
    let mut judge = at_ten_percent(plan());
    judge.applied(Part::HALF, 1, LONG_AGO);
    let both =
        (0..20).map(|number| of(Side::Control, number)).chain((20..40).map(|number| of(Side::Candidate, number)));
    let mut failing = Slot { bad: both.collect(), ..slot() };
    take(&mut judge, 20, &failing);
    assert!(advances(&judge), "hardly any of its answers is bad: {}", judge.decide(NOW));
    failing.live[1].errors = 1;
    take(&mut judge, 20, &failing);
    assert!(matches!(&holds(&judge)[..], [Reason::Charged(charge)] if charge.kind == Kind::Errors));
}

#[test]
fn bad_answers_at_100_percent_are_no_evidence() {
    let mut judge = at_ten_percent(plan());
    let mut errors: Vec<Bad> = (0..100).map(|client| bad(BadKind::Error, Side::Candidate, client)).collect();
    errors.iter_mut().for_each(|bad| bad.weights = Weights { candidate: Part::ALL, twin: Part::NONE });
    take(&mut judge, 20, &Slot { bad: errors, ..slot() });
    assert!(advances(&judge), "{}", judge.decide(NOW));
}

#[test]
fn half_of_the_evidence_holds_the_ramp() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    assert!(advances(&judge));
    let errors = (0..3).map(|client| bad(BadKind::Error, Side::Candidate, client)).collect();
    judge.take(&[Slot { bad: errors, ..slot() }]);
    let because = holds(&judge);
    assert!(matches!(&because[..], [Reason::Charged(charge)] if charge.kind == Kind::Errors), "{because:?}");
}

#[test]
fn evidence_of_another_ramp_is_ignored() {
    let mut judge = at_ten_percent(plan());
    let errors: Vec<Bad> = (0..100).map(|client| bad(BadKind::Error, Side::Candidate, client)).collect();
    let other = Slot { ramp: Some("00000002".into()), bad: errors, ..slot() };
    take(&mut judge, 20, &other);
    take(&mut judge, 20, &Slot { ramp: None, ..other });
    assert!(
        holds(&judge).contains(&Reason::NoTraffic)
            || holds(&judge).contains(&Reason::TooSoon { seconds: 0, needed: 60 })
    );
}
