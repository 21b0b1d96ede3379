//! Carries out a [`Plan`]: the check, then blocks of fresh servers whose rows take turns.
//!
//! Out: a [`Record`], which grows row by row: [`Observer::kept`] sees it after each, so that what was measured is never
//! lost.

mod block;
mod error;
mod rate;
mod shares;
mod slice;
mod time;
mod trouble;
mod warm_up;

use std::time::Instant;

use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use tierup_subject::{Readiness, Starting, prepare, processors::Processors, wait_until_it_answers};

pub use self::error::Error;
use crate::{
    check::{Asking, Comparator, Examined, examine},
    load::{Expectation, Workload},
    machine::{busyness, provenance},
    observer::{Event, Observer},
    plan::{Plan, PlannedRow, SHARE_OF_REFERENCE},
    record::{Block, Check, FORMAT, RateFrom, Record, Requests, Role, RowRecord, Settings},
};

/// A run under way.
struct Run<'a> {
    plan: &'a mut Plan,
    observer: &'a mut dyn Observer<Record>,
    record: Record,
    random: ChaCha8Rng,
    /// When the first block began.
    began: Instant,
    /// For each row, the answers that are right; `None` for one that the check could not ask.
    expected: Vec<Option<Vec<Expectation>>>,
    /// The requests that make the load, by their index among all.
    load: Vec<usize>,
    order: Vec<u32>,
    lengths: Option<crate::plan::Lengths>,
    overhead: time::Overhead,
    /// The row that set the rate of the open loop.
    rate_row: Option<usize>,
    /// For each row, by what its slices are longer or shorter than `lengths` in this block.
    factors: Vec<f64>,
    /// For each row, how many of its loads so far had requests that timed out.
    timed_out: Vec<u32>,
}

/// Measures. An interrupted run returns what it has measured so far.
///
/// # Errors
/// Where nothing could be measured at all.
pub fn run(
    plan: &mut Plan,
    comparator: &mut dyn Comparator,
    observer: &mut dyn Observer<Record>,
) -> Result<Record, Error> {
    if plan.requests.requests.is_empty() {
        return Err(Error::NoRequests);
    }
    let random = ChaCha8Rng::seed_from_u64(plan.seed);
    let record = empty(plan);
    let (expected, load, order) = (Vec::new(), Vec::new(), Vec::new());
    let mut run = Run {
        plan,
        observer,
        record,
        random,
        began: Instant::now(),
        expected,
        load,
        order,
        lengths: None,
        overhead: time::Overhead::default(),
        rate_row: None,
        factors: Vec::new(),
        timed_out: Vec::new(),
    };
    run.timed_out = vec![0; run.plan.rows.len()];
    run.check(comparator)?;
    run.record.provenance.environment.before = busyness();
    run.began = Instant::now();
    for number in 0..run.plan.budget.blocks {
        if run.observer.interrupted() {
            run.record.provenance.interrupted = true;
            break;
        }
        if !run.has_time_for(number) {
            break;
        }
        run.block(number);
        run.record.provenance.seconds = run.began.elapsed().as_secs_f64();
        run.observer.kept(&run.record);
    }
    if !run.record.provenance.interrupted {
        run.record.provenance.environment.after = busyness();
    }
    if !run.record.blocks.iter().flat_map(|block| &block.rows).any(|row| !row.closed.is_empty()) {
        return Err(run.nothing());
    }
    run.observer.kept(&run.record);
    Ok(run.record)
}

