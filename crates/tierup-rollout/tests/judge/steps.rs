//! What a step needs, and the operator.

use std::collections::BTreeMap;

use tierup_rollout::{
    Decision, Kind, Part, Reason, Side, Treatment,
    evidence::{NO_LANE, Pair, Slot},
};

use crate::situation::*;

#[test]
fn a_ramp_without_a_fault_goes_from_copies_to_the_operators_word() {
    let mut judge = judge(plan());
    take(&mut judge, 9, &slot());
    assert_eq!(
        holds(&judge),
        [
            Reason::TooSoon { seconds: 45, needed: 60 },
            Reason::FewCompared { route: LIST.into(), compared: 90, needed: 100 }
        ]
    );
    take(&mut judge, 3, &slot());
    let Decision::Advance { to, because } = judge.decide(NOW) else { panic!("{}", judge.decide(NOW)) };
    assert_eq!(to, part("10%"));
    let kinds: Vec<Kind> = because.iter().map(|charge| charge.kind).collect();
    assert_eq!(kinds, [Kind::Errors, Kind::Unanswered, Kind::Departures, Kind::Mismatches, Kind::Slowness]);

    judge.applied(to, 2, LONG_AGO);
    // Slots that began before the new weight are no part of the step.
    take(&mut judge, 12, &slot());
    assert!(holds(&judge).contains(&Reason::TooSoon { seconds: 0, needed: 60 }));
    take(&mut judge, 12, &Slot { generation: 2, ..slot() });
    assert!(advances(&judge));

    judge.applied(Part::MOST, 3, LONG_AGO);
    let most = Slot {
        generation: 3,
        live: vec![live(LIST, Side::Candidate, 99), live(LIST, Side::Control, 1)],
        copies: vec![copies(LIST, Pair::Verify, 10, 0)],
        copy_latencies: BTreeMap::new(),
        ..slot()
    };
    take(&mut judge, 9, &most);
    assert!(matches!(judge.decide(NOW), Decision::Hold { .. }));
    take(&mut judge, 3, &most);
    assert!(matches!(judge.decide(NOW), Decision::Ready { .. }), "{}", judge.decide(NOW));
    // Only the operator's word ends the hold-back.
    judge.applied(Part::ALL, 4, LONG_AGO);
    assert_eq!(judge.decide(NOW), Decision::Done);
}

#[test]
fn slots_that_were_not_put_together_do_not_shorten_a_step() {
    let mut judge = judge(plan());
    judge.applied(part("10%"), 1, NOW - 30);
    take(&mut judge, 24, &slot());
    assert_eq!(holds(&judge), [Reason::TooSoon { seconds: 30, needed: 60 }]);
}

#[test]
fn no_data_is_never_success() {
    let mut waiting = judge(plan());
    assert!(holds(&waiting).contains(&Reason::NoTraffic));
    // Time alone does not count, nor does traffic that the candidate sees nothing of.
    let without_copies = Slot { copies: Vec::new(), copy_latencies: BTreeMap::new(), ..slot() };
    take(&mut waiting, 1000, &without_copies);
    assert!(holds(&waiting).contains(&Reason::TooSoon { seconds: 0, needed: 60 }));

    let mut idle = at_ten_percent(plan());
    take(&mut idle, 1000, &Slot { live: vec![live(LIST, Side::Control, 100)], ..slot() });
    assert!(holds(&idle).contains(&Reason::FewAnswers { route: Some(LIST.into()), answers: 0, needed: 100 }));

    let mut without_twin = at_ten_percent(plan());
    take(&mut without_twin, 1000, &Slot { copy_latencies: BTreeMap::new(), ..slot() });
    assert_eq!(holds(&without_twin), [Reason::IdleTwin { blocks: 0, needed: 12 }]);
}

#[test]
fn each_route_with_more_than_a_hundredth_of_the_traffic_is_waited_for() {
    let mut judge = at_ten_percent(plan());
    let mut slot = slot();
    slot.live.extend([live("GET /rare", Side::Control, 1), live("GET /some", Side::Control, 5)]);
    take(&mut judge, 20, &slot);
    assert_eq!(holds(&judge), [Reason::FewAnswers { route: Some("GET /some".into()), answers: 0, needed: 100 }]);
}

#[test]
fn routes_whose_names_are_hashes_count_together_as_each_run_of_a_proxy_has_others() {
    let mut judge = at_ten_percent(plan());
    for route in ["GET /login/hmac:1f2e3d4c5b6a7988", "GET /login/hmac:8897a6b5c4d3e2f1"] {
        let mut slot = slot();
        slot.live.extend([live(route, Side::Control, 48), live(route, Side::Candidate, 6), live(route, Side::Twin, 6)]);
        take(&mut judge, 10, &slot);
    }
    assert!(advances(&judge), "{}", judge.decide(NOW));
}

#[test]
fn a_route_that_is_not_compared_holds() {
    let mut judge = at_ten_percent(plan());
    let mut slot = slot();
    slot.copies[0].dropped = BTreeMap::from([("too many copies under way".into(), 1)]);
    take(&mut judge, 20, &slot);
    let left_out = Reason::NotCompared {
        route: LIST.into(),
        sampled: 220,
        left_out: 20,
        mostly: "too many copies under way".into(),
    };
    assert_eq!(holds(&judge), [left_out]);
}

#[test]
fn a_lane_that_was_taken_is_no_request_left_out() {
    let mut judge = at_ten_percent(plan());
    let mut slot = slot();
    slot.copies[0].dropped = BTreeMap::from([(NO_LANE.into(), 1_000)]);
    take(&mut judge, 20, &slot);
    assert!(!matches!(judge.decide(NOW), Decision::Hold { .. }), "{:?}", judge.decide(NOW));
}

#[test]
fn routes_with_effects_advance_on_copies_alone_and_unknown_effects_never_ramp() {
    let order = "POST /orders";
    let mut with_effects = plan();
    with_effects.routes.insert(order.into(), Treatment::Effects);
    let mut slot = slot();
    slot.live.push(live(order, Side::Control, 50));
    let mut judge = at_ten_percent(with_effects.clone());
    take(&mut judge, 20, &slot);
    assert_eq!(holds(&judge), [Reason::FewCompared { route: order.into(), compared: 0, needed: 100 }]);
    slot.copies.push(copies(order, Pair::Candidate, 5, 0));
    take(&mut judge, 20, &slot);
    assert!(advances(&judge), "{}", judge.decide(NOW));

    // Without the plan's word it stays with control, and nobody waits for it.
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot);
    assert!(advances(&judge), "{}", judge.decide(NOW));
    slot.live.push(live(order, Side::Candidate, 1));
    judge.take(&[slot]);
    assert_eq!(rolled_back(&judge), Reason::NotToRamp { route: order.into() });

    let mut only = at_ten_percent(plan());
    let posts = Slot { live: vec![live(order, Side::Control, 100)], ..self::slot() };
    take(&mut only, 20, &posts);
    assert!(holds(&only).contains(&Reason::NothingToRamp));
}

#[test]
fn the_operator_pauses_and_aborts() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    judge.pause(true);
    assert_eq!(holds(&judge), [Reason::Paused]);
    judge.pause(false);
    assert!(advances(&judge));
    judge.abort();
    assert_eq!(rolled_back(&judge), Reason::Aborted);
}
