//! Rounds that fail: the next round knows all that they knew.

use std::fs;

use tierup_rollout::{
    Phase, Side,
    evidence::{Entry, Event},
};

use super::{
    proxies::holds_for_the_control_file as complains,
    surviving::{block, unblock},
    world::World,
};
use crate::{Command, intake::BLIND_AFTER};

#[test]
fn evidence_of_a_failed_round_is_judged_in_the_next() {
    for is_stored in [false, true] {
        let mut world = World::new();
        let mut ramp = world.begin();
        world.until(&mut ramp, Phase::Ramping);
        if is_stored {
            block(&world.state())
        } else {
            ramp.store.refuse(true)
        }
        world.write(Entry::Event(Event::Unreachable { side: Side::Candidate, is: true }));
        let words = ramp.round(&[]).trouble.expect("it failed");
        assert!(words.contains("the weights were taken back"), "{words}");
        assert_eq!((world.weight().as_str(), ramp.failed), ("none", 1));
        assert_eq!(ramp.phase() == Phase::RolledBack, is_stored, "it is decided once it is stored");
        // The same trouble is not reported again, although its text has another time.
        world.pass(1);
        assert_eq!(ramp.round(&[]).trouble, is_stored.then(|| ramp.status().trouble.expect("it failed")));
        if is_stored {
            unblock(&world.state())
        } else {
            ramp.store.refuse(false)
        }
        let round = ramp.round(&[]);
        assert_eq!(round.trouble.as_deref(), Some("the judge works again"));
        assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
    }
}

#[test]
fn a_proxy_missed_in_a_failed_round_is_missed_in_the_next() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.write(Entry::Event(Event::ControlFile { trouble: Some("it was cut".into()) }));
    ramp.round(&[]);
    // The proxy breaks off, and another one takes its place.
    world.writes_to("other-1.jsonl");
    for _ in 0..=BLIND_AFTER / 5 {
        ramp.round(&[]);
        assert!(complains(&ramp), "it may still write");
        world.slot();
    }
    ramp.store.refuse(true);
    assert!(ramp.round(&[]).trouble.is_some() && complains(&ramp));
    ramp.store.refuse(false);
    ramp.round(&[]);
    assert!(!complains(&ramp), "{}", ramp.status());
    world.finish(&mut ramp);
}

#[test]
fn a_judge_begins_a_new_generation_even_if_its_first_round_failed() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let before = world.control().expect("it is there").generation;
    let mut ramp = world.restart(ramp);
    ramp.store.refuse(true);
    assert!(ramp.round(&[]).decided.is_none());
    ramp.store.refuse(false);
    ramp.round(&[]);
    assert_eq!(world.control().expect("it is there").generation, before + 1);
}

#[test]
fn a_waiting_abort_is_not_replaced_by_another_order() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    ramp.store.refuse(true);
    let lower = Command::To("5%".parse().expect("a part"));
    for order in [lower, Command::Abort, lower, Command::Pause] {
        assert!(ramp.order(order).1.refused.is_some());
    }
    ramp.store.refuse(false);
    ramp.round(&[]);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
}

#[test]
fn an_order_that_lowers_the_weight_waits_for_readable_evidence() {
    for (order, then) in [("to 5%", "5%"), ("abort", "0%")] {
        let mut world = World::new();
        let mut ramp = world.begin();
        world.until(&mut ramp, Phase::Ramping);
        ramp.store.refuse(true);
        let is_abort = order == "abort";
        if !is_abort {
            assert!(ramp.order(order.parse().expect("a command")).1.refused.is_some());
        }
        ramp.store.refuse(false);
        let (evidence, away) = (world.state().evidence(), world.folder.path().join("away"));
        fs::rename(&evidence, &away).expect("it is there");
        fs::write(&evidence, "").expect("there is room");
        if is_abort {
            assert!(ramp.order(Command::Abort).1.refused.is_some());
        }
        assert!(ramp.round(&[]).decided.is_none());
        fs::remove_file(&evidence).expect("it is there");
        fs::rename(&away, &evidence).expect("it is there");
        ramp.round(&[]);
        assert_eq!(world.weight(), then, "{order}");
    }
}

#[test]
fn a_waiting_order_is_dropped_after_a_later_one() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    ramp.store.refuse(true);
    assert!(ramp.order("to 5%".parse().expect("a command")).1.refused.is_some());
    ramp.store.refuse(false);
    assert_eq!(ramp.order("to 25%".parse().expect("a command")).1.refused, None);
    ramp.round(&[]);
    assert_eq!(world.weight(), "25%");
}
