//! Short runs over the tests' servers.

use std::{cell::Cell, net::SocketAddr, sync::Arc, time::Duration};

use tierup_bench::{
    examine::Comparator,
    load::{Content, Expectation, Load, LoadOutcome, Pace, Workload, generate},
    observer::{Event, Observer},
    plan::{Budget, Plan, PlannedRow},
    record::{Failures, Heading, Record, Role, RowRecord},
    run::{Error, run},
};
use tierup_requests::{Context, Moment, Request, Set, Templates};
use tierup_subject::{Answer, Prepared, Standing, Subject};

use crate::server::BODY;

/// How long a request may take in these tests.
pub(crate) const TIMEOUT: Duration = Duration::from_millis(1500);

/// Requests as in a `.http` file.
pub(crate) fn requests(text: &str) -> Set {
    let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
    Templates::parse("test.http", text).unwrap().expand(1, 1, &context).unwrap()
}

pub(crate) fn standing(address: SocketAddr) -> Box<dyn Subject> {
    Box::new(Standing { address, authority: address.to_string(), pid: None })
}

/// A plan with these rows, the first of which is the reference.
pub(crate) fn plan(rows: Vec<(&str, Box<dyn Subject>)>, requests: Set) -> Plan {
    let row = |(index, (label, subject)): (usize, (&str, Box<dyn Subject>))| {
        let role = if index == 0 { Role::Reference } else { Role::Candidate };
        let row = RowRecord { step: index as u8, ..RowRecord::new(label, "", role) };
        PlannedRow { row, subject, reuse: None }
    };
    Plan {
        heading: Heading { title: "test".into(), command: "test".into(), versions: Vec::new(), estimates: Vec::new() },
        source: "a test".into(),
        requests,
        rows: rows.into_iter().enumerate().map(row).collect(),
        budget: Budget { total: Duration::from_secs(1), blocks: 2, closed_slices: 1, open_slices: 1, quick: true },
        connections: 4,
        workers: 1,
        rate: Some(50.0),
        timeout: TIMEOUT,
        patience: Duration::from_secs(2),
        processors: None,
        seed: 1,
        threshold: 1.05,
        step_cores: 0.05,
        cost: None,
    }
}

/// Measures, and compares answers to the byte.
pub(crate) fn measured(plan: &mut Plan) -> Result<Record, Error> {
    run(plan, &mut Exact, &mut Watcher::default())
}

/// Answers are alike if their status, media type and body are equal.
pub(crate) struct Exact;

impl Comparator for Exact {
    fn difference(&mut self, _: &Request, reference: &Answer, candidate: &Answer) -> Option<String> {
        let all = |answer: &Answer| (answer.status, answer.content_type().map(str::to_owned), answer.body.clone());
        (all(reference) != all(candidate)).then(|| format!("{candidate:?} instead of {reference:?}"))
    }

    fn how(&self) -> String {
        "to the byte".into()
    }
}

/// Interrupts once a round of load has begun, if it is set to.
#[derive(Default)]
pub(crate) struct Watcher {
    pub(crate) interrupts: Interrupt,
    pub(crate) seen: Cell<bool>,
    pub(crate) kept: Option<Record>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) enum Interrupt {
    #[default]
    Never,
    Checking,
    Round,
}

impl Observer<Record> for Watcher {
    fn sees(&mut self, event: &Event<'_>) {
        let now = match event {
            Event::Checking { .. } => self.interrupts == Interrupt::Checking,
            Event::Round { .. } => self.interrupts == Interrupt::Round,
            _ => false,
        };
        self.seen.set(self.seen.get() || now);
    }

    fn kept(&mut self, record: &Record) {
        self.kept = Some(record.clone());
    }

    fn interrupted(&self) -> bool {
        self.seen.get()
    }
}

/// A third of a second of `GET /`, whose right answer is 200 with [`BODY`].
pub(crate) fn load(address: SocketAddr) -> Load {
    Load {
        address,
        connections: 4,
        workers: 2,
        pace: Pace::Closed,
        length: Duration::from_millis(300),
        timeout: TIMEOUT,
        offset: 0,
        in_order: false,
        parts: 10,
        processors: None,
    }
}

pub(crate) fn workload(address: SocketAddr) -> Arc<Workload> {
    let content = Content::Exactly(BODY.into());
    Arc::new(Workload {
        requests: vec![Prepared::new("GET", "/", &[], b"", &address.to_string()).unwrap()],
        order: vec![0],
        expected: vec![Expectation { status: 200, content }],
    })
}

/// Loads a server.
pub(crate) fn loaded(load: &Load) -> LoadOutcome {
    generate(load, &workload(load.address), &mut ())
}

/// Whether there were right answers, and which kinds of failures; how many depends on the machine.
pub(crate) fn kinds(answered: u64, failures: &Failures) -> String {
    let kinds: Vec<_> = failures.kinds().into_iter().map(|(kind, _)| kind).collect();
    let answers = if answered > 0 { "right answers" } else { "no right answer" };
    let failures = if kinds.is_empty() { "no failure".to_owned() } else { kinds.join(", ") };
    format!("{answers}; {failures}")
}
