//! A judge that advises the owner of the weights.

use super::*;
use crate::Advice;

/// Runs slots and rounds until the judge advises to advance. Returns their number.
fn until_advised(world: &mut World, ramp: &mut Ramp) -> usize {
    for round in 0..100 {
        if ramp.status().advice == Some(Advice::Advance) {
            return round;
        }
        assert_eq!((ramp.status().advice, ramp.round(&[]).trouble), (Some(Advice::Hold), None));
        world.slot();
    }
    panic!("{}", ramp.status());
}

fn refused(ramp: &mut Ramp, command: Command) -> String {
    ramp.order(command).1.refused.expect("it is refused")
}

#[test]
fn an_adviser_moves_no_weight_and_each_advance_needs_evidence_of_its_own() {
    let mut world = World::new();
    let mut ramp = world.begin();
    assert_eq!(refused(&mut ramp, Command::Advance), "this judge moves the weights itself");
    ramp.options.advises = true;
    for _ in 0..3 {
        assert!(!refused(&mut ramp, Command::Advance).is_empty());
        assert!(until_advised(&mut world, &mut ramp) > 1);
        assert_eq!(ramp.order(Command::Advance).1.refused, None);
    }
    for command in [Command::Finish, Command::To(Part::MOST)] {
        assert!(refused(&mut ramp, command).contains("another program owns the weights"));
    }
    assert_eq!((world.weight(), ramp.phase()), ("0%".to_owned(), Phase::Shadow));
    assert_eq!(world.decisions(), ["begin 0%", "advance 0%", "advance 0%", "advance 0%"]);

    // Old evidence says nothing about now.
    until_advised(&mut world, &mut ramp);
    ramp.round(&[]);
    world.pass(BLIND_AFTER + 1);
    assert_eq!(ramp.status().advice, Some(Advice::Hold));
    assert!(refused(&mut ramp, Command::Advance).starts_with("no evidence for"));
}

#[test]
fn an_adviser_repeats_a_rollback_until_it_is_stopped() {
    let mut world = World::new();
    let mut ramp = world.begin();
    ramp.options.advises = true;
    until_advised(&mut world, &mut ramp);
    assert_eq!(ramp.order(Command::Abort).1.status.advice, Some(Advice::RollBack));
    for _ in 0..2 {
        ramp.round(&[]);
        assert!(!ramp.is_taken_back() && ramp.status().advice == Some(Advice::RollBack));
        assert_eq!(refused(&mut ramp, Command::Advance), "the ramp was rolled back: begin another");
        ramp = world.restart(ramp);
        ramp.options.advises = true;
    }
    drop(ramp);
    std::fs::write(world.state().database(), "damaged").expect("there is room");
    assert!(matches!(world.door().last(), Ok(Some((Phase::RolledBack, Some(_))))), "the journal tells of it");
}

#[test]
fn a_rollback_that_cannot_be_stored_is_advised() {
    let mut world = World::new();
    let mut ramp = world.begin();
    ramp.options.advises = true;
    until_advised(&mut world, &mut ramp);
    ramp.store.refuse(true);
    let wrong = Golden { at: ramp.now(), call: "GET /".into(), control: Ok(()), candidate: Err("500".into()) };
    assert!(ramp.round(&[wrong]).trouble.is_some());
    assert_eq!(
        (ramp.status().advice, world.decisions().last().map(String::as_str)),
        (Some(Advice::RollBack), Some("begin 0%"))
    );
}
