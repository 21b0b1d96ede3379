//! What a ramp survives: damaged and removed files, a full disk, and a database of another version.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{Arc, atomic::AtomicU64},
};

use tierup_rollout::{
    Golden, Part, Phase,
    evidence::{Entry, Event},
};

use super::world::{Hands, NOON, World, options};
use crate::{
    Clock as _, Command, Own, State, decisions,
    ramp::{Door, HEARTBEAT},
};

#[test]
fn a_damaged_database_means_control_and_a_new_ramp() {
    for damage in [&b"not a database"[..], b""] {
        let mut world = World::new();
        let mut ramp = world.begin();
        world.until(&mut ramp, Phase::Ramping);
        drop(ramp);
        fs::write(world.state().database(), damage).expect("there is room");
        let door = world.door();
        assert_eq!(door.set_aside.is_some(), !damage.is_empty());
        assert!(door.go_on(options()).is_err(), "nothing is known of a weight");
        let mut ramp = world.begin();
        ramp.round(&[]);
        assert_eq!(world.weight(), "0%");
        world.finish(&mut ramp);
        let numbers: Vec<u64> =
            decisions(&world.state().journal()).expect("it can be read").iter().map(|decided| decided.number).collect();
        assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    }
}

#[test]
fn a_ramp_stays_rolled_back_if_its_judge_cannot_be_read() {
    for damage in ["UPDATE ramp SET judge = '{}'", "PRAGMA user_version = 99", "DROP TABLE ramp"] {
        let mut world = World::new();
        let mut ramp = world.begin();
        world.until(&mut ramp, Phase::Ramping);
        ramp.order(Command::Abort);
        drop(ramp);
        let damaged = rusqlite::Connection::open(world.state().database());
        damaged.and_then(|database| database.execute_batch(damage)).expect("it is a database");
        let door = world.door();
        let (phase, last) = door.last().expect("it can be read").expect("it is known");
        assert_eq!(
            (phase, last.expect("it is known").decision),
            (Phase::RolledBack, crate::Action::RollBack),
            "{damage}"
        );
        assert!(door.go_on(options()).is_err(), "{damage}");
        // Another ramp begins only on request, and becomes the last one.
        let ramp = world.begin();
        drop(ramp);
        assert_eq!(world.door().last().expect("it can be read").map(|(phase, _)| phase), Some(Phase::Shadow));
    }
}

/// The stored values still have the form of an earlier version.
#[test]
fn a_ramp_of_an_older_judge_goes_on() {
    let mut world = World::new();
    world.line = 8;
    let old = rusqlite::Connection::open(world.state().database());
    old.and_then(|old| old.execute_batch(include_str!("as-of-7825fa3e.sql"))).expect("it is whole");
    let door = world.door();
    assert_eq!(door.set_aside, None);
    let mut ramp = door.go_on(options()).unwrap_or_else(|_| panic!("there is a ramp"));
    assert_eq!(ramp.round(&[]).trouble, None);
    assert_eq!((world.weight().as_str(), ramp.phase(), ramp.now()), ("10%", Phase::Paused, 1_030));
    assert!(ramp.status().words.iter().any(|words| words.ends_with("it is stale")), "{}", ramp.status());
    world.write(Entry::Event(Event::ControlFile { trouble: None }));
    assert_eq!(ramp.order(Command::Resume).1.refused, None);
    assert_eq!(world.finish(&mut ramp), ["10%", "50%", "99%", "100%"]);
    assert_eq!(world.decisions()[..3], ["begin 0%", "advance 10%", "pause 10%"]);
}

#[test]
fn a_damaged_or_removed_control_file_is_written_again() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    for damage in [Some("candidate=10000\n"), None] {
        match damage {
            Some(text) => fs::write(world.state().control(), text).expect("there is room"),
            None => fs::remove_file(world.state().control()).expect("it is there"),
        }
        world.pass(HEARTBEAT);
        ramp.round(&[]);
        assert_eq!(world.weight(), "10%");
    }
}

/// Makes writing fail, as on a full disk, while removing still works.
pub(super) fn block(state: &State) {
    fs::create_dir(state.folder().join("control.part")).expect("there is room");
}

