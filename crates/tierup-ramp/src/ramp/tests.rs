//! Ramps on evidence that is written by hand, with clocks that are set by hand. The database, the journal and the control
//! file are real.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tierup_actuator::Own;
use tierup_rollout::{
    Plan,
    evidence::{Bad, BadKind, Copies, Event, Line, Live, Pair, Slot},
};

use super::*;
use crate::{command::Reply, decisions};

const NOON: u64 = 1_795_406_400;

/// Two clocks in seconds: that of people, and the steady one.
#[derive(Debug, Clone)]
struct Hands(Arc<[AtomicU64; 2]>);

impl Clock for Hands {
    fn since_1970(&self) -> Duration {
        Duration::from_secs(self.0[0].load(Relaxed))
    }

    fn steady(&self) -> Duration {
        Duration::from_secs(self.0[1].load(Relaxed))
    }
}

/// A state folder, and a proxy that writes into it what the test wants it to have seen.
struct World {
    folder: tempfile::TempDir,
    hands: Hands,
    /// The name of the proxy's evidence file.
    file: &'static str,
    line: u64,
    /// Of a thousand answers of the candidate.
    bad: u64,
}

fn plan() -> Plan {
    Plan {
        steps: ["10%", "50%", "100%"].map(|text| text.parse().expect("a part")).to_vec(),
        hold: 10,
        warm_up: 10,
        least: 30,
        has_golden: false,
        ..Plan::default()
    }
}

fn options() -> Options {
    let part = |text: &str| text.parse().expect("a part");
    Options { sample: part("100%"), second: part("10%"), verify: part("10%"), keeping: Keeping::default() }
}

impl World {
    fn new() -> World {
        let hands = Hands(Arc::new([AtomicU64::new(NOON), AtomicU64::new(1_000)]));
        let world =
            World { folder: tempfile::tempdir().expect("there is room"), hands, file: "proxy.jsonl", line: 0, bad: 0 };
        world.state().make().expect("there is room");
        world
    }

    fn state(&self) -> State {
        State::at(self.folder.path().to_owned())
    }

    fn door(&self) -> Door {
        let own = Own::new(self.state().control());
        Door::open(self.state(), Box::new(own), Box::new(self.hands.clone())).expect("it opens")
    }

    /// A new ramp, which has heard of the proxy.
    fn begin(&mut self) -> Ramp {
        let mut door = self.door();
        assert_eq!(door.look().expect("it can be read"), None);
        self.writes_to(self.file);
        assert_eq!(door.look().expect("it can be read").expect("a proxy is there").len(), 3);
        door.begin(plan(), options()).expect("it begins")
    }

    /// A judge that was killed, and is started again.
    fn restart(&self, ramp: Ramp) -> Ramp {
        drop(ramp);
        let door = self.door();
        assert!(door.set_aside.is_none());
        door.go_on(options()).unwrap_or_else(|_| panic!("there is a ramp"))
    }

    fn pass(&self, seconds: u64) {
        for hand in self.hands.0.iter() {
            hand.fetch_add(seconds, Relaxed);
        }
    }

    fn control(&self) -> Option<Control> {
        let text = fs::read_to_string(self.state().control()).ok()?;
        Some(Control::parse(&text).expect("a whole control file"))
    }

    fn weight(&self) -> String {
        self.control().map_or_else(|| "none".to_owned(), |control| control.weights.candidate.to_string())
    }

    fn evidence(&self) -> std::path::PathBuf {
        self.state().evidence().join(self.file)
    }

    /// From now on the evidence is in this file.
    fn writes_to(&mut self, file: &'static str) {
        (self.file, self.line) = (file, if file == self.file { self.line } else { 0 });
        let sides = [Side::Control, Side::Candidate, Side::Twin].map(|side| (side, "http://127.0.0.1:1".to_owned()));
        self.write(Entry::Event(Event::Began { sides: sides.into() }));
    }

    fn write(&mut self, entry: Entry) {
        self.line += 1;
        let at = 1_000 * self.hands.since_1970().as_secs();
        let line = Line { number: self.line, at, entry }.to_text().expect("JSON");
        let file = OpenOptions::new().create(true).append(true).open(self.evidence());
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("there is room");
    }

