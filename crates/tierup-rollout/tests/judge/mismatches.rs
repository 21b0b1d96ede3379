//! Mismatches: confirmed ones, noise, and a budget.

use tierup_rollout::{
    Decision, Judge, Kind, Part, Plan, Reason, Treatment,
    evidence::{Confirmed, Copies, Event, Pair, Slot},
};

use crate::situation::*;

/// A confirmed difference on the request with this number, of this client.
fn confirmed(number: u64, client: u64) -> Confirmed {
    Confirmed {
        pair: Pair::Candidate,
        route: LIST.into(),
        request: format!("GET /list?page={number}"),
        words: "$.total is 3 and 4".into(),
        client,
        is_network: false,
        status: 200,
    }
}

/// Confirms differences on the requests with these numbers, each of another client.
fn confirm(judge: &mut Judge, numbers: std::ops::Range<u64>) {
    numbers.for_each(|number| judge.event("one", &Event::Confirmed(confirmed(number, number))));
}

#[test]
fn confirmed_mismatches_on_different_requests_of_several_clients_roll_back() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    confirm(&mut judge, 0..9);
    assert!(matches!(&holds(&judge)[..], [Reason::FewConfirmed { requests: 9, needed: 10, clients: 9, .. }]));
    confirm(&mut judge, 8..9);
    assert!(matches!(judge.decide(NOW), Decision::Hold { .. }), "the same request once more");
    confirm(&mut judge, 9..10);
    assert!(matches!(rolled_back(&judge), Reason::Confirmed { .. }));

    // The twin gets few copies, so chance explains more differences. A load balancer's slots do not change that.
    let mut balanced = at_ten_percent(plan());
    let mirrored = Slot { second: part("10%"), ..slot() };
    let of_balancer = Slot { second: Part::NONE, copies: vec![], ..slot() };
    (0..20).for_each(|_| balanced.take(&[mirrored.clone(), of_balancer.clone()]));
    confirm(&mut balanced, 0..65);
    let reasons = holds(&balanced);
    assert!(matches!(reasons[0], Reason::FewConfirmed { requests: 65, needed: 66, .. }), "{reasons:?}");

    let mut of_one_client = at_ten_percent(plan());
    take(&mut of_one_client, 20, &slot());
    (0..100).for_each(|number| of_one_client.event("one", &Event::Confirmed(confirmed(number, number % 2))));
    assert!(matches!(&holds(&of_one_client)[..], [Reason::FewConfirmed { clients: 2, clients_needed: 3, .. }]));
    // Each proxy numbers its clients itself.
    of_one_client.event("two", &Event::Confirmed(confirmed(0, 7)));
    assert!(matches!(of_one_client.decide(NOW), Decision::Hold { .. }));
}

/// Conditions, ranges and overlong heads: at some servers, anybody finds requests that are treated differently.
#[test]
fn differences_seen_by_twenty_public_networks_hold_the_ramp() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    let mut confirm = |clients: std::ops::Range<u64>| {
        clients.for_each(|client| {
            let confirmed = Confirmed { is_network: true, ..confirmed(client, client) };
            judge.event("one", &Event::Confirmed(confirmed));
        });
        judge.decide(NOW)
    };
    let Decision::Hold { because } = confirm(0..22) else { panic!("twenty may be one attacker") };
    assert!(matches!(&because[..], [Reason::FewConfirmed { requests: 22, clients: 22, clients_needed: 23, .. }]));
    assert!(matches!(confirm(22..23), Decision::RollBack { because: Reason::Confirmed { .. } }));
}

