//! Events and golden calls, which count at once.

use tierup_rollout::{Decision, Judge, Reason, Side, evidence::Event};

use crate::situation::*;

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
fn the_ramp_waits_if_golden_calls_stop() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    for (now, is_old) in [(NOW + 30, false), (NOW + 31, true), (NOW - 31, true)] {
        assert_eq!(matches!(judge.decide(now), Decision::Hold { .. }), is_old);
    }
    let mut never = Judge::new(RAMP, plan()).expect("the plan is right");
    take(&mut never, 20, &slot());
    assert!(holds(&never).contains(&Reason::NoGolden));
}