    /// Five seconds at the proxy, which obeys the control file.
    fn slot(&mut self) {
        self.pass(5);
        let Some(control) = self.control() else { return };
        let weights = control.weights;
        let route = "GET /".to_owned();
        let answered = |part: Part| 1_000 * u64::from(part.ten_thousandths()) / 10_000;
        let live = |side, answered, errors| Live { route: route.clone(), side, answered, errors, silent: 0 };
        let (of_candidate, of_twin) = (answered(weights.candidate), answered(weights.twin));
        let errors = of_candidate * self.bad / 1_000;
        let bad = |client| Bad {
            kind: BadKind::Error,
            route: route.clone(),
            side: Side::Candidate,
            weights,
            client: Some(client + 1_000_000 * self.line),
        };
        let copies = |pair, same| Copies {
            route: route.clone(),
            pair,
            same,
            mismatched: 0,
            dropped: BTreeMap::new(),
            not_comparable: BTreeMap::new(),
            kinds: BTreeMap::new(),
            took: 0,
            copy_took: 0,
        };
        let latencies = |answered: u64| {
            let mut all = tierup_rollout::Latencies::default();
            (0..answered).for_each(|number| all.add(Duration::from_micros(1_000 + number)));
            all
        };
        let by_side =
            [(Side::Control, 1_000 - of_candidate - of_twin), (Side::Candidate, of_candidate), (Side::Twin, of_twin)];
        self.write(Entry::Slot(Slot {
            ramp: Some(control.ramp.clone()),
            generation: control.generation,
            phase: Some(control.phase),
            lasted: 5_000,
            mirroring: true,
            sample: control.mirror,
            second: control.second,
            live: by_side.map(|(side, all)| live(side, all, if side == Side::Candidate { errors } else { 0 })).to_vec(),
            bad: (0..errors).map(bad).collect(),
            bad_not_listed: 0,
            latencies: by_side.map(|(side, all)| (side, latencies(all))).into(),
            processor: BTreeMap::from([(Side::Control, 1.0), (Side::Candidate, 0.1)]),
            copies: vec![copies(Pair::Candidate, 400), copies(Pair::Second, 100), copies(Pair::Verify, 100)],
            ..Slot::default()
        }));
    }

    /// Slots and rounds, until the ramp is in this phase or many have passed. Out: the weights on the way.
    fn until(&mut self, ramp: &mut Ramp, phase: Phase) -> Vec<String> {
        let mut weights = Vec::new();
        for _ in 0..200 {
            let round = ramp.round(&[]);
            assert_eq!(round.trouble, None);
            if weights.last() != Some(&self.weight()) {
                weights.push(self.weight());
            }
            if ramp.phase() == phase {
                return weights;
            }
            self.slot();
        }
        panic!("{phase} was not reached: {weights:?}\n{}", ramp.status());
    }

    fn decisions(&self) -> Vec<String> {
        let decisions = decisions(&self.state().journal()).expect("it can be read");
        decisions.iter().map(|decided| format!("{} {}", decided.decision, decided.weight)).collect()
    }
}

#[test]
fn a_ramp_without_a_fault_reaches_all() {
    let mut world = World::new();
    let mut ramp = world.begin();
    assert_eq!(world.weight(), "none", "nothing is in force before the first round");
    assert_eq!(world.until(&mut ramp, Phase::Done), ["0%", "10%", "50%", "100%"]);
    assert_eq!(world.decisions(), ["begin 0%", "advance 10%", "advance 50%", "advance 100%", "done 100%"]);
    // It stays there as long as a judge runs.
    for _ in 0..30 {
        world.slot();
        ramp.round(&[]);
        let control = world.control().expect("it is there");
        assert_eq!((control.weights.candidate, control.phase), (Part::ALL, Phase::Done));
        assert!(!control.is_stale(world.hands.since_1970().as_secs()));
    }
    let shown = ramp.shown().expect("it can be read").expect("the slots tell");
    assert!(shown.ratio() < 1.0, "{shown:?}");
}

#[test]
fn a_candidate_that_turns_bad_is_rolled_back_and_stays_so() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.bad = 200;
    let weights = world.until(&mut ramp, Phase::RolledBack);
    assert_eq!(weights.last().map(String::as_str), Some("0%"));
    let last = decisions(&world.state().journal()).expect("it can be read").pop().expect("a decision");
    assert!(last.decision == "roll back" && last.reasons[0].starts_with("5xx"), "{last:?}");
    // Neither a restart nor good evidence brings it back.
    world.bad = 0;
    let mut ramp = world.restart(ramp);
    for _ in 0..50 {
        world.slot();
        ramp.round(&[]);
        assert_eq!(world.weight(), "0%");
    }
}

