//! A candidate that breaks down at a weight at which nearly all answers are its own.

use tierup_rollout::{
    Judge, Latencies, Part, Reason, Side, Weights,
    evidence::{Bad, BadKind, Live, Slot, Witness},
};

use crate::situation::*;

/// A judge that has seen 10,000 good answers at 10 %, and is now at this weight.
fn at(weight: Part) -> Judge {
    let mut judge = at_ten_percent(plan());
    let latencies = [(Side::Control, latencies((0..500).map(|number| 10 + number % 50)))].into();
    take(&mut judge, 100, &Slot { latencies, ..slot() });
    judge.applied(weight, 2, LONG_AGO);
    judge
}

/// Five seconds at a weight, with these answers of the candidate. Each bad answer goes to another client.
fn slot_of(weight: Part, candidate: Live, control: u64) -> Slot {
    let weights = Weights::with_twin(weight);
    let kinds = [(BadKind::Error, candidate.errors), (BadKind::TimedOut, candidate.silent)];
    let bad = kinds.iter().flat_map(|(kind, count)| (0..*count).map(move |client| (*kind, client)));
    let bad = bad.map(|(kind, client)| Bad {
        kind,
        route: LIST.into(),
        side: Side::Candidate,
        weights,
        client: Some(client),
        network: None,
    });
    Slot {
        generation: 2,
        bad: bad.collect(),
        live: vec![candidate, live(LIST, Side::Control, control)],
        copies: Vec::new(),
        copy_latencies: Default::default(),
        ..slot()
    }
}

fn errors(errors: u64, answered: u64) -> Live {
    Live { errors, ..live(LIST, Side::Candidate, answered) }
}

#[test]
fn errors_to_everybody_roll_back_within_two_slots_at_the_last_step_and_after_it() {
    for weight in [Part::MOST, Part::ALL] {
        let mut judge = at(weight);
        let outage = slot_of(weight, errors(400, 400), if weight == Part::ALL { 0 } else { 6 });
        take(&mut judge, 1, &outage);
        assert!(!matches!(judge.decide(NOW), tierup_rollout::Decision::RollBack { .. }), "one slot may be a burst");
        take(&mut judge, 1, &outage);
        let reason = rolled_back(&judge);
        assert!(matches!(reason, Reason::BrokeDown { bad: 400, answers: 400, seconds: 10, .. }), "{reason}");
    }
}

#[test]
fn a_candidate_that_never_answers_is_rolled_back_after_one_slot() {
    for weight in [part("10%"), Part::MOST, Part::ALL] {
        let mut judge = at(weight);
        let silent = Live { silent: 40, ..live(LIST, Side::Candidate, 0) };
        take(&mut judge, 1, &slot_of(weight, silent, 2));
        let expected = Reason::NoWholeAnswer { requests: 40, clients: 40, seconds: 5 };
        assert_eq!(rolled_back(&judge), expected);
    }
}

#[test]
fn answers_that_take_a_hundred_times_as_long_roll_back_at_the_last_step() {
    let mut judge = at(Part::MOST);
    let mut slow = slot_of(Part::MOST, errors(0, 400), 6);
    let seconds = |seconds: u64, count| {
        let mut took = Latencies::default();
        took.add_many(std::time::Duration::from_secs(seconds), count);
        took
    };
    slow.latencies = [(Side::Candidate, seconds(8, 400))].into();
    // Twenty public networks can ask for slow answers, and make half of the traffic.
    slow.late = (0..400).map(|number| Witness { bucket: number % 20, is_network: true }).collect();
    take(&mut judge, 100, &slow);
    assert!(!matches!(judge.decide(NOW), tierup_rollout::Decision::RollBack { .. }), "{}", judge.decide(NOW));
    slow.late = (0..400).map(|bucket| Witness { bucket, is_network: true }).collect();
    take(&mut judge, 2, &slow);
    assert!(matches!(rolled_back(&judge), Reason::BrokeDown { .. }), "{}", judge.decide(NOW));
}

/// Five seconds in which both sides fail: for each, its bad answers and all its answers.
fn failing_alike(weight: Part, candidate: (u64, u64), control: (u64, u64)) -> Slot {
    let mut outage = slot_of(weight, errors(candidate.0, candidate.1), 0);
    outage.live[1] = Live { errors: control.0, ..live(LIST, Side::Control, control.1) };
    let weights = Weights::with_twin(weight);
    let of_control = |number| Bad {
        kind: BadKind::Error,
        route: LIST.into(),
        side: Side::Control,
        weights,
        client: Some(1000 + number),
        network: None,
    };
    outage.bad.extend((0..control.0).map(of_control));
    outage
}

