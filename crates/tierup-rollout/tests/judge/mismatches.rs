//! Mismatches: confirmed ones, noise, a budget.

use tierup_rollout::{
    Kind, Plan, Reason,
    evidence::{Event, Pair},
};

use crate::situation::*;

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
