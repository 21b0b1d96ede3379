//! What a step needs, and what the operator can do.

use std::collections::BTreeMap;

use tierup_rollout::{
    Decision, Kind, Part, Reason, Side, Treatment,
    evidence::{NO_LANE, Pair, Slot},
};

use crate::situation::*;

#[test]
fn a_ramp_without_faults_waits_only_for_the_operator() {
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
    // Slots that began before the new weight do not belong to the step.
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
    // Only the operator ends the hold-back.
    judge.applied(Part::ALL, 4, LONG_AGO);
    assert_eq!(judge.decide(NOW), Decision::Done);
}

#[test]
fn slots_of_one_time_taken_one_by_one_do_not_shorten_a_step() {
    let mut judge = judge(plan());
    judge.applied(part("10%"), 1, NOW - 30);
    take(&mut judge, 24, &slot());
    assert_eq!(holds(&judge), [Reason::TooSoon { seconds: 30, needed: 60 }]);
}

#[test]
fn no_data_is_never_success() {
    let mut waiting = judge(plan());
    assert!(holds(&waiting).contains(&Reason::NoTraffic));
    // Neither time alone counts, nor traffic without copies to the candidate.
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
fn a_step_waits_for_each_route_with_more_than_a_hundredth_of_the_traffic() {
    let mut judge = at_ten_percent(plan());
    let mut slot = slot();
    slot.live.extend([live("GET /rare", Side::Control, 1), live("GET /some", Side::Control, 5)]);
    take(&mut judge, 20, &slot);
    assert_eq!(holds(&judge), [Reason::FewAnswers { route: Some("GET /some".into()), answers: 0, needed: 100 }]);
}

#[test]
fn routes_with_hashed_names_count_together() {
    let mut judge = at_ten_percent(plan());
    for route in ["GET /login/hmac:1f2e3d4c5b6a7988", "GET /login/hmac:8897a6b5c4d3e2f1"] {
        let mut slot = slot();
        slot.live.extend([live(route, Side::Control, 48), live(route, Side::Candidate, 6), live(route, Side::Twin, 6)]);
        take(&mut judge, 10, &slot);
    }
    assert!(advances(&judge), "{}", judge.decide(NOW));
}

#[test]
fn a_step_waits_if_a_route_is_not_compared() {
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
fn requests_without_a_free_lane_do_not_count_as_left_out() {
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

    // Unless the plan names it, the route stays with control, and no step waits for it.
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