#[test]
fn differences_confirmed_at_the_twin_are_noise() {
    let mut judge = at_ten_percent(plan());
    take(&mut judge, 20, &slot());
    confirm(&mut judge, 0..9);
    judge.event("one", &Event::Confirmed(Confirmed { pair: Pair::Second, ..confirmed(9, 9) }));
    confirm(&mut judge, 10..100);
    assert!(advances(&judge), "{}", judge.decide(NOW));

    // A route on which control often differs from itself is noisy as well.
    let mut noisy = self::judge(plan());
    let mut slot = slot();
    slot.copies = vec![copies(LIST, Pair::Candidate, 9, 1), copies(LIST, Pair::Second, 9, 1)];
    take(&mut noisy, 20, &slot);
    confirm(&mut noisy, 0..100);
    assert!(advances(&noisy), "{}", noisy.decide(NOW));
}

/// A judge without a twin, after this many slots with copies.
fn after(slots: usize, copied: Vec<Copies>) -> Judge {
    let mut judge = at_ten_percent(Plan { has_twin: false, has_second: false, ..plan() });
    take(&mut judge, slots, &Slot { second: Part::NONE, copies: copied, ..slot() });
    judge
}

/// Three clients confirm the same request, as if the server had a single address.
fn confirm_one_request(judge: &mut Judge) {
    (0..3).for_each(|client| judge.event("one", &Event::Confirmed(confirmed(7, client))));
}

#[test]
fn one_request_is_enough_if_nearly_all_answers_differ_for_longer_than_confirming_takes() {
    let rare = |same, mismatched| copies("GET /rare", Pair::Candidate, same, mismatched);
    for (slots, copied, is_wrong) in [
        (16, vec![copies(LIST, Pair::Candidate, 0, 10)], true),
        (16, vec![copies(LIST, Pair::Candidate, 1, 9), rare(0, 1)], true),
        // After 16 slots, flags, replicas and most caches are equal again; after 15, they may still differ.
        (15, vec![copies(LIST, Pair::Candidate, 0, 10)], false),
        // Other clients get right answers, so one client may have sent the only request that differs.
        (16, vec![copies(LIST, Pair::Candidate, 2, 8)], false),
        (16, vec![copies(LIST, Pair::Candidate, 0, 10), rare(9, 0)], false),
        (59, vec![copies(LIST, Pair::Candidate, 0, 10), rare(9, 0)], false),
        // A route may be one entry of a cache, for five minutes.
        (60, vec![copies(LIST, Pair::Candidate, 0, 10), rare(9, 0)], true),
        // Answers that are no evidence prove nothing, and neither does a single client.
        (100, vec![Copies { no_evidence: 10, ..copies(LIST, Pair::Candidate, 0, 10) }], false),
        (15, vec![copies(LIST, Pair::Candidate, 0, 1)], false),
    ] {
        let mut judge = after(slots, copied.clone());
        confirm_one_request(&mut judge);
        let decided = judge.decide(NOW);
        assert_eq!(matches!(decided, Decision::RollBack { .. }), is_wrong, "{slots} {copied:?}: {decided}");
    }
    let mut interrupted = after(15, vec![copies(LIST, Pair::Candidate, 0, 10)]);
    let right = Slot { copies: vec![copies(LIST, Pair::Candidate, 10, 0)], ..slot() };
    take(&mut interrupted, 1, &right);
    take(&mut interrupted, 15, &Slot { copies: vec![copies(LIST, Pair::Candidate, 0, 10)], ..slot() });
    confirm_one_request(&mut interrupted);
    assert!(matches!(interrupted.decide(NOW), Decision::Hold { .. }));
}

#[test]
fn differences_on_requests_that_control_refuses_never_roll_back() {
    for status in [304, 431, 500] {
        let mut judge = at_ten_percent(plan());
        take(&mut judge, 20, &slot());
        // An attacker can send a request that control refuses as many clients, each of which confirms a difference.
        let forged = |number| Event::Confirmed(Confirmed { status, ..confirmed(number, number) });
        (0..100).for_each(|number| judge.event("one", &forged(number)));
        let mut wrong = slot();
        wrong.copies[0] = Copies { no_evidence: 50, ..copies(LIST, Pair::Candidate, 50, 50) };
        take(&mut judge, 100, &wrong);
        let request = "GET /list?page=0".to_owned();
        assert_eq!(holds(&judge), [Reason::ConfirmedAtStatus { route: LIST.into(), request, status }]);
    }
}

