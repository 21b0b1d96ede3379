//! A state folder, a proxy that sees what a test says, and clocks that are set by hand.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io::Write as _,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tierup_rollout::{
    Control, Part, Phase, Plan, Side,
    evidence::{Bad, BadKind, Copies, Entry, Event, Line, Live, Pair, Slot},
};

use crate::{
    Clock, Command, Keeping, Own, State, decisions,
    ramp::{Door, Options, Ramp},
};

pub(super) const NOON: u64 = 1_795_406_400;

/// Two clocks in seconds: the one that people set, and the steady one.
#[derive(Debug, Clone)]
pub(super) struct Hands(pub(super) Arc<[AtomicU64; 2]>);

impl Clock for Hands {
    fn since_1970(&self) -> Duration {
        Duration::from_secs(self.0[0].load(Relaxed))
    }

    fn steady(&self) -> Duration {
        Duration::from_secs(self.0[1].load(Relaxed))
    }
}

/// A state folder, and a proxy that writes evidence of what the test says.
pub(super) struct World {
    pub(super) folder: tempfile::TempDir,
    pub(super) hands: Hands,
    /// The name of the proxy's evidence file.
    pub(super) file: &'static str,
    pub(super) line: u64,
    /// How many of a thousand answers of the candidate are bad.
    pub(super) bad: u64,
}

pub(super) fn plan() -> Plan {
    Plan {
        steps: ["10%", "50%", "99%"].map(|text| text.parse().expect("a part")).to_vec(),
        hold: 10,
        warm_up: 10,
        least: 30,
        has_golden: false,
        ..Plan::default()
    }
}

pub(super) fn options() -> Options {
    let part = |text: &str| text.parse().expect("a part");
    Options {
        sample: part("100%"),
        second: part("10%"),
        verify: part("10%"),
        keeping: Keeping::default(),
        advises: false,
    }
}

impl World {
    pub(super) fn new() -> World {
        let hands = Hands(Arc::new([AtomicU64::new(NOON), AtomicU64::new(1_000)]));
        let world =
            World { folder: tempfile::tempdir().expect("there is room"), hands, file: "proxy.jsonl", line: 0, bad: 0 };
        world.state().make().expect("there is room");
        world
    }

    pub(super) fn state(&self) -> State {
        State::at(self.folder.path().to_owned())
    }

    pub(super) fn door(&self) -> Door {
        let own = Own::new(self.state().control());
        Door::open(self.state(), Box::new(own), Box::new(self.hands.clone())).expect("it opens")
    }

    /// Begins a ramp that has heard of the proxy.
    pub(super) fn begin(&mut self) -> Ramp {
        let mut door = self.door();
        assert_eq!(door.look().expect("it can be read"), None);
        self.writes_to(self.file);
        assert_eq!(door.look().expect("it can be read").expect("a proxy is there").len(), 3);
        door.begin(plan(), options()).expect("it begins")
    }

    /// Kills the judge, and starts it again.
    pub(super) fn restart(&self, ramp: Ramp) -> Ramp {
        drop(ramp);
        let door = self.door();
        assert!(door.set_aside.is_none());
        door.go_on(options()).unwrap_or_else(|_| panic!("there is a ramp"))
    }

    pub(super) fn pass(&self, seconds: u64) {
        for hand in self.hands.0.iter() {
            hand.fetch_add(seconds, Relaxed);
        }
    }

    pub(super) fn control(&self) -> Option<Control> {
        let text = fs::read_to_string(self.state().control()).ok()?;
        Some(Control::parse(&text).expect("a whole control file"))
    }

    pub(super) fn weight(&self) -> String {
        self.control().map_or_else(|| "none".to_owned(), |control| control.weights.candidate.to_string())
    }

    pub(super) fn evidence(&self) -> std::path::PathBuf {
        self.state().evidence().join(self.file)
    }

    /// Writes further evidence to this file.
    pub(super) fn writes_to(&mut self, file: &'static str) {
        (self.file, self.line) = (file, if file == self.file { self.line } else { 0 });
        let sides = [Side::Control, Side::Candidate, Side::Twin].map(|side| (side, "http://127.0.0.1:1".to_owned()));
        self.write(Entry::Event(Event::Began { sides: sides.into() }));
    }

    pub(super) fn write(&mut self, entry: Entry) {
        self.line += 1;
        let at = 1_000 * self.hands.since_1970().as_secs();
        let line = Line { number: self.line, at, entry }.to_text().expect("JSON");
        let file = OpenOptions::new().create(true).append(true).open(self.evidence());
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("there is room");
    }

    /// Five seconds at the proxy, which obeys the control file.
    pub(super) fn slot(&mut self) {
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
            network: None,
        };
        let copies = |pair, same| Copies { same, ..Copies::new(route.clone(), pair) };
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

    /// Runs slots and rounds until the ramp reaches this phase or many have passed. Returns the weights on the way.
    pub(super) fn until(&mut self, ramp: &mut Ramp, phase: Phase) -> Vec<String> {
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

    /// Runs the ramp to its end, with the operator's order to finish.
    pub(super) fn finish(&mut self, ramp: &mut Ramp) -> Vec<String> {
        let mut weights = Vec::new();
        for _ in 0..200 {
            assert_eq!(ramp.round(&[]).trouble, None);
            if weights.last() != Some(&self.weight()) {
                weights.push(self.weight());
            }
            if self.decisions().last().is_some_and(|last| last.starts_with("ready")) {
                let (_, reply) = ramp.order(Command::Finish);
                assert_eq!((reply.refused, ramp.phase()), (None, Phase::Done));
                weights.push(self.weight());
                return weights;
            }
            self.slot();
        }
        panic!("the last step was not reached: {weights:?}\n{}", ramp.status());
    }

    pub(super) fn decisions(&self) -> Vec<String> {
        let decisions = decisions(&self.state().journal()).expect("it can be read");
        decisions.iter().map(|decided| format!("{} {}", decided.decision, decided.weight)).collect()
    }
}
