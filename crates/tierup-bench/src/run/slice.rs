//! Measures one slice: loads one server, and counts what its processes and the machine did meanwhile.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tierup_subject::{ProcessesCpu, ServerProcesses};

use crate::{
    load::{Continue, Load, LoadOutcome, Pace, Watch, Workload, generate},
    machine::{MachineCpu, machine_cpu, own_cpu},
    record::Slice,
};

/// Loads a server and watches it; `None` if the user interrupted.
pub(crate) fn measure(
    load: &Load,
    workload: &Arc<Workload>,
    processes: Option<&mut ServerProcesses>,
    run_began: Instant,
    interrupted: &dyn Fn() -> bool,
) -> Option<Slice> {
    let mut watched = Watched { processes, interrupted, began: None, ended: None, resident: Vec::new() };
    let outcome = generate(load, workload, &mut watched);
    if outcome.aborted {
        return None;
    }
    let Watched { began, ended, resident, .. } = watched;
    let (began, ended) = began.zip(ended)?;
    let at = began.at.duration_since(run_began).as_secs_f64();
    Some(slice(load, outcome, at, &Spent::between(&began, &ended), resident))
}

fn slice(load: &Load, outcome: LoadOutcome, at: f64, spent: &Spent, resident: Vec<(f32, u64)>) -> Slice {
    let microseconds = |time: Duration| time.as_secs_f64() * 1e6;
    Slice {
        at,
        seconds: load.length.as_secs_f64(),
        completed: outcome.completed,
        steady: outcome.steady,
        answered: outcome.answered,
        body_bytes: outcome.body_bytes,
        failures: outcome.failures,
        unsent: outcome.unsent,
        resent: outcome.resent,
        drain_seconds: outcome.drained.as_secs_f64(),
        tenths: outcome.parts,
        latencies: outcome.latencies,
        lags: matches!(load.pace, Pace::Open { .. }).then_some(outcome.lags),
        server_cpu: spent.server.map(microseconds),
        generator_cpu: microseconds(spent.generator),
        generator_busiest: outcome.busiest,
        other_cpu: spent.others.map(microseconds),
        machine_cpu: spent.machine.map(microseconds),
        resident,
    }
}

/// All counters at one time.
struct Counters {
    at: Instant,
    server: Option<ProcessesCpu>,
    generator: Duration,
    machine: Option<MachineCpu>,
}

/// The processor time between two readings of the counters.
struct Spent {
    server: Option<Duration>,
    generator: Duration,
    others: Option<Duration>,
    machine: Option<Duration>,
}

impl Spent {
    fn between(began: &Counters, ended: &Counters) -> Spent {
        let server = began.server.zip(ended.server).and_then(|(before, after)| after.since(before));
        let generator = ended.generator.saturating_sub(began.generator);
        let machine = began.machine.zip(ended.machine).map(|(before, after)| after.used.saturating_sub(before.used));
        let others = machine.zip(server).map(|(all, server)| all.saturating_sub(server).saturating_sub(generator));
        Spent { server, generator, others, machine }
    }
}

struct Watched<'a> {
    processes: Option<&'a mut ServerProcesses>,
    interrupted: &'a dyn Fn() -> bool,
    began: Option<Counters>,
    ended: Option<Counters>,
    resident: Vec<(f32, u64)>,
}

impl Watched<'_> {
    fn count(&mut self) -> Counters {
        let server = self.processes.as_mut().and_then(|processes| processes.cpu());
        Counters { at: Instant::now(), server, generator: own_cpu(), machine: machine_cpu() }
    }
}

impl Watch for Watched<'_> {
    fn begins(&mut self) {
        self.began = Some(self.count());
    }

    fn passes(&mut self) -> Continue {
        if let (Some(processes), Some(began)) = (&self.processes, &self.began) {
            self.resident.push((began.at.elapsed().as_secs_f32(), processes.resident()));
        }
        if (self.interrupted)() { Continue::No } else { Continue::Yes }
    }

    fn ends(&mut self) {
        self.ended = Some(self.count());
    }
}
