//! Carries out a [`Plan`]: the check, then blocks of fresh processes whose rows take turns.

use std::time::{Duration, Instant, SystemTime};

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::{
    Plan, Refusal,
    block::Step,
    check::Known,
    record::{Checked, FORMAT, Function, Record, Settings},
};
use crate::machine::{busyness, machine};

/// Who watches a run. Nothing is told while calls are timed.
pub trait Observer {
    fn sees(&mut self, event: &Event<'_>);

    /// The record so far: to be written down.
    fn kept(&mut self, record: &Record);

    /// Whether the user wants it to end.
    fn interrupted(&self) -> bool;
}

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    Checking {
        row: &'a str,
    },
    /// From 1, and how long the rest will take, where a block before it says so.
    Block {
        number: usize,
        of: usize,
        left: Option<Duration>,
    },
    Timing {
        function: &'a str,
    },
    /// A row's calls of a function cannot be timed (further).
    Trouble {
        row: &'a str,
        function: &'a str,
        why: &'a str,
    },
}

/// What keeps a whole run from being done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("there is nothing to time: {0}")]
    Nothing(String),
    #[error("cannot call the functions without a host: {0}")]
    Alone(String),
    #[error("interrupted before anything was timed")]
    Interrupted,
}

/// A run under way.
pub(super) struct Run<'a> {
    pub(super) plan: &'a mut Plan,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) record: Record,
    /// By function, row and place in the function's `timed`.
    pub(super) known: Vec<Vec<Vec<Known>>>,
    pub(super) random: ChaCha8Rng,
}

/// Times the calls. A run that is interrupted answers what it has.
///
/// # Errors
/// Where nothing could be timed at all.
pub fn run(plan: &mut Plan, observer: &mut dyn Observer) -> Result<Record, Error> {
    let record = empty(plan);
    let known = vec![vec![Vec::new(); plan.rows.len()]; plan.functions.len()];
    let random = ChaCha8Rng::seed_from_u64(plan.seed);
    let began = Instant::now();
    let mut run = Run { plan, observer, record, known, random };
    run.check()?;
    if run.record.functions.iter().all(|function| function.timed.is_empty()) {
        return Err(Error::Nothing(run.record.notes.join("; ")));
    }
    run.record.environment.before = busyness(Duration::from_secs(1)).unwrap_or_default();
    let first = Instant::now();
    let blocks = run.plan.budget.blocks;
    for number in 0..blocks {
        let left = (number > 0).then(|| first.elapsed().mul_f64((blocks - number) as f64 / number as f64));
        run.observer.sees(&Event::Block { number: number + 1, of: blocks, left });
        let interrupted = run.observer.interrupted() || run.block() == Step::Interrupted;
        run.record.interrupted = interrupted;
        run.record.seconds = began.elapsed().as_secs_f64();
        if interrupted {
            break;
        }
        run.observer.kept(&run.record);
    }
    if run.record.blocks.iter().all(|block| block.slices.is_empty()) {
        return Err(if run.record.interrupted { Error::Interrupted } else { Error::Nothing(run.all_trouble()) });
    }
    // Somebody who interrupts does not want to wait for another second of looking at the machine.
    if !run.record.interrupted {
        run.record.environment.after = busyness(Duration::from_secs(1)).unwrap_or_default();
    }
    run.observer.kept(&run.record);
    Ok(run.record)
}

impl Run<'_> {
    /// Keeps and tells why a row's calls of a function are not timed; the first reason counts.
    pub(super) fn trouble(&mut self, function: usize, row: usize, why: String) {
        let entry = &mut self.record.functions[function];
        if entry.rows[row].trouble.is_none() {
            let (row_label, function) = (&self.record.rows[row].label, &entry.name);
            self.observer.sees(&Event::Trouble { row: row_label, function, why: &why });
            entry.rows[row].trouble = Some(why);
        }
    }

    /// Why there is nothing without the function alone.
    pub(super) fn nothing(&self, refusal: Refusal) -> Error {
        match refusal {
            Refusal::Call(why) | Refusal::Process(why) => Error::Alone(why),
            Refusal::Interrupted => Error::Interrupted,
        }
    }

    fn all_trouble(&self) -> String {
        let rows = self.record.functions.iter().flat_map(|function| &function.rows);
        rows.filter_map(|row| row.trouble.clone()).next().unwrap_or_default()
    }
}

fn empty(plan: &Plan) -> Record {
    let mut environment = machine();
    environment.versions.clone_from(&plan.versions);
    let functions = plan.functions.iter().map(|function| Function {
        name: function.name.clone(),
        source: function.source.clone(),
        timed: Vec::new(),
        refused: 0,
        left_out: 0,
        rows: vec![Checked::default(); plan.rows.len()],
    });
    Record {
        format: FORMAT,
        tierup: env!("CARGO_PKG_VERSION").to_owned(),
        title: plan.title.clone(),
        command: plan.command.clone(),
        began: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        seconds: 0.0,
        environment,
        settings: Settings {
            seed: plan.seed,
            blocks: plan.budget.blocks,
            rounds: plan.budget.rounds,
            slice_seconds: plan.budget.slice.as_secs_f64(),
            warm_up_seconds: plan.budget.warm_up.as_secs_f64(),
            quick: plan.budget.quick,
        },
        notes: plan.notes.clone(),
        functions: functions.collect(),
        rows: plan.rows.iter().map(|planned| planned.row.clone()).collect(),
        blocks: Vec::new(),
        interrupted: false,
    }
}