/// After an uneven slot, both sides fail alike: rarely at 5 %, often at 50 %. Counted together, 36 % of the candidate's
/// answers would be bad and 15 % of control's, as more of the candidate's answers are from the later time.
#[test]
fn a_run_ends_when_the_weight_changes() {
    let mut judge = at(part("5%"));
    take(&mut judge, 1, &failing_alike(part("5%"), (18, 50), (142, 950)));
    take(&mut judge, 4, &failing_alike(part("5%"), (1, 50), (19, 950)));
    judge.applied(part("50%"), 2, LONG_AGO);
    for slot in 1..5 {
        let mut often = failing_alike(part("50%"), (200, 500), (200, 500));
        // Each slot has other clients.
        often.bad.iter_mut().for_each(|bad| bad.client = bad.client.map(|client| client + 10_000 * slot));
        take(&mut judge, 1, &often);
    }
    assert!(!matches!(judge.decide(NOW), tierup_rollout::Decision::RollBack { .. }), "{}", judge.decide(NOW));
}

#[test]
fn failures_that_hit_control_as_well_are_no_breakdown() {
    let mut judge = at(part("50%"));
    take(&mut judge, 100, &failing_alike(part("50%"), (200, 400), (200, 400)));
    assert!(!matches!(judge.decide(NOW), tierup_rollout::Decision::RollBack { .. }), "{}", judge.decide(NOW));
}

/// Gives the clients public addresses: `networks` different ones, from number `first` on.
fn from_networks(mut slot: Slot, first: u64, networks: u64) -> Slot {
    for (number, bad) in slot.bad.iter_mut().enumerate() {
        let client = first + number as u64 % networks;
        (bad.client, bad.network) = (Some(client), Some(client));
    }
    slot
}

#[test]
fn twenty_public_networks_whose_requests_all_fail_are_no_breakdown() {
    for weight in [part("10%"), Part::MOST, Part::ALL] {
        let control = if weight == Part::ALL { 0 } else { 30 };
        let failing = |first| from_networks(slot_of(weight, errors(300, 400), control), first, 20);
        let silent = Live { silent: 40, ..live(LIST, Side::Candidate, 0) };
        let silent = |first| from_networks(slot_of(weight, silent.clone(), 2), first, 20);
        let mut judge = at(weight);
        take(&mut judge, 100, &failing(0));
        take(&mut judge, 100, &silent(0));
        assert!(!matches!(judge.decide(NOW), tierup_rollout::Decision::RollBack { .. }), "{}", judge.decide(NOW));
        // The silence goes on as long as other clients get no answer either.
        take(&mut judge, 1, &silent(20));
        assert!(matches!(rolled_back(&judge), Reason::NoWholeAnswer { clients: 40, .. }));
        // The run goes on as long as requests of other clients fail.
        let mut judge = at(weight);
        (0..20).for_each(|slot| take(&mut judge, 1, &failing(slot * 20)));
        let reason = rolled_back(&judge);
        assert!(weight < Part::MOST || matches!(reason, Reason::BrokeDown { .. }), "{reason}");
    }
}

#[test]
fn one_client_whose_requests_all_fail_is_no_breakdown() {
    // The second client takes another key each time.
    let one: [fn(&mut Bad); 2] = [|bad| bad.client = Some(7), |bad| bad.network = Some(7)];
    for (weight, one) in
        [part("10%"), Part::MOST, Part::ALL].into_iter().flat_map(|weight| one.map(|one| (weight, one)))
    {
        let mut judge = at(weight);
        let mut errors = slot_of(weight, errors(300, 400), if weight == Part::ALL { 0 } else { 30 });
        errors.bad.iter_mut().for_each(one);
        take(&mut judge, 100, &errors);
        let mut silent = slot_of(weight, Live { silent: 40, ..live(LIST, Side::Candidate, 0) }, 2);
        silent.bad.iter_mut().for_each(one);
        take(&mut judge, 100, &silent);
        assert!(!matches!(judge.decide(NOW), tierup_rollout::Decision::RollBack { .. }), "{}", judge.decide(NOW));
    }
}
