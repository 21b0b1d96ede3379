//! What a judge decides in single situations, and with what reasons. How often it is right: `simulated_ramps.rs`.

use std::{collections::BTreeMap, time::Duration};

use tierup_rollout::{
    Charge, Decision, Golden, Judge, Kind, Latencies, Part, Plan, Reason, Side, Treatment, Weights,
    evidence::{Bad, BadKind, Copies, Event, Live, NO_LANE, Pair, Slot},
};

const RAMP: &str = "00000001";
const LIST: &str = "GET /list";
const NOW: u64 = 1_795_406_400;
/// When steps began, unless a test says otherwise.
const LONG_AGO: u64 = NOW - 3_600;

fn part(text: &str) -> Part {
    text.parse().expect("a part")
}

/// A plan with small numbers: 10 and 100 %, a minute and a hundred answers each.
fn plan() -> Plan {
    Plan { steps: vec![part("10%"), part("100%")], hold: 60, least: 100, ..Plan::default() }
}

/// A judge of a plan, with golden calls that are right.
fn judge(plan: Plan) -> Judge {
    let mut judge = Judge::new(RAMP, plan).expect("the plan is right");
    judge.golden(&golden(Ok(()), Ok(())));
    judge
}

/// The same at its first step.
fn at_ten_percent(plan: Plan) -> Judge {
    let mut judge = judge(plan);
    judge.applied(part("10%"), 1, LONG_AGO);
    judge
}

fn golden(control: Result<(), &str>, candidate: Result<(), &str>) -> Golden {
    let owned = |answer: Result<(), &str>| answer.map_err(str::to_owned);
    Golden { at: NOW, call: "health".into(), control: owned(control), candidate: owned(candidate) }
}

fn live(route: &str, side: Side, answered: u64) -> Live {
    Live { route: route.into(), side, answered, errors: 0, silent: 0 }
}

fn copies(route: &str, pair: Pair, same: u64, mismatched: u64) -> Copies {
    Copies {
        route: route.into(),
        pair,
        same,
        mismatched,
        kinds: BTreeMap::new(),
        dropped: BTreeMap::new(),
        not_comparable: BTreeMap::new(),
        took: 0,
        copy_took: 0,
    }
}

fn latencies(milliseconds: impl IntoIterator<Item = u64>) -> Latencies {
    let mut latencies = Latencies::default();
    milliseconds.into_iter().for_each(|took| latencies.add(Duration::from_millis(took)));
    latencies
}

