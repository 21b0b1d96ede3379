//! A ramp to 100 %, and candidates that turn bad during it.

use std::{thread, time::Duration};

use crate::{
    clients::{Clients, Seen},
    programs::{Program, World, until},
    server::Mood,
};

/// A proxy, clients, and a judge that has given the candidate its first weight.
fn at_first_step(world: &World) -> (Program, Clients, Program) {
    let (proxy, address) = world.proxy();
    let clients = Clients::start(address);
    let judge = world.judge(&["--steps", "20%,99%"]);
    until("the first step", || world.weight() == 2_000);
    (proxy, clients, judge)
}

/// The clients' results from now on, under constant weights.
fn seen_for(clients: &Clients, seconds: u64) -> Seen {
    // A proxy reads the control file every 200 ms.
    thread::sleep(Duration::from_secs(1));
    clients.take();
    thread::sleep(Duration::from_secs(seconds));
    clients.take()
}

#[test]
fn a_ramp_reaches_100_percent_and_no_request_fails() {
    let world = World::new();
    let (mut proxy, clients, mut judge) = at_first_step(&world);
    let at_first = clients.take();
    assert!(at_first.failed.is_empty(), "{at_first:?}");
    assert_eq!((at_first.answered("twin"), at_first.answered("candidate")), (0, 0), "no weight before its evidence");
    let seen = seen_for(&clients, 3);
    let all: u64 = seen.by.values().sum();
    assert!(all > 100, "{seen:?}");
    for side in ["candidate", "twin"] {
        let part = seen.answered(side) as f64 / all as f64;
        // Five standard deviations of a binomial distribution.
        let most = 5.0 * (0.2_f64 * 0.8 / all as f64).sqrt();
        assert!((part - 0.2).abs() < most, "{side} answered {part}: {seen:?}");
    }
    until("the judge lacks nothing", || world.decisions().last().is_some_and(|last| last == "ready 9900"));
    assert!(world.order(&["finish"]).starts_with("done: the candidate answers 100%"), "{}", world.log("judge.log"));
    assert_eq!(world.weight(), 10_000);
    let rest = clients.take();
    let seen = seen_for(&clients, 2);
    assert_eq!(seen.by.keys().collect::<Vec<_>>(), ["candidate"], "{seen:?}");
    assert_eq!(world.decisions(), ["begin 0", "advance 2000", "advance 9900", "ready 9900", "finish 10000"]);
    judge.signal("-INT");
    assert_eq!(judge.ended().code(), Some(0), "{}", world.log("judge.log"));
    for seen in [rest, seen, clients.end()] {
        assert!(seen.failed.is_empty(), "{seen:?}");
    }
    proxy.signal("-INT");
    assert!(proxy.ended().success(), "{}", world.log("proxy.log"));
}

/// Makes the candidate bad at its first step. Returns the judge's log, and the results during and after the rollback.
fn rolled_back(mood: Mood) -> (String, Seen, Seen) {
    let world = World::new();
    let (_proxy, clients, mut judge) = at_first_step(&world);
    let before = clients.take();
    assert!(before.failed.is_empty(), "{before:?}");
    world.candidate.be(mood);
    assert_eq!(judge.ended().code(), Some(1), "{}", world.log("judge.log"));
    assert_eq!(world.weight(), 0);
    thread::sleep(Duration::from_secs(1));
    let during = clients.take();
    let after = seen_for(&clients, 1);
    assert_eq!(after.by.keys().collect::<Vec<_>>(), ["control"], "{after:?}");
    assert!(after.failed.is_empty(), "{after:?}");
    let decisions = world.decisions();
    assert_eq!(decisions.last().map(String::as_str), Some("roll back 0"), "{decisions:?}");
    (world.log("judge.log"), during, clients.end())
}

#[test]
fn a_candidate_that_fails_is_rolled_back() {
    let (said, ..) = rolled_back(Mood::Failing);
    // The first of these: bad answers to clients, different copies, or a confirmed difference.
    let because = ["rolled back: 5xx", "rolled back: mismatches", "status: 500 instead of 200"];
    assert!(because.iter().any(|because| said.contains(because)), "{said}");
}

#[test]
fn a_candidate_that_is_gone_is_rolled_back_and_no_request_fails() {
    let (said, during, _) = rolled_back(Mood::Gone);
    assert!(said.contains("the candidate cannot be reached from"), "{said}");
    // The proxy repeats GETs at control if the candidate does not answer.
    assert!(during.failed.is_empty(), "{during:?}");
}

#[test]
fn a_candidate_that_is_wrong_is_rolled_back() {
    let (said, ..) = rolled_back(Mood::Wrong);
    assert!(said.contains("mismatch") || said.contains("differed again"), "{said}");
}
