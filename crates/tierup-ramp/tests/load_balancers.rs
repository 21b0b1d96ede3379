//! Whole ramps through the real HAProxy, nginx and Envoy, under load. Only the evidence of copies is written by hand, as a
//! proxy before control would write it.

mod common;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, OpenOptions},
    io::Write as _,
    mem,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use common::{Load, PATIENCE, Server, envoy, haproxy, nginx};
use tierup_ramp::{Actuator, Behind, Clock, Door, Envoy, HaProxy, Keeping, Machine, Nginx, Options, Own, Ramp, State};
use tierup_rollout::{
    Control, Part, Phase, Plan, Side, Weights,
    evidence::{Copies, Entry, Event, Line, Live, Pair, Slot},
};

/// How long a ramp may take, as it needs many slots.
const RAMP: Duration = PATIENCE.saturating_mul(3);

/// A proxy's evidence file, and the ramp of its folder.
struct World {
    state: State,
    lines: u64,
    ramp: Ramp,
    /// How many seconds the judge's clock is ahead.
    ahead: Arc<AtomicU64>,
    /// Failed requests of clients.
    failed: Vec<String>,
}

/// The machine's clocks; the steady one can be put forward.
struct Ahead(Machine, Arc<AtomicU64>);

impl Clock for Ahead {
    fn since_1970(&self) -> Duration {
        self.0.since_1970()
    }

    fn steady(&self) -> Duration {
        self.0.steady() + Duration::from_secs(self.1.load(SeqCst))
    }
}

fn plan() -> Plan {
    Plan {
        steps: ["5%", "50%", "99%"].map(|text| text.parse().expect("a part")).to_vec(),
        hold: 3,
        warm_up: 3,
        least: 30,
        // With a twin, each step would take a minute to judge slowness.
        has_twin: false,
        verifies: false,
        has_golden: false,
        ..Plan::default()
    }
}

fn options() -> Options {
    Options { sample: Part::ALL, second: Part::ALL, verify: Part::NONE, keeping: Keeping::default(), advises: false }
}

fn write(state: &State, lines: &mut u64, entry: Entry) {
    *lines += 1;
    let line = Line { number: *lines, at: 1_000 * common::now(), entry }.to_text().expect("JSON");
    let file = OpenOptions::new().create(true).append(true).open(state.evidence().join("proxy.jsonl"));
    file.and_then(|mut file| file.write_all(line.as_bytes())).expect("there is room");
}

impl World {
    fn begin(folder: &Path, balancer: Box<dyn Actuator>) -> World {
        let state = State::at(folder.join("state"));
        let actuator = Behind::new(balancer, Box::new(Own::new(state.control())));
        let ahead = Arc::new(AtomicU64::new(0));
        let clock = Ahead(Machine::default(), ahead.clone());
        let mut door = Door::open(state.clone(), Box::new(actuator), Box::new(clock)).expect("it opens");
        assert_eq!(door.look().expect("it can be read"), None);
        let (sides, mut lines) = ([Side::Control, Side::Candidate, Side::Twin], 0);
        let sides = sides.map(|side| (side, "http://127.0.0.1:1".to_owned())).into();
        write(&state, &mut lines, Entry::Event(Event::Began { sides }));
        assert!(door.look().expect("it can be read").is_some());
        let ramp = door.begin(plan(), options()).expect("it begins");
        World { state, lines, ramp, ahead, failed: Vec::new() }
    }

    /// Writes a slot of copies with equal answers.
    fn copies(&mut self) {
        let text = fs::read_to_string(self.state.control()).expect("it is there");
        let control = Control::parse(&text).expect("a whole control file");
        assert_eq!(control.weights, Weights::CONTROL_ONLY, "proxies only send copies");
        let copies = |pair| Copies { same: 100, ..Copies::new("GET /a", pair) };
        let slot = Slot {
            ramp: Some(control.ramp.clone()),
            generation: control.generation,
            phase: Some(control.phase),
            lasted: 5_000,
            // The proxy sees all requests that the load balancer leaves to control.
            live: vec![Live { route: "GET /a".into(), side: Side::Control, answered: 1_000, errors: 0, silent: 0 }],
            processor: [(Side::Control, 0.1), (Side::Candidate, 0.1)].into(),
            copies: vec![copies(Pair::Candidate), copies(Pair::Second)],
            ..Slot::default()
        };
        write(&self.state, &mut self.lines, Entry::Slot(slot));
    }

