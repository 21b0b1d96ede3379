//! Servers, clients and processes for the tests with real load balancers.

#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod envoy;
pub(crate) mod haproxy;
pub(crate) mod nginx;
pub(crate) mod postgres;

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    process::{Child, Command},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU16, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use tierup_ramp::{Actuator, Observed};
use tierup_rollout::{
    Control, Latencies, Part, Phase, RampKey, Side, Weights,
    evidence::{Bad, Entry, Event, Slot},
};

/// How long a test waits for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server that puts its name into the head of each answer. All servers send the same body.
pub(crate) struct Server {
    pub(crate) port: u16,
    status: Arc<AtomicU16>,
    lies: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(name: &'static str) -> Server {
        Server::on(name, free_port())
    }

    /// A server on this port.
    pub(crate) fn on(name: &'static str, port: u16) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("a port");
        let (status, stopped) = (Arc::new(AtomicU16::new(200)), Arc::new(AtomicBool::new(false)));
        let lies = Arc::new(AtomicBool::new(false));
        let (own, ends, lie) = (status.clone(), stopped.clone(), lies.clone());
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                let (status, ends, lies) = (own.clone(), ends.clone(), lie.clone());
                thread::spawn(move || serve(&stream, name, &status, &lies, &ends));
            }
        });
        Server { port, status, lies, stopped }
    }

    /// Sends another body from now on.
    pub(crate) fn lie(&self) {
        self.lies.store(true, Ordering::SeqCst);
    }

    pub(crate) fn answer(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// Accepts requests and answers none from now on.
    pub(crate) fn hang(&self) {
        self.answer(0);
    }
}

