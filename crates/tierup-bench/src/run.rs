//! Carries out a [`Plan`]: the check, then blocks of fresh servers whose rows take turns.
//!
//! Out: a [`Record`], which grows row by row. [`Observer::kept`] receives it after each row, so that no measurement is
//! lost.

mod block;
mod rate;
pub(crate) mod slice;
mod state;
mod time;
mod trouble;
mod verify;
mod warm_up;

use std::time::Instant;

use tierup_subject::processors::Processors;

use self::state::Run;
use crate::{
    examine::Comparator,
    machine::{busyness, provenance},
    observer::Observer,
    plan::{Plan, SHARE_OF_REFERENCE},
    record::{Block, FORMAT, RateFrom, Record, Requests, Settings, Trouble},
};

/// Why a whole run fails.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no request to send")]
    NoRequests,
    #[error("none of the {count} requests gets a successful answer: {reference} answers {first}")]
    AllRefused { reference: String, count: usize, first: String },
    #[error("no row could be measured: {row}: {}", trouble.what)]
    NothingRuns { row: String, trouble: Trouble },
    #[error("interrupted before anything was measured")]
    Interrupted,
}

/// Measures. An interrupted run returns what it has measured so far.
///
/// # Errors
/// Nothing could be measured at all.
pub fn run(
    plan: &mut Plan,
    comparator: &mut dyn Comparator,
    observer: &mut dyn Observer<Record>,
) -> Result<Record, Error> {
    if plan.requests.requests.is_empty() {
        return Err(Error::NoRequests);
    }
    let record = empty(plan);
    let mut run = Run::new(plan, observer, record);
    run.verify(comparator)?;
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

fn empty(plan: &Plan) -> Record {
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
            step_cores: plan.step_cores,
            quick: plan.budget.quick,
            cost: plan.cost.clone(),
        },
        requests: Requests { source: plan.source.clone(), order: plan.requests.mix.into(), ..Requests::default() },
        rows: plan.rows.iter().map(|planned| planned.row.clone()).collect(),
        blocks: Vec::<Block>::new(),
    }
}