#[test]
fn what_counts_at_once_rolls_back_at_once() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.write(Entry::Event(Event::Unreachable { side: Side::Candidate, is: true }));
    ramp.round(&[]);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
    // A golden call.
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let wrong = Golden { at: ramp.now(), call: "GET /".into(), control: Ok(()), candidate: Err("500".into()) };
    ramp.round(&[wrong]);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
}

#[test]
fn a_judge_that_is_killed_after_any_round_goes_on_as_if_it_had_not_been() {
    let (mut steady, mut killed) = (World::new(), World::new());
    let (mut one, mut other) = (steady.begin(), killed.begin());
    for _ in 0..40 {
        one.round(&[]);
        other.round(&[]);
        other = killed.restart(other);
        assert_eq!(other.mind.judge.at(), one.mind.judge.at());
        let mut last = other.saved.generation;
        other.round(&[]);
        let control = killed.control().expect("it is there");
        assert_eq!(control.weights, steady.control().expect("it is there").weights);
        assert!(mem::replace(&mut last, control.generation) <= control.generation);
        steady.slot();
        killed.slot();
    }
    assert_eq!(one.phase(), Phase::Done);
    assert_eq!(other.phase(), Phase::Done);
}

#[test]
fn a_generation_never_has_two_contents() {
    let mut world = World::new();
    let mut ramp = world.begin();
    let mut seen: BTreeMap<u64, Control> = BTreeMap::new();
    for number in 0..60_u64 {
        ramp.round(&[]);
        let found = Control { heartbeat: 0, ..world.control().expect("it is there") };
        let known = seen.entry(found.generation).or_insert_with(|| found.clone());
        assert_eq!(*known, found);
        match number % 7 {
            3 => ramp = world.restart(ramp),
            // No evidence for a while: suspended.
            5 => world.pass(BLIND_AFTER + 1),
            6 => drop(ramp.order(if number % 2 == 0 { Command::Pause } else { Command::Resume })),
            _ => world.slot(),
        }
    }
    assert!(seen.len() > 10, "{}", seen.len());
}

#[test]
fn without_evidence_control_answers_until_there_is_some_again() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let step = world.weight();
    world.pass(BLIND_AFTER);
    ramp.round(&[]);
    assert_eq!(world.weight(), step);
    world.pass(1);
    ramp.round(&[]);
    assert_eq!(world.weight(), "0%");
    assert!(ramp.status().words[0].contains("no proxy wrote evidence"), "{}", ramp.status());
    world.slot();
    ramp.round(&[]);
    assert_eq!(world.weight(), step);
    world.until(&mut ramp, Phase::Done);
}

#[test]
fn clocks_that_are_set_neither_hurry_a_step_nor_stop_it() {
    for jump in [-86_400_i64, 86_400] {
        let mut world = World::new();
        let mut ramp = world.begin();
        world.until(&mut ramp, Phase::Ramping);
        world.hands.0[0].fetch_add(jump.cast_unsigned(), Relaxed);
        ramp.round(&[]);
        assert_eq!(world.weight(), "10%", "no evidence, no step");
        world.pass(HEARTBEAT);
        ramp.round(&[]);
        let heartbeat = world.control().expect("it is there").heartbeat;
        assert_eq!(heartbeat, world.hands.since_1970().as_secs(), "proxies have the same clock");
        world.until(&mut ramp, Phase::Done);
    }
}

#[test]
fn an_operator_is_obeyed_and_every_order_is_written_down() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let order = |ramp: &mut Ramp, text: &str| -> Reply { ramp.order(text.parse().expect("a command")).1 };
    assert_eq!(order(&mut ramp, "resume").refused.as_deref(), Some("it is not paused"));
    assert_eq!(order(&mut ramp, "pause").refused, None);
    for _ in 0..20 {
        world.slot();
        ramp.round(&[]);
    }
    assert_eq!((world.weight().as_str(), ramp.phase()), ("10%", Phase::Paused), "no step while it is paused");
    assert_eq!(order(&mut ramp, "to 25%").refused, None);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("25%", Phase::Paused));
    let mut ramp = world.restart(ramp);
    ramp.round(&[]);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("25%", Phase::Paused));
    assert_eq!(order(&mut ramp, "resume").refused, None);
    assert_eq!(world.until(&mut ramp, Phase::Done), ["25%", "50%", "100%"]);
    assert_eq!(order(&mut ramp, "abort").refused, None);
    assert_eq!((world.weight().as_str(), ramp.phase()), ("0%", Phase::RolledBack));
    assert!(order(&mut ramp, "to 1%").refused.is_some() && world.weight() == "0%");
    let decisions = world.decisions();
    for expected in ["pause 10%", "to 25% 25%", "resume 25%", "roll back 0%"] {
        assert!(decisions.iter().any(|decision| decision == expected), "{expected}: {decisions:?}");
    }
}