/// Stops listening, and ends open connections.
impl Drop for Server {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // This connection wakes the accepting thread. Once that thread has ended, no connection is accepted.
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

fn serve(mut stream: &TcpStream, name: &str, status: &AtomicU16, lies: &AtomicBool, stopped: &AtomicBool) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    while lines.by_ref().find(|line| line.is_empty()).is_some() {
        if stopped.load(Ordering::SeqCst) {
            return;
        }
        while status.load(Ordering::SeqCst) == 0 {
            if stopped.load(Ordering::SeqCst) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let (status, body) =
            (status.load(Ordering::SeqCst), if lies.load(Ordering::SeqCst) { "wrong" } else { "right" });
        let answer = format!("HTTP/1.1 {status} X\r\nx-server: {name}\r\ncontent-length: 5\r\n\r\n{body}");
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Sends a request on a new connection. Returns the status and the server's name.
pub(crate) fn get(port: u16, method: &str, session: Option<&str>) -> Result<(u16, String), String> {
    ask(port, method, &session.map(|session| format!("cookie: session={session}\r\n")).unwrap_or_default())
}

/// The same with other lines in the head.
pub(crate) fn ask(port: u16, method: &str, lines: &str) -> Result<(u16, String), String> {
    let ask = || {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let head = format!("{method} /a HTTP/1.1\r\nhost: x\r\n{lines}connection: close\r\ncontent-length: 0\r\n\r\n");
        stream.write_all(head.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask().map_err(|error: std::io::Error| error.to_string())?;
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    let server = answer.lines().find_map(|line| line.strip_prefix("x-server: ")).unwrap_or("nobody");
    Ok((status.ok_or_else(|| format!("no status in {answer:?}"))?, server.to_owned()))
}

/// Sends a request, and leaves after this time if there is no answer.
pub(crate) fn leave(port: u16, session: &str, after: Duration) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let head = format!("GET /a HTTP/1.1\r\nhost: x\r\ncookie: session={session}\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("it reads");
    stream.set_read_timeout(Some(after)).expect("a time");
    assert!(stream.read(&mut [0; 1]).is_err(), "there is an answer");
}

/// Clients that send requests all the time, until they are dropped.
pub(crate) struct Load {
    stopped: Arc<AtomicBool>,
    seen: Arc<Mutex<Seen>>,
    threads: Vec<thread::JoinHandle<()>>,
}

#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// For each client, the names of the servers that answered, in order.
    pub(crate) by_client: BTreeMap<String, Vec<String>>,
    pub(crate) failed: Vec<String>,
    pub(crate) answers: usize,
    /// The number of answers of each thread.
    by_thread: BTreeMap<u64, usize>,
}

impl Load {
    /// About 1,500 requests a second: enough to meet every change, without filling a processor.
    pub(crate) fn start(port: u16) -> Load {
        Load::with(port, Duration::from_millis(2))
    }

    /// Each client pauses after an answer.
    pub(crate) fn with(port: u16, pause: Duration) -> Load {
        let (stopped, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(Seen::default())));
        let threads = (0..4_u64).map(|thread| {
            let (stopped, seen) = (stopped.clone(), seen.clone());
            thread::spawn(move || {
                for request in 0.. {
                    if stopped.load(Ordering::SeqCst) {
                        return;
                    }
                    let session = format!("{thread}-{}", request % 500);
                    let answer = get(port, "GET", Some(&session));
                    let mut seen = seen.lock().expect("no client panicked");
                    seen.answers += 1;
                    *seen.by_thread.entry(thread).or_default() += 1;
                    match answer {
                        Ok((200, server)) => seen.by_client.entry(session).or_default().push(server),
                        other => seen.failed.push(format!("{other:?}")),
                    }
                    drop(seen);
                    thread::sleep(pause);
                }
            })
        });
        Load { threads: threads.collect(), stopped, seen }
    }

    /// Forgets what was seen, waits for more answers, and returns them.
    pub(crate) fn next(&self, answers: usize) -> Seen {
        std::mem::take(&mut *self.seen.lock().expect("no client panicked"));
        wait("answers", || self.seen.lock().expect("no client panicked").answers >= answers);
        std::mem::take(&mut *self.seen.lock().expect("no client panicked"))
    }

    /// Waits until all requests that began earlier are answered. Returns those that failed since the last look.
    pub(crate) fn settle(&self) -> Vec<String> {
        let mut failed = self.rest().failed;
        // A thread's first answer may belong to a request that began earlier.
        wait("an answer to each client", || {
            let seen = self.seen.lock().expect("no client panicked");
            seen.by_thread.len() == self.threads.len() && seen.by_thread.values().all(|answers| *answers > 1)
        });
        failed.extend(self.rest().failed);
        failed
    }

    /// What was seen since the last look.
    pub(crate) fn rest(&self) -> Seen {
        std::mem::take(&mut *self.seen.lock().expect("no client panicked"))
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

/// Weights rise and fall under load: no request fails, shares are as decided, and each client has one server, with
/// which it stays while the candidate's weight rises. `also` checks more of what was seen at a step.
pub(crate) fn rises_and_falls(actuator: &mut dyn Actuator, port: u16, mut also: impl FnMut(&Control, &Seen)) {
    let load = Load::start(port);
    let (mut last, mut failed, mut before) = (0, Vec::new(), BTreeMap::new());
    for (generation, step) in (1..).zip(["0%", "5%", "50%", "100%", "0%"]) {
        let (control, began) = (control(generation, step), Instant::now());
        actuator.set(&control).expect("it takes them");
        let took = began.elapsed();
        assert_eq!(actuator.read(now()).expect("it tells"), control.weights);
        // Requests that began at the last step are answered by now.
        failed.extend(load.settle());
        let seen = load.next(2_000);
        failed.extend(seen.failed.iter().cloned());
        also(&control, &seen);
        let part = control.weights.candidate.fraction();
        let share = seen.shares()[1] as f64 / seen.answers as f64;
        println!("{step}: in force after {took:?}, a share of {share}");
        // Five standard deviations of a binomial, for 2,000 clients.
        assert!((share - part).abs() <= 5.0 * (part * (1.0 - part) / 2_000.0).sqrt() + 1e-9, "{step}: {share}");
        for (client, servers) in seen.by_client {
            assert!(servers.iter().all(|server| *server == servers[0]), "{step}: {client}: {servers:?}");
            let had = before.insert(client.clone(), servers[0].clone());
            let kept = had.as_deref() != Some("candidate") || servers[0] == "candidate" || step == "0%";
            assert!(kept, "{step}: {client}: {servers:?}");
        }
        last = generation;
    }
    assert_eq!(failed, Vec::<String>::new());
    let entries = observe_until(actuator, |entry| matches!(entry, Entry::Slot(slot) if slot.generation == last));
    let slots = slots(&entries);
    assert_eq!(slots.iter().map(|slot| slot.ramp.as_deref()).collect::<Vec<_>>(), vec![Some("3f2a9c01"); slots.len()]);
    let answered: u64 = slots.iter().flat_map(|slot| &slot.live).map(|live| live.answered).sum();
    let timed: u64 = slots.iter().flat_map(|slot| slot.latencies.values()).map(Latencies::count).sum();
    assert!(answered > 0 && answered == timed && bad(&entries).is_empty(), "{slots:?}");
    // The first look forgets the troubles that an earlier judge reported.
    let events = entries.iter().filter(|entry| matches!(entry, Entry::Event(_)));
    assert!(events.clone().all(|event| *event == Entry::Event(Event::Ended)) && events.count() <= 1, "{entries:?}");
}

impl Seen {
    /// The numbers of answers by control, the candidate and the twin.
    pub(crate) fn shares(&self) -> [usize; 3] {
        let count = |name: &str| self.by_client.values().flatten().filter(|server| *server == name).count();
        ["control", "candidate", "twin"].map(count)
    }

    /// Checks that each client got the server that the control file gives it.
    pub(crate) fn assert_as_decided(&self, control: &Control) {
        let buckets = tierup_rollout::Buckets::new(&control.key);
        for (client, servers) in &self.by_client {
            let side = buckets.of(client.as_bytes()).side(control.weights);
            assert!(servers.iter().all(|server| server == side.name()), "{client}: {side:?}, not {servers:?}");
        }
    }
}

/// A program that is killed at the end.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// # Panics
    /// If the program is not installed; `cargo xtask test` installs it.
    pub(crate) fn start(command: &mut Command) -> Process {
        let started = command.spawn();
        Process(started.unwrap_or_else(|error| panic!("`{:?}` must be installed: {error}", command.get_program())))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A port that no other test or test program gets. HAProxy listens with `SO_REUSEPORT`, so two of them at one port
/// would answer each other's clients.
pub(crate) fn free_port() -> u16 {
    tierup_runner::port::free().expect("a port")
}

pub(crate) fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let began = Instant::now();
    while !done() {
        assert!(began.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

pub(crate) fn control(generation: u64, candidate: &str) -> Control {
    Control {
        ramp: "3f2a9c01".into(),
        generation,
        heartbeat: now(),
        phase: Phase::Ramping,
        weights: Weights::with_twin(candidate.parse().expect("a part")),
        mirror: Part::NONE,
        second: Part::NONE,
        verify: Part::NONE,
        key: RampKey::new([7; 16]),
    }
}

/// The entries since the last look. The load balancer must have logged everything.
pub(crate) fn seen(actuator: &mut dyn Actuator) -> Vec<Entry> {
    let Observed { entries, blind, .. } = actuator.observe();
    assert!(blind.is_none(), "{}", blind.map(|error| error.to_string()).unwrap_or_default());
    entries
}

/// Observes until an entry matches.
pub(crate) fn observe_until(actuator: &mut dyn Actuator, mut fits: impl FnMut(&Entry) -> bool) -> Vec<Entry> {
    let mut all = Vec::new();
    wait("evidence", || {
        all.extend(seen(actuator));
        all.iter().any(&mut fits)
    });
    all
}

pub(crate) fn slots(entries: &[Entry]) -> Vec<&Slot> {
    entries.iter().filter_map(|entry| if let Entry::Slot(slot) = entry { Some(slot) } else { None }).collect()
}

pub(crate) fn bad(entries: &[Entry]) -> Vec<&Bad> {
    slots(entries).into_iter().flat_map(|slot| &slot.bad).collect()
}

pub(crate) fn is_unreachable(entry: &Entry, of: Side, expected: bool) -> bool {
    matches!(entry, Entry::Event(Event::Unreachable { side, is }) if *side == of && *is == expected)
}