/// Five seconds in which all is well: 100 requests, of which the candidate and its twin answer a tenth each.
fn slot() -> Slot {
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

fn take(judge: &mut Judge, slots: usize, slot: &Slot) {
    (0..slots).for_each(|_| judge.take(std::slice::from_ref(slot)));
}

fn bad(kind: BadKind, side: Side, client: u64) -> Bad {
    let weights = Weights::with_twin(part("10%"));
    Bad { kind, route: LIST.into(), side, weights, client: Some(client) }
}

fn holds(judge: &Judge) -> Vec<Reason> {
    match judge.decide(NOW) {
        Decision::Hold { because } => because,
        other => panic!("{other}"),
    }
}

fn rolled_back(judge: &Judge) -> Reason {
    match judge.decide(NOW) {
        Decision::RollBack { because } => because,
        other => panic!("{other}"),
    }
}

fn advances(judge: &Judge) -> bool {
    matches!(judge.decide(NOW), Decision::Advance { .. })
}

#[test]
fn a_ramp_without_a_fault_goes_from_copies_to_all() {
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
    assert_eq!(kinds, [Kind::Errors, Kind::Unanswered, Kind::Mismatches, Kind::Slowness]);

    judge.applied(to, 2, LONG_AGO);
    // Slots that began before the new weight are no part of the step.
    take(&mut judge, 12, &slot());
    assert!(holds(&judge).contains(&Reason::TooSoon { seconds: 0, needed: 60 }));
    take(&mut judge, 12, &Slot { generation: 2, ..slot() });
    assert!(advances(&judge));

    judge.applied(Part::ALL, 3, LONG_AGO);
    let all = Slot {
        generation: 3,
        live: vec![live(LIST, Side::Candidate, 100)],
        copies: vec![copies(LIST, Pair::Verify, 10, 0)],
        copy_latencies: BTreeMap::new(),
        ..slot()
    };
    take(&mut judge, 9, &all);
    assert!(matches!(judge.decide(NOW), Decision::Hold { .. }));
    take(&mut judge, 3, &all);
    assert!(matches!(judge.decide(NOW), Decision::Done { .. }), "{}", judge.decide(NOW));
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
fn a_rise_of_5xx_rolls_back_and_says_whose_they_were() {
    let mut judge = at_ten_percent(plan());
    let answers = (0..2).map(|client| bad(BadKind::Error, Side::Control, client));
    let candidates = (2..12).map(|client| bad(BadKind::Error, Side::Candidate, client));
    judge.take(&[Slot { bad: answers.chain(candidates).collect(), ..slot() }]);
    let Reason::Charged(charge) = rolled_back(&judge) else { panic!("{}", rolled_back(&judge)) };
    assert_eq!((charge.kind, charge.needed), (Kind::Errors, 400.0));
    assert!(charge.to_string().contains("10 of 12 bad answers were the candidate's at 10%"), "{charge}");
    // It stays so, whatever comes.
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
fn where_there_is_no_choice_nobody_is_guilty() {
    let mut judge = at_ten_percent(plan());
    let mut errors: Vec<Bad> = (0..100).map(|client| bad(BadKind::Error, Side::Candidate, client)).collect();
    errors.iter_mut().for_each(|bad| bad.weights = Weights { candidate: Part::ALL, twin: Part::NONE });
    take(&mut judge, 20, &Slot { bad: errors, ..slot() });
    assert!(advances(&judge), "{}", judge.decide(NOW));
}

#[test]
fn much_doubt_holds_before_it_rolls_back() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    assert!(advances(&judge));
    let errors = (0..3).map(|client| bad(BadKind::Error, Side::Candidate, client)).collect();
    judge.take(&[Slot { bad: errors, ..slot() }]);
    let because = holds(&judge);
    assert!(matches!(&because[..], [Reason::Charged(charge)] if charge.kind == Kind::Errors), "{because:?}");
}

#[test]
fn evidence_of_another_ramp_is_none() {
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

#[test]
fn an_unreachable_candidate_rolls_back_once_clients_depend_on_it() {
    let unreachable = |side, is| Event::Unreachable { side, is };
    let mut starting = judge(plan());
    take(&mut starting, 20, &slot());
    starting.event("one", &unreachable(Side::Candidate, true));
    assert_eq!(holds(&starting), [Reason::Unreachable { side: Side::Candidate, proxy: "one".into() }]);
    starting.event("one", &unreachable(Side::Candidate, false));
    assert!(advances(&starting));

    let mut serving = at_ten_percent(plan());
    serving.event("one", &unreachable(Side::Twin, true));
    assert!(matches!(serving.decide(NOW), Decision::Hold { .. }));
    serving.event("one", &unreachable(Side::Candidate, true));
    assert_eq!(rolled_back(&serving), Reason::Unreachable { side: Side::Candidate, proxy: "one".into() });
}

#[test]
fn complaints_of_a_proxy_that_ended_are_forgotten() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    judge.event("one", &Event::Unreachable { side: Side::Twin, is: true });
    judge.event("one", &Event::ControlFile { trouble: Some("the checksum does not fit".into()) });
    assert_eq!(holds(&judge).len(), 2);
    judge.event("one", &Event::Ended);
    assert!(advances(&judge));
}

#[test]
fn a_wrong_golden_call_rolls_back_unless_control_is_wrong_too() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    judge.golden(&golden(Err("no answer"), Err("no answer")));
    assert_eq!(holds(&judge), [Reason::GoldenWrongAtControl { call: "health".into(), words: "no answer".into() }]);
    judge.golden(&golden(Ok(()), Ok(())));
    assert!(advances(&judge));
    judge.golden(&golden(Ok(()), Err("42 instead of 41")));
    assert_eq!(rolled_back(&judge), Reason::GoldenWrong { call: "health".into(), words: "42 instead of 41".into() });
}

#[test]
fn golden_calls_that_stopped_hold() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    for (now, is_old) in [(NOW + 30, false), (NOW + 31, true), (NOW - 31, true)] {
        assert_eq!(matches!(judge.decide(now), Decision::Hold { .. }), is_old);
    }
    let mut never = Judge::new(RAMP, plan()).expect("the plan is right");
    take(&mut never, 20, &slot());
    assert!(holds(&never).contains(&Reason::NoGolden));
}