pub(super) fn unblock(state: &State) {
    fs::remove_dir(state.folder().join("control.part")).expect("it is there");
}

#[test]
fn weights_that_cannot_be_written_only_fall() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    block(&world.state());
    for _ in 0..20 {
        world.slot();
        ramp.round(&[]);
        assert_eq!(world.weight(), "10%", "the file that is there stays, and becomes stale");
    }
    assert!(world.control().expect("it is there").is_stale(world.hands.since_1970().as_secs()));
    assert!(ramp.status().trouble.is_some());
    let reply = ramp.order(Command::Abort).1;
    assert_eq!((world.weight().as_str(), ramp.phase()), ("none", Phase::RolledBack), "{reply:?}");
    unblock(&world.state());
    let round = ramp.round(&[]);
    assert_eq!(round.trouble.as_deref(), Some("the judge works again"));
    assert_eq!(world.weight(), "0%");
}

/// The test runs itself again with a limit on file sizes, which fails like a full disk.
#[test]
fn on_a_full_disk_nothing_rises_and_a_rollback_happens_all_the_same() {
    const FOLDER: &str = "TIERUP_TEST_FULL_DISK";
    if let Some(folder) = std::env::var_os(FOLDER) {
        full_disk(Path::new(&folder));
        return;
    }
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    drop(ramp);
    world.write(Entry::Event(Event::Slowed { from: Part::ALL, to: Part::NONE, why: String::new() }));
    let name = "ramp::tests::surviving::on_a_full_disk_nothing_rises_and_a_rollback_happens_all_the_same";
    let limited = format!("trap '' XFSZ; ulimit -f 0; exec \"$0\" --exact {name}");
    let own = std::env::current_exe().expect("it runs");
    let mut child = std::process::Command::new("sh");
    let child =
        child.arg("-c").arg(limited).arg(own).env(FOLDER, world.folder.path()).output().expect("there is a shell");
    let printed = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success() && printed.contains("1 passed"),
        "{printed}{}",
        String::from_utf8_lossy(&child.stderr)
    );
    // There is room again, and only what the full disk took is lost.
    let door = world.door();
    assert!(door.set_aside.is_none());
    let mut ramp = door.go_on(options()).unwrap_or_else(|_| panic!("there is a ramp"));
    let round = ramp.round(&[]);
    assert!(round.trouble.is_none() && world.weight() == "10%", "{round:?}");
    assert_eq!(fs::metadata(world.state().database()).expect("it is there").permissions().mode() & 0o777, 0o600);
}

fn full_disk(folder: &Path) {
    let hands = Hands(Arc::new([AtomicU64::new(NOON), AtomicU64::new(1_000)]));
    let state = State::at(folder.to_owned());
    let own = Own::new(state.control());
    let door = Door::open(state.clone(), Box::new(own), Box::new(hands)).expect("it opens");
    let mut ramp = door.go_on(options()).unwrap_or_else(|_| panic!("there is a ramp"));
    let before = fs::read(state.control()).expect("it is there");
    let round = ramp.round(&[]);
    assert!(round.trouble.is_some() && round.decided.is_none(), "{round:?}");
    assert_eq!(fs::read(state.control()).expect("it is there"), before, "no heartbeat");
    // A wrong golden call that could not be stored is judged again.
    let wrong = || Golden { at: 0, call: "GET /".into(), control: Ok(()), candidate: Err("it is wrong".into()) };
    ramp.round(&[wrong()]);
    assert!(!state.control().exists() && ramp.inbox.golden == [wrong()]);
    fs::write(state.control(), &before).unwrap_or_default();
    let (round, reply) = ramp.order(Command::Abort);
    let refused = reply.refused.expect("it could not be stored");
    assert!(
        refused.contains("control answers all: the weights were taken back") && round.decided.is_none(),
        "{refused}"
    );
    assert!(!state.control().exists(), "control answers all");
    // The order is not forgotten while the disk is full.
    ramp.round(&[]);
    assert!(!state.control().exists() && ramp.inbox.order == Some(Command::Abort));
}