    /// Runs a round a second until `done`. Returns the weights on the way. Checks that under each weight, clients have
    /// the server that the weight gives them.
    fn until(&mut self, load: &Load, done: impl Fn(&Ramp) -> bool) -> Vec<String> {
        let (began, mut weights) = (Instant::now(), Vec::new());
        let mut shared: BTreeMap<Part, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        while !done(&self.ramp) {
            assert!(began.elapsed() < RAMP, "{weights:?}\n{}", self.ramp.status());
            let round = self.ramp.round(&[]);
            assert_eq!(round.trouble, None);
            let weight = self.ramp.status().weights.candidate;
            if weights.last() != Some(&weight) {
                weights.push(weight);
                // Requests that were assigned earlier are answered by then.
                self.failed.extend(load.settle());
            }
            self.copies();
            thread::sleep(Duration::from_secs(1));
            let seen = load.rest();
            // A second with failures has no known shares.
            if seen.failed.is_empty() {
                let clients = shared.entry(weight).or_default();
                for (client, servers) in seen.by_client {
                    clients.entry(client).or_default().extend(servers);
                }
            }
            self.failed.extend(seen.failed);
        }
        for (weight, clients) in shared {
            assert!(clients.values().all(|servers| servers.len() == 1), "at {weight}: {clients:?}");
            let (all, part) = (clients.len() as f64, weight.fraction());
            let own = clients.values().filter(|servers| servers.contains("candidate")).count() as f64;
            println!("at {weight}: {own} of {all} clients have the candidate; {} requests failed", self.failed.len());
            // Five standard deviations of a binomial.
            assert!(
                (own - all * part).abs() <= 5.0 * (all * part * (1.0 - part)).sqrt() + 1e-6,
                "at {weight}: {own} of {all}"
            );
        }
        weights.iter().map(ToString::to_string).collect()
    }
}

/// The first ramp rises to 100 %, and the operator aborts it; the judge rolls the second one back at 50 %.
fn ramps(folder: &Path, port: u16, candidate: &Server, balancer: impl Fn() -> Box<dyn Actuator>) {
    let load = Load::start(port);
    let mut world = World::begin(folder, balancer());
    let is_ready = |ramp: &Ramp| ramp.status().words.iter().any(|word| word.starts_with("`tierup ramp finish`"));
    assert_eq!(world.until(&load, is_ready), ["0%", "5%", "50%", "99%"]);
    assert_eq!(world.ramp.order("finish".parse().expect("a command")).1.refused, None);
    assert_eq!(world.until(&load, |ramp| ramp.phase() == Phase::Done), Vec::<String>::new());
    load.settle();
    load.next(100);
    let mut failed = mem::take(&mut world.failed);
    // It would be a millisecond if only the hundred copies of a slot counted as answers.
    let shown = world.ramp.shown().expect("it can be read").expect("both answered");
    println!("{shown:?}");
    assert!((shown.control - 100.0).abs() < 1e-6 && shown.candidate < 700.0, "{shown:?}");
    let seen = load.next(300);
    assert_eq!(seen.shares(), [0, seen.answers - seen.failed.len(), 0]);
    failed.extend(seen.failed);
    world.ramp.order("abort".parse().expect("a command"));
    // Requests that were assigned earlier are answered by now.
    failed.extend(load.settle());
    let seen = load.next(300);
    assert_eq!(seen.shares(), [seen.answers - seen.failed.len(), 0, 0]);
    failed.extend(seen.failed);

    drop(world);
    fs::remove_dir_all(folder.join("state")).expect("it is there");
    let mut world = World::begin(folder, balancer());
    let half = "50%".parse().expect("a part");
    world.until(&load, |ramp| ramp.status().weights.candidate == half);
    failed.append(&mut world.failed);
    failed.extend(load.rest().failed);
    assert_eq!(failed, Vec::<String>::new());
    candidate.answer(500);
    world.until(&load, |ramp| ramp.phase() == Phase::RolledBack);
    let words = world.ramp.status().words;
    assert!(words.iter().any(|word| word.starts_with("5xx")), "{words:?}");
    // The candidate still gives bad answers, and no client sees them.
    load.settle();
    let seen = load.next(300);
    assert_eq!((seen.shares(), seen.failed), ([seen.answers, 0, 0], Vec::new()));
    assert_eq!(balancer().read(common::now()).expect("it tells"), Weights::CONTROL_ONLY);
}

