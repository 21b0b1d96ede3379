//! Proxies that start, end and begin new files.

use std::fs;

use tierup_rollout::{
    Phase,
    evidence::{Entry, Event},
};

use super::world::World;
use crate::{intake::BLIND_AFTER, ramp::Ramp};

pub(super) fn holds_for_the_control_file(ramp: &Ramp) -> bool {
    ramp.status().words.iter().any(|words| words.contains("cannot use the control file"))
}

#[test]
fn troubles_end_with_a_proxy_that_ended_while_no_judge_ran() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.write(Entry::Event(Event::ControlFile { trouble: Some("it was cut".into()) }));
    ramp.round(&[]);
    assert!(holds_for_the_control_file(&ramp));
    // The proxy breaks off, and another one takes its place.
    let mut ramp = world.restart(ramp);
    world.writes_to("other-1.jsonl");
    for _ in 0..=BLIND_AFTER / 5 {
        ramp.round(&[]);
        assert!(holds_for_the_control_file(&ramp), "it may still write");
        world.slot();
    }
    ramp.round(&[]);
    assert!(!holds_for_the_control_file(&ramp), "{}", ramp.status());
    world.finish(&mut ramp);
}

#[test]
fn a_proxy_stays_known_when_its_first_file_is_removed() {
    let mut world = World::new();
    world.file = "run-1.jsonl";
    let mut ramp = world.begin();
    world.write(Entry::Event(Event::ControlFile { trouble: Some("it was cut".into()) }));
    ramp.round(&[]);
    world.writes_to("run-2.jsonl");
    ramp.round(&[]);
    assert!(holds_for_the_control_file(&ramp), "that a file begins is no news of the proxy");
    assert_eq!(ramp.status().proxies, 1);
    fs::remove_file(world.state().evidence().join("run-1.jsonl")).expect("it is there");
    ramp.known.sources.remove("run-1.jsonl");
    assert_eq!(ramp.sides().len(), 3);
    world.write(Entry::Event(Event::ControlFile { trouble: None }));
    assert_eq!(world.finish(&mut ramp), ["0%", "10%", "50%", "99%", "100%"]);
}