#[test]
fn a_confirmed_mismatch_rolls_back() {
    let confirmed = || Event::Confirmed {
        route: LIST.into(),
        request: "GET /list?page=3".into(),
        words: "$.total is 3 and 4".into(),
    };
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 2, &slot());
    judge.event("one", &confirmed());
    assert!(matches!(rolled_back(&judge), Reason::Confirmed { .. }));

    // Before the first step it waits until it is known how noisy control is.
    let mut early = self::judge(plan());
    early.event("one", &confirmed());
    take(&mut early, 1, &slot());
    assert!(holds(&early).iter().any(|reason| matches!(reason, Reason::UnknownNoise { .. })));
    take(&mut early, 1, &slot());
    assert!(matches!(rolled_back(&early), Reason::Confirmed { .. }));

    // Where control differs from itself, asking again proves nothing.
    let mut noisy = self::judge(plan());
    let mut slot = slot();
    slot.copies = vec![copies(LIST, Pair::Candidate, 9, 1), copies(LIST, Pair::Second, 9, 1)];
    noisy.event("one", &confirmed());
    take(&mut noisy, 20, &slot);
    noisy.event("one", &confirmed());
    assert!(advances(&noisy), "{}", noisy.decide(NOW));
}

#[test]
fn mismatches_that_control_does_not_have_roll_back() {
    let mut judge = at_ten_percent(plan());
    let mut wrong = slot();
    wrong.copies[0] = copies(LIST, Pair::Candidate, 9, 1);
    take(&mut judge, 30, &wrong);
    let Reason::Charged(charge) = rolled_back(&judge) else { panic!("{}", rolled_back(&judge)) };
    assert_eq!(charge.kind, Kind::Mismatches);
    assert!(charge.counted.contains("mismatches were the candidate's at 50% of the compared copies"), "{charge}");
}

#[test]
fn a_second_control_process_that_is_down_accuses_nobody() {
    let mut judge = at_ten_percent(plan());
    let mut noise = slot();
    // Noise, which only the candidate's copies show.
    noise.copies = vec![copies(LIST, Pair::Candidate, 9, 1)];
    take(&mut judge, 1000, &noise);
    let because = holds(&judge);
    assert_eq!(because, [Reason::Unexplained { route: LIST.into(), mismatched: 1000, compared: 10_000 }]);
}

#[test]
fn a_budget_tolerates_that_rate_of_mismatches_and_no_more() {
    let budget = Plan { mismatches: 0.01, ..plan() };
    let confirmed = || Event::Confirmed {
        route: LIST.into(),
        request: "GET /list?page=3".into(),
        words: "$.total is 3 and 4".into(),
    };
    let mut within = at_ten_percent(budget.clone());
    let mut beyond = at_ten_percent(budget);
    for number in 0..1000 {
        let mut seen = slot();
        // One answer of a thousand is wrong, then one of twenty.
        for (judge, every) in [(&mut within, 100), (&mut beyond, 2)] {
            let is_wrong = number % every == 0;
            if is_wrong {
                judge.event("one", &confirmed());
            }
            seen.copies[0] = copies(LIST, Pair::Candidate, 10 - u64::from(is_wrong), is_wrong.into());
            judge.take(std::slice::from_ref(&seen));
        }
    }
    assert!(advances(&within), "{}", within.decide(NOW));
    let Reason::Charged(charge) = rolled_back(&beyond) else { panic!("{}", rolled_back(&beyond)) };
    assert_eq!(charge.kind, Kind::Confirmed);
    assert!(charge.counted.ends_with("compared answers, where 1 % are tolerated"), "{charge}");
}

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
fn copies_say_nothing_while_clients_give_the_candidate_more_work_and_that_is_said() {
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
    // The same with equal work.
    take(&mut judge, 60, &Slot { live: slot().live, ..busy });
    assert!(matches!(rolled_back(&judge), Reason::Charged(Charge { kind: Kind::Slowness, .. })));
}

#[test]
fn slowness_that_may_be_the_clients_fault_or_the_start_only_holds() {
    let without_copies = Slot { copy_latencies: BTreeMap::new(), ..slow() };
    // The second control process got fewer copies, so it had less to do.
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
fn more_bad_answers_at_the_end_hold() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    judge.applied(Part::ALL, 1, LONG_AGO);
    let mut all = slot();
    all.live = vec![Live { errors: 5, ..live(LIST, Side::Candidate, 100) }];
    all.copies = vec![copies(LIST, Pair::Verify, 10, 0)];
    take(&mut judge, 20, &all);
    let because = holds(&judge);
    let worse = Reason::WorseAtAll { bad: 100, answers: 2000, bad_before: 0, answers_before: 200 };
    assert_eq!(because, [worse]);
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
    // Twice the copies in the same time: the step is as long, and a block has one sign.
    assert!(holds(&two).contains(&Reason::TooSoon { seconds: 40, needed: 60 }));
    let slowness = |judge: &Judge| {
        let slowness = judge.charges().into_iter().find(|charge| charge.kind == Kind::Slowness);
        slowness.expect("it is judged").counted
    };
    assert_eq!(slowness(&one), slowness(&two));
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