impl Run<'_> {
    /// Asks every row everything once, and decides what is load and what is right.
    fn check(&mut self, comparator: &mut dyn Comparator) -> Result<(), Error> {
        let mut examined: Vec<Option<Examined>> = Vec::new();
        for index in 0..self.plan.rows.len() {
            if self.observer.interrupted() {
                return Err(Error::Interrupted);
            }
            let requests = &self.plan.requests.requests;
            let PlannedRow { label, subject, .. } = &mut self.plan.rows[index];
            self.observer.sees(&Event::Checking { row: label });
            let pinned = self.plan.processors.as_ref().map(|(servers, _)| servers);
            let interrupted = || self.observer.interrupted();
            let ready =
                Readiness { request: requests.first(), patience: self.plan.patience, interrupted: &interrupted };
            let asking = Asking { requests, patience: self.plan.timeout, interrupted: &interrupted };
            let starting = Starting { pinned, ..Starting::default() };
            let answers = subject.start(&starting).and_then(|mut running| {
                let answers =
                    wait_until_it_answers(&mut *running, &ready).and_then(|()| examine(&mut *running, &asking));
                running.stop();
                answers
            });
            if interrupted() {
                return Err(Error::Interrupted);
            }
            let check = match answers {
                Err(trouble) => {
                    examined.push(None);
                    Check::Failed { trouble }
                }
                Ok(mut answers) => {
                    let compared = self.reference_of(index).and_then(|reference| examined.get(reference)?.as_ref());
                    let check = match compared {
                        Some(reference) => {
                            answers.share(reference);
                            answers.compare(reference, requests, comparator)
                        }
                        None => Check::Alone,
                    };
                    examined.push(Some(answers));
                    check
                }
            };
            self.observer.sees(&Event::Checked { row: &self.plan.rows[index].label, check: &check });
            self.record.rows[index].check = check;
        }
        let first = examined.iter().position(Option::is_some).ok_or_else(|| self.nothing())?;
        let reference = self.rate_reference().filter(|row| examined[*row].is_some()).unwrap_or(first);
        let statuses: Vec<u16> =
            examined[reference].iter().flat_map(|row| &row.answers).map(|answer| answer.status).collect();
        self.load = (0..statuses.len()).filter(|index| statuses[*index] < 400).collect();
        if self.load.is_empty() {
            let reference = self.plan.rows[reference].label.clone();
            let first = statuses.first().map(u16::to_string).unwrap_or_default();
            return Err(Error::AllRefused { reference, count: statuses.len(), first });
        }
        let place = |index: &u32| self.load.binary_search(&(*index as usize)).ok().map(|place| place as u32);
        self.order = self.plan.requests.order.iter().filter_map(place).collect();
        if self.order.is_empty() {
            self.order = (0..self.load.len() as u32).collect();
        }
        self.record.requests.distinct = self.load.len();
        self.record.requests.refused = statuses.len() - self.load.len();
        let varies = |index: &&usize| examined[reference].as_ref().is_some_and(|row| row.varies(**index));
        self.record.requests.varying = self.load.iter().filter(varies).count();
        self.expected = examined.iter().map(|row| row.as_ref().map(|row| row.expected(&self.load))).collect();
        Ok(())
    }

    /// The row that another one is compared with: its group's reference, and for that the first group's.
    fn reference_of(&self, row: usize) -> Option<usize> {
        let rows = &self.plan.rows;
        let of_group = rows.iter().position(|one| one.role == Role::Reference && one.group == rows[row].group);
        of_group
            .filter(|reference| *reference != row)
            .or_else(|| self.rate_reference())
            .filter(|reference| *reference != row)
    }

    /// The row whose throughput sets the rate of the open loop.
    fn rate_reference(&self) -> Option<usize> {
        self.plan.rows.iter().position(|row| row.role == Role::Reference)
    }

    /// Why there is nothing to report.
    fn nothing(&self) -> Error {
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

    fn workload(&self, row: usize, authority: &str) -> Option<Workload> {
        let requests = self.load.iter().map(|index| &self.plan.requests.requests[*index]);
        let requests = prepare(requests, authority).ok()?;
        Some(Workload { requests, order: self.order.clone(), expected: self.expected[row].clone()? })
    }

    /// All rows, in random order.
    fn shuffled(&mut self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.plan.rows.len()).collect();
        rows.shuffle(&mut self.random);
        rows
    }
}

fn empty(plan: &Plan) -> Record {
    let rows = plan.rows.iter().map(|row| RowRecord {
        label: row.label.clone(),
        group: row.group.clone(),
        role: row.role,
        step: row.step,
        check: Check::Alone,
    });
    let processors = |which: fn(&(_, _)) -> &Processors| plan.processors.as_ref().map(|pair| which(pair).to_string());
    Record {
        format: FORMAT,
        provenance: provenance(&plan.heading),
        settings: Settings {
            seed: plan.seed,
            blocks: plan.budget.blocks,
            connections: plan.connections,
            workers: plan.workers,
            rate: plan.rate,
            rate_from: plan.rate.map_or(RateFrom::ShareOfReference(SHARE_OF_REFERENCE), |_| RateFrom::Asked),
            closed_seconds: 0.0,
            open_seconds: 0.0,
            timeout_seconds: plan.timeout.as_secs_f64(),
            server_processors: processors(|pair| &pair.0)
                .filter(|_| plan.rows.iter().any(|row| row.subject.starts_processes())),
            generator_processors: processors(|pair| &pair.1),
            threshold: plan.threshold,
            quick: plan.budget.quick,
            cost: plan.cost.clone(),
        },
        requests: Requests { source: plan.source.clone(), ..Requests::default() },
        rows: rows.collect(),
        blocks: Vec::<Block>::new(),
    }
}
