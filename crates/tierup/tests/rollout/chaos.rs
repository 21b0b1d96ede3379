//! Kills, freezes, restarts and damage at random, while clients ask.
//!
//! `TIERUP_CHAOS=200 cargo test -p tierup --test rollout chaos -- --nocapture` makes 200 of them; `TIERUP_CHAOS_SEED`
//! repeats a run. What must hold: no request fails but while a proxy is down or frozen, no weight is above what was
//! decided, and when it is over, the ramp goes on without a hand.

use std::{
    env, fs,
    io::Write as _,
    thread,
    time::{Duration, Instant},
};

use crate::{
    clients::Clients,
    programs::{Program, World, until},
};

/// Numbers that look random and can be had again (SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let value = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (value ^ (value >> 31)) % end
    }
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

/// What is in force was decided: the journal has each generation of the control file before the file is there.
fn check_weight(world: &World) {
    let Some(control) = world.control_file() else { return };
    let decided = world
        .journal()
        .into_iter()
        .rev()
        .find(|decided| decided["ramp"] == control.ramp.as_str() && decided["generation"] == control.generation);
    let weight = decided.map(|decided| decided["weight"].clone());
    assert_eq!(
        weight,
        Some(control.weights.candidate.ten_thousandths().into()),
        "{control:?}\n{:?}",
        world.decisions()
    );
}

fn pause(world: &World, clients: &Clients, chance: &mut Chance, may_fail: bool) {
    let end = Instant::now() + Duration::from_millis(300 + chance.below(700));
    while Instant::now() < end {
        check_weight(world);
        thread::sleep(Duration::from_millis(20));
    }
    let seen = clients.take();
    assert!(may_fail || seen.failed.is_empty(), "{seen:?}\n{}", world.log("judge.log"));
}

#[test]
fn chaos_costs_only_what_was_in_flight() {
    let rounds = number("TIERUP_CHAOS").unwrap_or(12);
    let seed = number("TIERUP_CHAOS_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    println!("TIERUP_CHAOS_SEED={seed}");
    let mut chance = Chance(seed);
    let world = World::new();
    let mut proxy = world.proxy();
    let clients = Clients::start(world.listen);
    let steps = ["--steps", "10%,20%,30%,40%,100%"];
    let mut judge = world.judge(&steps);
    until("the ramp begins", || world.control_file().is_some());
    assert!(world.order(&["to", "10%"]).contains("10%"));
    for round in 0..rounds {
        let what = chance.below(7);
        println!("{round}: {what}");
        match what {
            // The judge is killed, and started again.
            0 => {
                judge.kill();
                pause(&world, &clients, &mut chance, false);
                judge = world.judge(&steps);
            }
            // The judge stands still.
            1 => {
                judge.signal("-STOP");
                pause(&world, &clients, &mut chance, false);
                judge.signal("-CONT");
            }
            // The proxy is killed: what was in flight is lost, and nobody can ask until there is another.
            2 => {
                proxy.kill();
                proxy = world.proxy();
                pause(&world, &clients, &mut chance, true);
            }
            // The proxy stands still. Requests wait.
            3 => {
                proxy.signal("-STOP");
                thread::sleep(Duration::from_millis(200 + chance.below(500)));
                proxy.signal("-CONT");
                pause(&world, &clients, &mut chance, false);
            }
            // Somebody damages the control file.
            4 => {
                fs::write(world.state().join("control"), "candidate=10000\n").unwrap();
                pause(&world, &clients, &mut chance, false);
            }
            // Evidence with rubbish in it, as after a crash of the machine.
            5 => {
                let files = fs::read_dir(world.state().join("evidence")).unwrap();
                let path = files.map(|file| file.unwrap().path()).max().unwrap();
                let file = fs::File::options().append(true).open(path);
                file.and_then(|mut file| file.write_all(b"\0\0\0{\"number\":9\n")).unwrap();
                pause(&world, &clients, &mut chance, false);
            }
            // The operator's hand.
            _ => {
                world.order(&["pause"]);
                pause(&world, &clients, &mut chance, false);
                world.order(&["resume"]);
            }
        }
        pause(&world, &clients, &mut chance, false);
        is_running(&mut judge, &world);
    }
    let before = world.weight();
    assert!(before > 0, "{:?}\n{}", world.decisions(), world.log("judge.log"));
    until("the ramp goes on", || {
        check_weight(&world);
        world.weight() > before || world.weight() == 10_000
    });
    let seen = clients.end();
    assert!(seen.failed.is_empty(), "{seen:?}");
}

fn is_running(judge: &mut Program, world: &World) {
    assert!(judge.has_ended().is_none(), "{}\n{:?}", world.log("judge.log"), world.decisions());
}

#[test]
fn a_database_that_is_damaged_while_the_judge_is_down_means_control_until_an_operator_decides() {
    let world = World::new();
    let _proxy = world.proxy();
    let clients = Clients::start(world.listen);
    let mut judge = world.judge(&[]);
    until("the ramp begins", || world.control_file().is_some());
    world.order(&["to", "50%"]);
    let first = world.control_file().unwrap().ramp;
    judge.kill();
    // Its last pages are in the log: without that, SQLite would repair the file.
    for name in ["rollout.db", "rollout.db-wal"] {
        fs::write(world.state().join(name), "not a database, but something else").unwrap();
    }
    let _judge = world.judge(&[]);
    until("another ramp begins", || world.control_file().is_some_and(|control| control.ramp != first));
    assert_eq!(world.weight(), 0);
    assert!(world.log("judge.log").contains("the database could not be trusted"), "{}", world.log("judge.log"));
    thread::sleep(Duration::from_secs(1));
    clients.take();
    thread::sleep(Duration::from_secs(1));
    let seen = clients.end();
    assert!(seen.failed.is_empty() && seen.by.keys().eq(["control"]), "{seen:?}");
}