#[test]
fn a_new_ramp_counts_nothing_of_the_last_one() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    let first = world.control().expect("it is there");
    world.write(Entry::Event(Event::Confirmed { route: "GET /".into(), request: "/".into(), words: "x".into() }));
    ramp.round(&[]);
    assert_eq!(ramp.phase(), Phase::RolledBack);
    drop(ramp);
    // Written while no judge ran.
    world.write(Entry::Event(Event::Confirmed { route: "GET /".into(), request: "/".into(), words: "x".into() }));
    let mut ramp = world.begin();
    ramp.round(&[]);
    let second = world.control().expect("it is there");
    assert_eq!((second.phase, second.weights), (Phase::Shadow, Weights::CONTROL_ONLY));
    assert!(second.ramp != first.ramp && second.key != first.key);
    world.until(&mut ramp, Phase::Done);
}

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
        world.until(&mut ramp, Phase::Done);
        let numbers: Vec<u64> =
            decisions(&world.state().journal()).expect("it can be read").iter().map(|decided| decided.number).collect();
        assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    }
}

#[test]
fn a_ramp_that_was_rolled_back_remains_so_when_its_judge_cannot_be_read() {
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
        assert_eq!((phase, last.expect("it is known").decision.as_str()), (Phase::RolledBack, ROLL_BACK), "{damage}");
        assert!(door.go_on(options()).is_err(), "{damage}");
        // Another ramp is begun on request only, and then it is no longer the last one.
        let ramp = world.begin();
        drop(ramp);
        assert_eq!(world.door().last().expect("it can be read").map(|(phase, _)| phase), Some(Phase::Shadow));
    }
}

fn holds_for_the_control_file(ramp: &Ramp) -> bool {
    ramp.status().words.iter().any(|words| words.contains("cannot use the control file"))
}

#[test]
fn a_proxy_that_ended_while_no_judge_ran_complains_no_longer() {
    let mut world = World::new();
    let mut ramp = world.begin();
    world.until(&mut ramp, Phase::Ramping);
    world.write(Entry::Event(Event::ControlFile { trouble: Some("it was cut".into()) }));
    ramp.round(&[]);
    assert!(holds_for_the_control_file(&ramp));
    // It breaks off, and another one takes its place.
    let mut ramp = world.restart(ramp);
    world.writes_to("other-1.jsonl");
    for _ in 0..=BLIND_AFTER / 5 {
        ramp.round(&[]);
        assert!(holds_for_the_control_file(&ramp), "it may still write");
        world.slot();
    }
    ramp.round(&[]);
    assert!(!holds_for_the_control_file(&ramp), "{}", ramp.status());
    world.until(&mut ramp, Phase::Done);
}

#[test]
fn a_proxy_that_begins_another_file_is_the_same_and_remains_known_without_the_first() {
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
    ramp.sources.remove("run-1.jsonl");
    assert_eq!(ramp.sides().len(), 3);
    world.write(Entry::Event(Event::ControlFile { trouble: None }));
    assert_eq!(world.until(&mut ramp, Phase::Done), ["0%", "10%", "50%", "100%"]);
}

#[test]
fn a_control_file_that_somebody_damaged_or_removed_is_written_again() {
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

/// Makes writing impossible, as for a full disk, but removing is possible.
fn block(state: &State) {
    fs::create_dir(state.folder().join("control.part")).expect("there is room");
}

fn unblock(state: &State) {
    fs::remove_dir(state.folder().join("control.part")).expect("it is there");
}

#[test]
fn what_cannot_be_put_into_force_does_not_rise_and_still_falls() {
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

/// The test runs itself again with a limit on the size of files, which fails like a full disk.
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
    let name = "ramp::tests::on_a_full_disk_nothing_rises_and_a_rollback_happens_all_the_same";
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
    // There is room again, and nothing was lost but what the full disk took.
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
    assert!(!state.control().exists() && ramp.untold == [wrong()]);
    fs::write(state.control(), &before).unwrap_or_default();
    let (round, reply) = ramp.order(Command::Abort);
    let refused = reply.refused.expect("it could not be stored");
    assert!(refused.contains("was removed") && round.decided.is_none(), "{refused}");
    assert!(!state.control().exists(), "control answers all");
    // The order is not forgotten while the disk is full.
    ramp.round(&[]);
    assert!(!state.control().exists() && ramp.unstored == Some(Command::Abort));
}
