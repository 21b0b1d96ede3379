//! Proxies and judges of the tests.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
    thread,
    time::Duration,
};

use tierup_ramp::{Courier, Database, Door, Keeping, Machine, Options, Ramp, State};
use tierup_rollout::{
    Control, Part, Plan, Side, StoreUrl,
    evidence::{Entry, Event, Line, Live, Slot},
};

use crate::common::{now, postgres::Postgres, wait};

/// A lease that a test can wait for.
pub(crate) const LEASE: Duration = Duration::from_secs(2);
/// The variable that makes a test run as a judge: an address.
pub(crate) const JUDGE: &str = "TIERUP_TEST_JUDGE";

fn options() -> Options {
    Options { sample: Part::ALL, second: Part::ALL, verify: Part::NONE, keeping: Keeping::default(), advises: false }
}

/// A proxy: a folder with evidence, and the courier that keeps it in step with the database.
pub(crate) struct Proxy {
    pub(crate) state: State,
    lines: u64,
    pub(crate) courier: Option<Courier>,
    _folder: tempfile::TempDir,
}

impl Proxy {
    pub(crate) fn start(url: &StoreUrl) -> Proxy {
        let folder = tempfile::tempdir().expect("there is room");
        let state = State::at(folder.path().join("state"));
        let mut proxy = Proxy { state, lines: 0, courier: None, _folder: folder };
        proxy.connect(url);
        let sides = [Side::Control, Side::Candidate, Side::Twin].map(|side| (side, "http://127.0.0.1:1".to_owned()));
        proxy.write(Entry::Event(Event::Began { sides: sides.into() }));
        proxy
    }

    pub(crate) fn connect(&mut self, judges: &StoreUrl) {
        let url = StoreUrl { address: judges.address.replace("_judge@", "_proxy@"), ..judges.clone() };
        self.courier = Some(Courier::start(&url, self.state.clone()).expect("it lets us in"));
    }

    pub(crate) fn write(&mut self, entry: Entry) {
        self.lines += 1;
        let line = Line { number: self.lines, at: 1_000 * now(), entry }.to_text().expect("JSON");
        // Each proxy has a file of its own name.
        let name =
            format!("{}-1.jsonl", self.state.folder().parent().expect("it has").file_name().expect("it has").display());
        let file = OpenOptions::new().create(true).append(true).open(self.state.evidence().join(name));
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("there is room");
    }

    pub(crate) fn control(&self) -> Option<Control> {
        let text = fs::read_to_string(self.state.control()).ok()?;
        Some(Control::parse(&text).expect("a whole control file"))
    }

    pub(crate) fn wait_for(&self, what: &str, is: impl Fn(&Control) -> bool) -> Control {
        wait(what, || self.control().is_some_and(|control| is(&control)));
        self.control().expect("it is there")
    }

    /// A slot in which control gave ten answers.
    pub(crate) fn slot(&mut self, ramp: &str) {
        let live = Live { route: "GET /".into(), side: Side::Control, answered: 10, errors: 0, silent: 0 };
        let processor = [(Side::Control, 0.5)].into();
        self.write(Entry::Slot(Slot {
            ramp: Some(ramp.to_owned()),
            lasted: 5_000,
            live: vec![live],
            processor,
            ..Slot::default()
        }));
    }
}

/// Waits for the lease, and goes on with the ramp or begins one.
pub(crate) fn ramp(database: &Database, folder: &Path) -> Ramp {
    let mut lease = None;
    wait("the lease", || {
        lease = database.take().expect("it answers");
        lease.is_some()
    });
    let state = State::at(folder.join("state"));
    let door = Door::of(lease, state, database.actuator(), Box::new(Machine::default())).expect("it opens");
    let mut door = match door.go_on(options()) {
        Ok(ramp) => return ramp,
        Err(door) => door,
    };
    wait("a proxy", || door.look().expect("it can be read").is_some());
    door.begin(Plan::default(), options()).expect("it begins")
}

/// A ramp of a judge in this process. A proxy that began before the judge says something every five seconds.
pub(crate) fn begun(database: &Database, proxy: &mut Proxy, folder: &Path) -> Ramp {
    thread::scope(|scope| {
        let began = scope.spawn(|| ramp(database, folder));
        wait("the ramp", || {
            proxy.write(Entry::Event(Event::ControlFile { trouble: None }));
            began.is_finished()
        });
        began.join().expect("it does not panic")
    })
}

/// A judge in this process with a ramp and a proxy.
pub(crate) struct Judged {
    pub(crate) ramp: Ramp,
    pub(crate) proxy: Proxy,
    _folder: tempfile::TempDir,
    pub(crate) postgres: Postgres,
}

impl Judged {
    pub(crate) fn start(rollout: &str) -> Judged {
        let (postgres, folder) = (Postgres::start(), tempfile::tempdir().expect("there is room"));
        let url = postgres.url(rollout);
        let mut proxy = Proxy::start(&url);
        let database = Database::connect(&url).expect("it lets us in");
        let ramp = begun(&database, &mut proxy, folder.path());
        Judged { ramp, proxy, _folder: folder, postgres }
    }
}
