//! Samples a running server under the traffic that it has anyway; tierup sends it no requests. In: its process. Out:
//! profiles by blocks, and the CPU time of its processes.

use std::{
    thread,
    time::{Duration, Instant},
};

use tierup_bench::record::Slice;
use tierup_codegen::Sensor;
use tierup_runner::Interrupts;
use tierup_subject::ServerProcesses;

use crate::{
    Block, Error, Event, Observer, Private, Taken,
    sampler::{GRACE, Sampler, sampler},
    slice::sample,
    soon::soon,
};

/// How often the server and Ctrl-C are checked.
const LOOK: Duration = Duration::from_millis(50);

/// A running server to sample.
pub struct Watching<'a> {
    /// The server's process. Its descendants belong to the server too.
    pub process: u32,
    pub sensor: &'a Sensor,
    /// Holds the sensor's files.
    pub private: &'a Private,
    pub blocks: usize,
    /// The length of each block.
    pub length: Duration,
}

/// Takes a profile. Whatever the outcome, the server goes on without a sampler afterwards.
///
/// # Errors
/// The process does not exist, it ends, it cannot be sampled, or the user interrupts.
pub fn watch(watching: &Watching<'_>, interrupts: &Interrupts, observer: &mut dyn Observer) -> Result<Taken, Error> {
    let mut processes = ServerProcesses::new(watching.process);
    if processes.pids().is_empty() && cfg!(target_os = "linux") {
        return Err(Error::NotThere(watching.process));
    }
    observer.sees(Event::Attaching);
    let sensor = watching.sensor.with_limit(watching.length + GRACE);
    let mut sampler = sampler(&sensor, watching.private, interrupts)?;
    let mut taken = Taken::default();
    for number in 0..watching.blocks {
        let left = watching.length * (watching.blocks - number) as u32;
        observer.sees(Event::Block { number: number + 1, of: watching.blocks, left });
        let block = block(watching, &mut processes, &mut *sampler, interrupts);
        taken.blocks.push(block.map_err(|error| match error {
            Error::Interrupted => Error::Interrupted,
            // If the server exited, report that instead of the error.
            _ if soon(|| is_gone(&mut processes)) => Error::Ended(watching.process),
            error => error,
        })?);
    }
    taken.notes = sampler.notes();
    Ok(taken)
}

fn block(
    watching: &Watching<'_>,
    processes: &mut ServerProcesses,
    sampler: &mut dyn Sampler,
    interrupts: &Interrupts,
) -> Result<Block, Error> {
    sample(processes, sampler, watching.sensor, |processes| {
        let deadline = Instant::now() + watching.length;
        while Instant::now() < deadline {
            if interrupts.arrived() {
                return Err(Error::Interrupted);
            }
            if is_gone(processes) {
                return Err(Error::Ended(watching.process));
            }
            thread::sleep(LOOK.min(deadline.saturating_duration_since(Instant::now())));
        }
        Ok(Slice::default())
    })
}

fn is_gone(processes: &mut ServerProcesses) -> bool {
    cfg!(target_os = "linux") && processes.pids().is_empty()
}
