//! The state of a run of servers: what it has measured and learned so far.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use tierup_subject::{MemorySample, Running, ServerProcesses, prepare};

use super::Error;
use crate::{
    load::{Expectation, Workload},
    observer::Observer,
    plan::{Lengths, Plan},
    record::{Check, Record, Role, WarmUp},
};

/// The number of equal parts of a slice whose answers are counted separately.
pub(super) const SLICE_PARTS: usize = 10;

/// A row's server within a block.
pub(super) struct Entrant {
    pub(super) row: usize,
    pub(super) running: Box<dyn Running>,
    pub(super) processes: Option<ServerProcesses>,
    pub(super) workload: Arc<Workload>,
    /// Its warm-up so far, and when it was last loaded for it.
    pub(super) warm_up: WarmUp,
    pub(super) loaded: Instant,
}

impl Entrant {
    pub(super) fn memory(&mut self) -> MemorySample {
        self.processes.as_mut().map(ServerProcesses::memory).unwrap_or_default()
    }
}

/// A run under way.
pub(super) struct Run<'a> {
    pub(super) plan: &'a mut Plan,
    pub(super) observer: &'a mut dyn Observer<Record>,
    pub(super) record: Record,
    pub(super) random: ChaCha8Rng,
    /// When the first block began.
    pub(super) began: Instant,
    /// The right answers of each row; `None` for a row that could not be checked.
    pub(super) expected: Vec<Option<Vec<Expectation>>>,
    /// The requests that make the load, by their index among all.
    pub(super) load: Vec<usize>,
    pub(super) order: Vec<u32>,
    pub(super) lengths: Option<Lengths>,
    pub(super) overhead: Overhead,
    /// The row that set the rate of the open loop.
    pub(super) rate_row: Option<usize>,
    /// For each row, the factor by which its slices are longer or shorter than `lengths` in this block.
    pub(super) factors: Vec<f64>,
    /// For each row, how many of its loads so far had timeouts.
    pub(super) timed_out: Vec<u32>,
}

impl<'a> Run<'a> {
    /// A run that begins now, with an empty record.
    pub(super) fn new(plan: &'a mut Plan, observer: &'a mut dyn Observer<Record>, record: Record) -> Run<'a> {
        let (random, timed_out) = (ChaCha8Rng::seed_from_u64(plan.seed), vec![0; plan.rows.len()]);
        Run {
            plan,
            observer,
            record,
            random,
            began: Instant::now(),
            expected: Vec::new(),
            load: Vec::new(),
            order: Vec::new(),
            lengths: None,
            overhead: Overhead::default(),
            rate_row: None,
            factors: Vec::new(),
            timed_out,
        }
    }
}

impl Run<'_> {
    /// The row that another one is compared with: its group's reference, or the first group's for a reference.
    pub(super) fn reference_of(&self, row: usize) -> Option<usize> {
        let rows = &self.record.rows;
        let of_group = rows.iter().position(|one| one.role == Role::Reference && one.group == rows[row].group);
        of_group
            .filter(|reference| *reference != row)
            .or_else(|| self.rate_reference())
            .filter(|reference| *reference != row)
    }

    /// The row whose throughput sets the rate of the open loop.
    pub(super) fn rate_reference(&self) -> Option<usize> {
        self.record.rows.iter().position(|row| row.role == Role::Reference)
    }

    /// Why there is nothing to report.
    pub(super) fn nothing(&self) -> Error {
        if self.record.provenance.interrupted {
            return Error::Interrupted;
        }
        let from_check = self.record.rows.iter().find_map(|row| match &row.check {
            Check::Failed { trouble } => Some((row.label.clone(), trouble.clone())),
            _ => None,
        });
        let from_blocks = || {
            let rows = self.record.blocks.iter().flat_map(|block| block.rows.iter().zip(&self.record.rows));
            rows.filter_map(|(measured, row)| Some((row.label.clone(), measured.trouble.clone()?))).next()
        };
        match from_check.or_else(from_blocks) {
            Some((row, trouble)) => Error::NothingRuns { row, trouble },
            None => Error::Interrupted,
        }
    }

    pub(super) fn workload(&self, row: usize, authority: &str) -> Option<Workload> {
        let requests = self.load.iter().map(|index| &self.plan.requests.requests[*index]);
        let requests = prepare(requests, authority).ok()?;
        Some(Workload { requests, order: self.order.clone(), expected: self.expected[row].clone()? })
    }

    /// All rows, in random order.
    pub(super) fn shuffled(&mut self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.plan.rows.len()).collect();
        rows.shuffle(&mut self.random);
        rows
    }
}

/// The time spent beyond the planned lengths of loads, as measured so far.
#[derive(Debug, Default)]
pub(super) struct Overhead {
    loads: u32,
    beyond: Duration,
    /// The time to start the servers of the last block. `stopping` is the time to stop them.
    pub(super) starting: Duration,
    pub(super) stopping: Duration,
}

impl Overhead {
    /// Adds one load: the time that it took, and its planned length.
    pub(super) fn add_load(&mut self, took: Duration, planned: Duration) {
        self.loads += 1;
        self.beyond += took.saturating_sub(planned);
    }

    /// Adds other work after a load.
    pub(super) fn add(&mut self, took: Duration) {
        self.beyond += took;
    }

    /// The mean time of a load beyond its length: connecting, answers under way at its end, counting, reports.
    pub(super) fn of_a_load(&self) -> Duration {
        self.beyond / self.loads.max(1)
    }
}
