//! Carries out a [`Plan`]: the check, then blocks of fresh processes whose rows take turns.

use std::time::Instant;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::{
    plan::Plan,
    record::{Checked, FORMAT, Function, Record, Settings},
    state::{Error, Run, Step},
};
use crate::{
    machine::{busyness, provenance},
    observer::{Event, Observer},
};

/// Times the calls. An interrupted run returns what it has measured so far.
///
/// # Errors
/// Nothing could be timed at all.
pub fn run(plan: &mut Plan, observer: &mut dyn Observer<Record>) -> Result<Record, Error> {
    let record = empty(plan);
    let known = vec![vec![Vec::new(); plan.rows.len()]; plan.functions.len()];
    let random = ChaCha8Rng::seed_from_u64(plan.seed);
    let began = Instant::now();
    let mut run = Run { plan, observer, record, known, random };
    run.verify()?;
    if run.record.functions.iter().all(|function| function.timed.is_empty()) {
        return Err(Error::Nothing(run.record.notes.join("; ")));
    }
    run.record.provenance.environment.before = busyness();
    let first = Instant::now();
    let blocks = run.plan.budget.blocks;
    for number in 0..blocks {
        let left = (number > 0).then(|| first.elapsed().mul_f64((blocks - number) as f64 / number as f64));
        run.observer.sees(&Event::Block { number: number + 1, of: blocks, left });
        let interrupted = run.observer.interrupted() || run.block() == Step::Interrupted;
        run.record.provenance.interrupted = interrupted;
        run.record.provenance.seconds = began.elapsed().as_secs_f64();
        if interrupted {
            break;
        }
        run.observer.kept(&run.record);
    }
    if run.record.blocks.iter().all(|block| block.slices.is_empty()) {
        return Err(if run.record.provenance.interrupted {
            Error::Interrupted
        } else {
            Error::Nothing(run.first_trouble())
        });
    }
    // This takes a second, which a user who interrupts does not want to wait.
    if !run.record.provenance.interrupted {
        run.record.provenance.environment.after = busyness();
    }
    run.observer.kept(&run.record);
    Ok(run.record)
}

fn empty(plan: &Plan) -> Record {
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
        provenance: provenance(&plan.heading),
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
    }
}