#[test]
fn ramps_through_haproxy_reach_100_percent_and_roll_back() {
    let setup = haproxy::Setup::start();
    let balancer = || -> Box<dyn Actuator> {
        let settings = haproxy::settings(setup.folder.path(), haproxy::cookie());
        Box::new(HaProxy::new(settings).expect("plain names"))
    };
    ramps(setup.folder.path(), setup.port, setup.candidate.as_ref().expect("it runs"), balancer);
}

#[test]
fn ramps_through_nginx_reach_100_percent_and_roll_back() {
    let setup = nginx::Setup::start();
    let balancer = || -> Box<dyn Actuator> {
        Box::new(Nginx::new(nginx::settings(setup.folder.path(), setup.status)).expect("plain names"))
    };
    ramps(setup.folder.path(), setup.port, setup.candidate.as_ref().expect("it runs"), balancer);
}

#[test]
fn ramps_through_envoy_reach_100_percent_and_roll_back() {
    let setup = envoy::Setup::start();
    let settings = setup.settings.clone();
    let port = setup.port;
    let balancer = || -> Box<dyn Actuator> { Box::new(Envoy::new(settings.clone()).expect("plain names")) };
    // Only one judge can serve it.
    drop(setup.actuator);
    ramps(setup.folder.path(), port, setup.candidate.as_ref().expect("it runs"), balancer);
}

#[test]
fn a_dead_load_balancer_is_reported_and_gets_its_weights_back() {
    let mut setup = haproxy::Setup::start();
    let settings = haproxy::settings(setup.folder.path(), haproxy::cookie());
    let load = Load::start(setup.port);
    let mut world = World::begin(setup.folder.path(), Box::new(HaProxy::new(settings).expect("plain names")));
    world.until(&load, |ramp| ramp.status().weights.candidate > Part::NONE);
    let weights = world.ramp.status().weights;
    drop(load);
    setup.process = None;
    let trouble = world.ramp.round(&[]).trouble.expect("it does not tell");
    assert!(trouble.contains("HAProxy"), "{trouble}");
    setup.run();
    assert_eq!(setup.actuator.read(common::now()).expect("it tells"), Weights::CONTROL_ONLY);
    common::wait("the weights", || {
        world.ramp.round(&[]);
        thread::sleep(Duration::from_millis(200));
        let in_force = setup.actuator.read(common::now()).expect("it tells");
        assert!(in_force == weights || in_force == Weights::CONTROL_ONLY);
        in_force == weights
    });
}

#[test]
fn without_a_log_the_weight_stays_and_then_control_answers() {
    let setup = haproxy::Setup::start();
    let settings = || haproxy::settings(setup.folder.path(), haproxy::cookie());
    let pause = Duration::from_millis(5);
    let load = Load::with(setup.port, pause);
    let mut world = World::begin(setup.folder.path(), Box::new(HaProxy::new(settings()).expect("plain names")));
    world.until(&load, |ramp| ramp.status().weights.candidate > Part::NONE);
    let weights = world.ramp.status().weights;
    // From now on, all requests go to a frontend that does not log.
    drop(load);
    let load = Load::with(setup.unlogged, pause);
    let round = |world: &mut World| {
        world.ramp.round(&[]);
        world.copies();
        thread::sleep(Duration::from_millis(500));
        world.ramp.status()
    };
    let is_blind = |trouble: &Option<String>| trouble.as_ref().is_some_and(|trouble| trouble.contains("and logged"));
    common::wait("what is not logged", || is_blind(&round(&mut world).trouble));
    // These rounds take longer than a step.
    for _ in 0..20 {
        let status = round(&mut world);
        assert!(status.weights == weights && is_blind(&status.trouble), "{status}");
    }
    let in_force = || HaProxy::new(settings()).and_then(|mut actuator| actuator.read(common::now())).expect("it tells");
    assert_eq!(in_force(), weights);
    world.ahead.store(61, SeqCst);
    let status = round(&mut world);
    assert_eq!((status.weights, in_force()), (Weights::CONTROL_ONLY, Weights::CONTROL_ONLY));
    assert!(status.words[0].contains("and logged"), "{status}");
    drop(load);
    let load = Load::with(setup.port, pause);
    common::wait("the weights", || round(&mut world).weights == weights);
    assert_eq!(in_force(), weights);
    drop(load);
}
