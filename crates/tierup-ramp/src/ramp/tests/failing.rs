//! Rounds that fail: the next one knows all that they knew.

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
fn what_was_heard_in_a_round_that_failed_is_judged_in_the_next() {
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
        // The same trouble is no news, though it is about another moment.
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
fn a_proxy_that_is_missed_in_a_round_that_failed_is_missed_in_the_next() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.write(Entry::Event(Event::ControlFile { trouble: Some("it was cut".into()) }));
    ramp.round(&[]);
    // It breaks off, and another one takes its place.
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
fn a_judge_whose_first_round_failed_begins_a_generation_of_its_own() {
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
fn an_abort_that_waits_for_room_is_not_forgotten_for_another_order() {
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
