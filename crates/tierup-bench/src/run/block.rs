//! Measures one block: starts every row's server afresh, warms it up, and then loads the servers in turns, in random
//! order.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rand::RngExt as _;
use tierup_subject::{MemorySample, Readiness, ServerProcesses, Starting, Trouble, wait_until_it_answers};

use super::{
    slice::measure,
    state::{Entrant, Run, SLICE_PARTS},
    time::factors,
};
use crate::{
    load::{Load, Pace},
    observer::Event,
    record::{Block, BlockRow, Check, Loop, Memory, Order, Reuse, Slice, WarmUp},
};

/// How a round of slices ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    Done,
    /// The reference did not carry the rate. It was lowered, and all rows have to be measured at the new rate.
    RateLowered,
}

impl Run<'_> {
    pub(super) fn block(&mut self, number: usize) {
        let began = Instant::now();
        let (left, end) = (self.left(), self.end_of_block(number));
        self.factors = factors(&self.record, left.as_secs_f64());
        self.record.blocks.push(Block { rows: vec![BlockRow::default(); self.plan.rows.len()] });
        self.observer.sees(&Event::Block { number: number + 1, of: self.plan.budget.blocks, left: Some(left) });
        let mut entrants = self.start_all();
        self.overhead.starting = began.elapsed();
        let warming = self.for_load(end);
        self.warm_up(&mut entrants, warming);
        let before: Vec<Option<Reuse>> = (0..self.plan.rows.len()).map(|row| self.reuse(row)).collect();
        let lengths = self.plan.budget.lengths(entrants.len(), self.for_load(end), self.overhead.of_a_load());
        self.lengths = Some(lengths);
        self.record.settings.closed_seconds = lengths.closed.as_secs_f64();
        self.record.settings.open_seconds = lengths.open.as_secs_f64();
        for round in 0..lengths.closed_slices {
            self.round(Loop::Closed, round, &mut entrants);
        }
        if self.record.settings.rate.is_none() {
            self.settle_rate(&mut entrants);
        }
        let mut round = 0;
        while round < lengths.open_slices {
            match self.round(Loop::Open, round, &mut entrants) {
                Round::Done => round += 1,
                Round::RateLowered => {
                    let (time, over) = (self.for_load(end), self.overhead.of_a_load());
                    self.lengths = Some(lengths.with_open_again(entrants.len(), time, over));
                    round = 0;
                }
            }
        }
        for entrant in &mut entrants {
            let end = entrant.memory();
            if let Some(memory) = &mut self.current(entrant.row).memory {
                memory.end = end;
            }
            let reuse = self.reuse(entrant.row).zip(before[entrant.row]);
            self.current(entrant.row).reuse = reuse.map(|(after, before)| after.since(before));
        }
        let ending = Instant::now();
        stop_all(entrants);
        self.overhead.stopping = ending.elapsed();
    }

    fn start_all(&mut self) -> Vec<Entrant> {
        let mut entrants = Vec::new();
        for row in self.shuffled() {
            if self.observer.interrupted() {
                self.record.provenance.interrupted = true;
                break;
            }
            match self.start(row) {
                Ok(entrant) => entrants.push(entrant),
                // The user ended the run, so the row is not to blame.
                Err(_) if self.observer.interrupted() => {
                    self.record.provenance.interrupted = true;
                    break;
                }
                Err(trouble) => self.trouble(row, trouble),
            }
        }
        entrants
    }

    fn start(&mut self, row: usize) -> Result<Entrant, Trouble> {
        if let Check::Failed { trouble } = &self.record.rows[row].check {
            return Err(trouble.clone());
        }
        if let Some(trouble) = self.gave_up(row) {
            return Err(trouble);
        }
        let began = Instant::now();
        self.observer.sees(&Event::Starting { row: &self.plan.rows[row].row.label });
        let pinned = self.plan.processors.as_ref().map(|(servers, _)| servers);
        let starting = Starting { pinned, ..Starting::default() };
        let mut running = self.plan.rows[row].subject.start(&starting)?;
        let ready = Readiness {
            request: self.plan.requests.requests.get(self.load[0]),
            patience: self.plan.patience,
            interrupted: &|| self.observer.interrupted(),
        };
        if let Err(trouble) = wait_until_it_answers(&mut *running, &ready) {
            running.stop();
            return Err(trouble);
        }
        let Some(workload) = self.workload(row, &running.authority()) else {
            running.stop();
            return Err(Trouble { what: "its requests cannot be sent".to_owned(), log: Vec::new() });
        };
        let processes = running.pid().map(ServerProcesses::new);
        let (workload, warm_up) = (Arc::new(workload), WarmUp::default());
        let mut entrant = Entrant { row, running, processes, workload, warm_up, loaded: began };
        let idle = entrant.memory();
        let seen = idle.processes > 0;
        let current = self.current(row);
        current.start_seconds = Some(began.elapsed().as_secs_f64());
        current.memory = seen.then_some(Memory { idle, peak: idle, end: idle });
        Ok(entrant)
    }

    /// Measures one slice of every row. Ends early if the rate turns out to be too high, as its slices would not count.
    fn round(&mut self, experiment: Loop, round: usize, entrants: &mut Vec<Entrant>) -> Round {
        let Some(lengths) = self.lengths else { return Round::Done };
        let (pace, of, length) = match (experiment, self.record.settings.rate) {
            (Loop::Closed, _) => (Pace::Closed, lengths.closed_slices, lengths.closed),
            (Loop::Open, Some(rate)) => (Pace::Open { rate }, lengths.open_slices, lengths.open),
            (Loop::Open, None) => return Round::Done,
        };
        if !self.record.provenance.interrupted {
            let left = self.left();
            self.observer.sees(&Event::Round { experiment, number: round + 1, of, left });
        }
        let turns = self.shuffled();
        entrants.sort_by_key(|entrant| turns[entrant.row]);
        // Every row of the round gets the same requests.
        let offset = self.random.random_range(0..self.order.len());
        let mut outcome = Round::Done;
        entrants.retain_mut(|entrant| {
            if outcome == Round::RateLowered {
                return true;
            }
            let length = length.mul_f64(self.factors.get(entrant.row).copied().unwrap_or(1.0));
            let load = self.load(entrant, pace, length, offset, SLICE_PARTS);
            let Some(slice) = self.measure(entrant, &load) else { return true };
            let trouble = self.trouble_of(entrant, &slice);
            self.keep(entrant, experiment, slice);
            if experiment == Loop::Open && trouble.is_none() && self.had_to_lower_the_rate(entrant) {
                outcome = Round::RateLowered;
            }
            match trouble {
                Some(trouble) => {
                    self.trouble(entrant.row, trouble);
                    false
                }
                None => true,
            }
        });
        outcome
    }

    fn keep(&mut self, entrant: &mut Entrant, experiment: Loop, slice: Slice) {
        let began = Instant::now();
        let sample = entrant.memory();
        let inside = slice.resident.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        let current = self.current(entrant.row);
        if let Some(memory) = &mut current.memory {
            memory.peak = most(memory.peak, sample);
            memory.peak.resident = memory.peak.resident.max(inside);
            memory.end = sample;
        }
        match experiment {
            Loop::Closed => current.closed.push(slice),
            Loop::Open => current.open.push(slice),
        }
        self.record.provenance.seconds = self.began.elapsed().as_secs_f64();
        self.observer.kept(&self.record);
        self.overhead.add(began.elapsed());
    }

    pub(super) fn load(&self, entrant: &Entrant, pace: Pace, length: Duration, offset: usize, parts: usize) -> Load {
        Load {
            address: entrant.running.address(),
            connections: self.plan.connections,
            workers: self.plan.workers,
            pace,
            length,
            timeout: self.plan.timeout,
            offset,
            in_order: self.record.requests.order == Order::Recorded,
            parts,
            processors: self.plan.processors.as_ref().map(|(_, generator)| generator.0.clone()),
        }
    }

    /// `None` if the user interrupts: nothing more is measured, and the servers are stopped as usual.
    pub(super) fn measure(&mut self, entrant: &mut Entrant, load: &Load) -> Option<Slice> {
        if self.record.provenance.interrupted {
            return None;
        }
        let began = Instant::now();
        let interrupted = || self.observer.interrupted();
        let slice = measure(load, &entrant.workload, entrant.processes.as_mut(), self.began, &interrupted);
        self.record.provenance.interrupted = slice.is_none();
        self.overhead.add_load(began.elapsed(), load.length);
        slice
    }

    fn reuse(&self, row: usize) -> Option<Reuse> {
        self.plan.rows[row].reuse.as_ref().map(|read| read())
    }

    pub(super) fn current(&mut self, row: usize) -> &mut BlockRow {
        let block = self.record.blocks.last_mut().expect("a block was begun");
        &mut block.rows[row]
    }
}

/// Stops all servers at the same time, each with its own grace period.
fn stop_all(entrants: Vec<Entrant>) {
    std::thread::scope(|scope| {
        for entrant in entrants {
            scope.spawn(|| entrant.running.stop());
        }
    });
}

fn most(one: MemorySample, other: MemorySample) -> MemorySample {
    MemorySample {
        proportional: one.proportional.max(other.proportional),
        resident: one.resident.max(other.resident),
        processes: one.processes.max(other.processes),
        threads: one.threads.max(other.threads),
    }
}
