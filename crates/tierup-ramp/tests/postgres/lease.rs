//! One judge at a time: its lease, its term, and what it may write.

use std::{
    env,
    fs::{self, File},
    path::Path,
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, kill_process};
use tierup_ramp::{Command, Database, Door, Error, Machine, State};
use tierup_rollout::{
    Control, Part, Phase, Weights,
    evidence::{Entry, Event},
};

use crate::{
    common::{self, Process, now, postgres::Postgres, wait},
    proxy::{JUDGE, LEASE, Proxy, begun, ramp},
};

/// A judge in a process of its own: gives the candidate 25 % of a new ramp, and judges until it is deposed.
fn judge(url: &str) {
    let database = Database::with_lease(&url.parse().expect("an address"), &env::var("NAME").expect("a name"), LEASE);
    let mut ramp = ramp(&database.expect("it lets us in"), Path::new("."));
    if ramp.begun().is_some() {
        ramp.order(Command::To("25%".parse().expect("a part")));
    }
    while !ramp.is_deposed() {
        let round = ramp.round(&[]);
        round.trouble.iter().for_each(|trouble| println!("{trouble}"));
        thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn the_lease_passes_from_a_killed_and_from_a_stopped_judge() {
    if let Ok(url) = env::var(JUDGE) {
        return judge(&url);
    }
    let postgres = Postgres::start();
    let mut proxy = Proxy::start(&postgres.url("a"));
    let folders = [(); 3].map(|()| tempfile::tempdir().expect("there is room"));
    let start = |number: usize| {
        let folder = folders[number].path();
        let name = "lease::the_lease_passes_from_a_killed_and_from_a_stopped_judge";
        let mut command = Process::again(name, JUDGE, &postgres.address("tierup_judge", "a"), folder);
        let said = File::create(folder.join("said")).expect("there is room");
        Process::start(command.env("NAME", number.to_string()).stdout(said))
    };
    let holds = |number: &str| {
        let sql = "SELECT holder FROM tierup.rollout WHERE until > clock_timestamp()";
        wait("the lease", || postgres.ask(sql).starts_with(number));
    };
    let mut one = start(0);
    // A proxy that began before the judge does not say so again, but it says something every five seconds.
    wait("the first judge", || {
        proxy.write(Entry::Event(Event::ControlFile { trouble: None }));
        proxy.control().is_some_and(|control| control.phase == Phase::Ramping)
    });
    let first = proxy.wait_for("25 %", |control| control.weights.candidate.ten_thousandths() == 2_500);
    let two = start(1);
    proxy.slot(&first.ramp);
    wait("the slot", || postgres.ask("SELECT costs FROM tierup.rollout").contains("\"answered\":10"));
    one.0.kill().and_then(|()| one.0.wait()).expect("it is ours");
    holds("1");
    let second = proxy.wait_for("the second judge", |control| control.generation > first.generation);
    assert_eq!((&second.ramp, second.weights, &second.key), (&first.ramp, first.weights, &first.key));
    // The second judge is stopped, in whatever it does.
    kill_process(Pid::from_child(&two.0), Signal::STOP).expect("it is ours");
    let three = start(2);
    holds("2");
    let third = proxy.wait_for("the third judge", |control| control.generation > second.generation);
    assert_eq!((&third.ramp, third.weights), (&first.ramp, first.weights));
    proxy.slot(&first.ramp);
    wait("the slot", || postgres.ask("SELECT costs FROM tierup.rollout").contains("\"answered\":20"));
    // It wakes up, and finds that it is no longer the judge.
    kill_process(Pid::from_child(&two.0), Signal::CONT).expect("it is ours");
    two.finished();
    let said = fs::read_to_string(folders[1].path().join("said")).expect("it is there");
    assert!(said.contains("another judge has taken over: 2 ("), "{said}");
    holds("2");
    assert_eq!(proxy.control().expect("it is there").generation, third.generation);
    drop(three);
    // The journal knows who decided what, without a gap.
    let journal =
        postgres.ask("SELECT string_agg(decision::json ->> 'decision', ' ' ORDER BY number) FROM tierup.decision");
    assert_eq!(journal, "begin to 25% go on go on");
    let journal = tierup_ramp::decisions(&folders[2].path().join("state/decisions.jsonl")).expect("it is there");
    assert_eq!(journal.iter().map(|decided| decided.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn a_judge_whose_term_is_over_can_write_nothing() {
    let postgres = Postgres::start();
    let url = postgres.url("b");
    let mut proxy = Proxy::start(&url);
    let connect = |name: &str| Database::with_lease(&url, name, LEASE).expect("it lets us in");
    let (one, two) = (connect("one"), connect("two"));
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("there is room"));
    let mut old = begun(&one, &mut proxy, folders[0].path());
    assert_eq!(old.round(&[]).trouble, None);
    assert!(two.take().expect("it answers").is_none(), "one has the lease");
    assert!(two.holder().expect("it answers").is_some_and(|holder| holder.starts_with("one (")));
    let mut new = ramp(&two, folders[1].path());
    assert_eq!(new.round(&[]).trouble, None);
    let table =
        || postgres.ask("SELECT row_to_json(r) FROM tierup.rollout r") + &postgres.ask("SELECT * FROM tierup.decision");
    let before = table();
    let all = Control { generation: 99, weights: Weights::with_twin(Part::MOST), ..common::control(99, "99%") };
    assert!(matches!(one.actuator().set(&all), Err(Error::Deposed { .. })));
    one.actuator().release().expect("it answers");
    let (round, reply) = old.order(Command::To("50%".parse().expect("a part")));
    assert!(
        round.trouble.is_some_and(|trouble| trouble.contains("two (")) && reply.refused.is_some() && old.is_deposed()
    );
    drop(old);
    assert_eq!(table(), before, "even its end changes nothing");
    // An operator's order to abort reaches the judge that has the lease, and nothing is in force meanwhile.
    let operator = connect("operator");
    operator.order_abort().expect("it answers");
    wait("no control", || proxy.control().is_none());
    wait("the abort", || {
        new.round(&[]);
        new.phase() == Phase::RolledBack
    });
    let control = proxy.wait_for("the control", |control| control.phase == Phase::RolledBack);
    assert_eq!(control.weights, Weights::CONTROL_ONLY);
    // The next judge needs not wait for the end of the lease. What it cannot read is told, and the rollback still counts.
    drop(new);
    postgres.ask("UPDATE tierup.rollout SET ramp = '{}'");
    let lease = operator.take().expect("it answers");
    assert!(lease.is_some());
    let state = State::at(folders[0].path().join("third"));
    let door = Door::of(lease, state, operator.actuator(), Box::new(Machine::default())).expect("it opens");
    assert!(door.set_aside.as_ref().is_some_and(|(aside, _)| aside == "the next ramp replaces it"));
    assert!(matches!(door.last(), Ok(Some((Phase::RolledBack, Some(_))))));
}

/// A write that was not answered may be carried out late. By then the judge has another term.
#[test]
fn a_late_write_undoes_nothing_and_no_process_of_the_database_waits_for_it() {
    let postgres = Postgres::start();
    let database = Database::connect(&postgres.url("i")).expect("it lets us in");
    let _lease = database.take().expect("it answers").expect("nobody else is there");
    let mut actuator = database.actuator();
    let of = |generation, weight| common::control(generation, weight);
    actuator.set(&of(1, "5%")).expect("it has the lease");
    let terms = || postgres.ask("SELECT term FROM tierup.rollout");
    assert_eq!(terms(), "1");
    let end = |whose: &str| {
        postgres.ask(&format!("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE {whose}"))
    };
    // The connection breaks: nobody knows whether the next write arrived before that.
    assert_eq!(end("usename = 'tierup_judge'"), "1");
    actuator.set(&of(2, "0%")).expect("it is written again");
    assert_eq!(terms(), "2");
    // The lease was not lost by that, and the next write needs no term of its own.
    actuator.set(&of(3, "0%")).expect("it has the lease");
    assert_eq!(terms(), "2");
    // Somebody locks the row for longer than the judge waits.
    let waiting = "usename = 'tierup_judge' AND wait_event_type = 'Lock'";
    let count = |which: &str| postgres.ask(&format!("SELECT count(*) FROM pg_stat_activity WHERE {which}"));
    let lock = "BEGIN; SELECT FROM tierup.rollout FOR UPDATE; SELECT pg_sleep(600)";
    thread::scope(|scope| {
        scope.spawn(|| postgres.try_ask(lock));
        wait("the lock", || {
            count("query LIKE 'BEGIN%pg_sleep%' AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()") == "1"
        });
        let late = scope.spawn(|| database.actuator().set(&of(4, "50%")));
        wait("the write", || count(waiting) == "1");
        assert!(late.join().expect("it does not panic").is_err());
        wait("no process that waits", || count(waiting) == "0");
        end("query LIKE 'BEGIN%pg_sleep%' AND pid <> pg_backend_pid()");
    });
    actuator.set(&of(5, "0%")).expect("it has the lease");
    assert_eq!(terms(), "3");
    assert!(postgres.ask("SELECT control FROM tierup.rollout").contains("generation=5"));
}

#[test]
fn the_age_of_control_is_by_the_clock_of_the_database() {
    let mut postgres = Postgres::start();
    let url = postgres.url("d");
    let database = Database::connect(&url).expect("it lets us in");
    let lease = database.take().expect("it answers").expect("nobody else is there");
    // The judge's clock is wrong by years.
    database.actuator().set(&Control { heartbeat: 5, ..common::control(1, "5%") }).expect("it has the lease");
    let proxy = Proxy::start(&url);
    let control = proxy.wait_for("control", |control| control.generation == 1);
    assert!(!control.is_stale(now()));
    assert_eq!(database.actuator().read(now()).expect("it answers"), control.weights);
    postgres.ask("UPDATE tierup.rollout SET beat = beat - interval '70 s'");
    proxy.wait_for("an old beat", |control| control.is_stale(now()));
    assert_eq!(database.actuator().read(now()).expect("it answers"), Weights::CONTROL_ONLY);
    // Postgres is gone: a proxy starts all the same, and tells.
    postgres.crash();
    let late = Proxy::start(&url);
    let courier = late.courier.as_ref().expect("it runs");
    assert!(courier.trouble().is_some_and(|trouble| trouble.starts_with("Postgres: ")), "{:?}", courier.trouble());
    assert!(late.control().is_none());
    postgres.run();
    late.wait_for("control", |control| control.generation == 1);
    wait("no trouble", || courier.trouble().is_none());
    drop(lease);
}