#[test]
fn mismatches_that_control_does_not_have_roll_back() {
    let mut judge = at_ten_percent(plan());
    let mut wrong = slot();
    wrong.copies[0] = copies(LIST, Pair::Candidate, 9, 1);
    take(&mut judge, 24 * 2, &wrong);
    let because = holds(&judge);
    assert!(
        matches!(&because[..], [Reason::Charged(charge)] if charge.counted.ends_with("may belong together")),
        "{because:?}"
    );
    take(&mut judge, 24 * 18, &wrong);
    let Reason::Charged(charge) = rolled_back(&judge) else { panic!("{}", rolled_back(&judge)) };
    assert_eq!(charge.kind, Kind::Mismatches);
    assert!(charge.counted.starts_with("in 14 of 14 periods of two minutes"), "{charge}");

    // Each mismatch on a request that cannot be repeated counts, except for the first twenty.
    let effects = "POST /orders";
    let mut judge = at_ten_percent(plan());
    wrong.copies = vec![copies(effects, Pair::Candidate, 9, 1), copies(effects, Pair::Second, 10, 0)];
    take(&mut judge, 20, &wrong);
    assert!(matches!(judge.decide(NOW), Decision::Hold { .. }), "{}", judge.decide(NOW));
    take(&mut judge, 30, &wrong);
    let Reason::Charged(charge) = rolled_back(&judge) else { panic!("{}", rolled_back(&judge)) };
    assert!(charge.counted.contains("mismatches were the candidate's at 50% of the compared copies"), "{charge}");
}

#[test]
fn noise_does_not_count_while_the_second_control_process_is_down() {
    let mut judge = at_ten_percent(plan());
    let mut noise = slot();
    // Only the candidate's copies show the noise.
    noise.copies = vec![copies(LIST, Pair::Candidate, 9, 1)];
    take(&mut judge, 1000, &noise);
    let because = holds(&judge);
    assert_eq!(because, [Reason::Unexplained { route: LIST.into(), mismatched: 1000, compared: 10_000 }]);
}

#[test]
fn a_budget_tolerates_its_rate_of_mismatches_but_not_more() {
    let budget = Plan { mismatches: 0.01, ..plan() };
    let mut within = at_ten_percent(budget.clone());
    let mut beyond = at_ten_percent(budget);
    for number in 0..1000 {
        let mut seen = slot();
        // One answer of a thousand is wrong for the first judge, one of twenty for the second.
        for (judge, every) in [(&mut within, 100), (&mut beyond, 2)] {
            let is_wrong = number % every == 0;
            if is_wrong {
                judge.event("one", &Event::Confirmed(confirmed(3, 1)));
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

/// A flag that each process polls for itself causes mismatches of one moment on any route. The proxy asks declared-safe
/// requests again, whatever their method, so such mismatches on a POST count once, too.
#[test]
fn mismatches_of_one_moment_on_a_safe_post_do_not_roll_back() {
    let post = "POST /duplicates";
    let flag = Slot { copies: vec![copies(post, Pair::Candidate, 0, 40), copies(post, Pair::Second, 40, 0)], ..slot() };
    let after = |treatment| {
        let mut judge = at_ten_percent(Plan { routes: [(post.to_owned(), treatment)].into(), ..plan() });
        take(&mut judge, 20, &Slot { copies: vec![copies(post, Pair::Second, 40, 0)], ..slot() });
        take(&mut judge, 5, &flag);
        judge.decide(NOW)
    };
    assert!(!matches!(after(Treatment::Safe), Decision::RollBack { .. }), "{}", after(Treatment::Safe));
    assert!(matches!(after(Treatment::Effects), Decision::RollBack { .. }), "nothing else finds these soon");
}
