//! The real Envoy, under load.

mod common;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use common::{Load, bad, control, envoy::Setup, get, now, observe_until, slots, wait};
use tierup_ramp::{Actuator as _, Envoy};
use tierup_rollout::{Weights, evidence::Entry};

/// A time to live that a test can wait for.
const SHORT: Duration = Duration::from_secs(3);

#[test]
fn weights_rise_and_fall_under_load_as_decided() {
    let mut setup = Setup::start();
    let load = Load::start(setup.port);
    let (mut last, mut failed, mut before) = (0, Vec::new(), BTreeMap::new());
    for (generation, step) in (1..).zip(["0%", "5%", "50%", "100%", "0%"]) {
        let control = control(generation, step);
        let began = Instant::now();
        setup.actuator.set(&control).expect("it is connected");
        println!("{step}: confirmed after {:?}", began.elapsed());
        assert_eq!(setup.actuator.read(now()).expect("it tells"), control.weights);
        failed.extend(load.settle());
        let seen = load.next(2_000);
        failed.extend(seen.failed.iter().cloned());
        let part = control.weights.candidate.fraction();
        let share = seen.shares()[1] as f64 / seen.answers as f64;
        println!("{step}: {share}");
        // Five standard deviations of a binomial, for 2,000 clients.
        assert!((share - part).abs() <= 5.0 * (part * (1.0 - part) / 2_000.0).sqrt() + 1e-9, "{step}: {share}");
        // Each client has one server, and the candidate's clients stay with it while its weight rises.
        for (client, servers) in seen.by_client {
            assert!(servers.iter().all(|server| *server == servers[0]), "{step}: {client}: {servers:?}");
            let had = before.insert(client.clone(), servers[0].clone());
            let kept = had.as_deref() != Some("candidate") || servers[0] == "candidate" || step == "0%";
            assert!(kept, "{step}: {client}: {servers:?}");
        }
        last = generation;
    }
    assert_eq!(failed, Vec::<String>::new());
    let entries =
        observe_until(&mut setup.actuator, |entry| matches!(entry, Entry::Slot(slot) if slot.generation == last));
    let slots = slots(&entries);
    let answered: u64 = slots.iter().flat_map(|slot| &slot.live).map(|live| live.answered).sum();
    let timed: u64 = slots.iter().flat_map(|slot| slot.latencies.values()).map(tierup_rollout::Latencies::count).sum();
    assert!(answered > 0 && answered == timed && bad(&entries).is_empty(), "{slots:?}");
}

#[test]
fn control_answers_once_the_judge_is_silent_or_gone() {
    let mut setup = Setup::with(None, SHORT);
    let is = |setup: &Setup, server: &str| get(setup.port, "GET", Some("anna")) == Ok((200, server.into()));
    setup.actuator.set(&control(1, "100%")).expect("it is connected");
    wait("the candidate", || is(&setup, "candidate"));
    // The judge is connected, and hangs.
    let began = Instant::now();
    wait("the end", || is(&setup, "control"));
    println!("silent: control after {:?}", began.elapsed());
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
    // It works again, and its heartbeats keep the weights for longer than they live.
    let began = Instant::now();
    while began.elapsed() < 2 * SHORT {
        setup.actuator.set(&control(1, "100%")).expect("it is connected");
        wait("the candidate", || is(&setup, "candidate"));
    }
    // Another judge takes over from a killed one while its weights hold, and changes nothing until it sets some.
    setup.actuator = Envoy::with_ttl(setup.settings.clone(), SHORT).expect("plain names");
    setup.actuator.check().expect("Envoy connects again");
    setup.actuator.set(&control(2, "100%")).expect("it is connected");
    wait("the candidate", || is(&setup, "candidate"));
    setup.actuator = Envoy::with_ttl(setup.settings.clone(), SHORT).expect("plain names");
    let began = Instant::now();
    wait("the end", || is(&setup, "control"));
    println!("gone: control after {:?}", began.elapsed());
    assert_eq!(setup.actuator.read(now()).expect("it tells"), Weights::CONTROL_ONLY);
}
