//! One thread that generates its part of the load, on a runtime of its own: threads share nothing while the clock runs.

use std::{
    cell::RefCell,
    rc::Rc,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};
use tierup_subject::{Connection, Keeping, processors};
use tokio::{
    runtime::Builder,
    task::{JoinSet, LocalSet},
};

use super::{
    closed,
    exchange::Failure,
    open,
    part::{LoadState, News, Part, Signal},
    terms::{LoadOutcome, Pace},
};

pub(super) fn run(part: Part) -> LoadOutcome {
    if let Some(processors) = &part.load.processors {
        // That these are available was checked before the run (`Processors::available`).
        processors::pin_this_thread(processors);
    }
    let Ok(runtime) = Builder::new_current_thread().enable_all().build() else {
        // There are no file descriptors left, or the like. The others still wait for this worker's message.
        let _ = part.news.send(News::Connected);
        let mut outcome = LoadOutcome::default();
        Failure::Refused.count(&mut outcome.failures);
        return outcome;
    };
    let local = LocalSet::new();
    let outcome = runtime.block_on(local.run_until(work(part)));
    // All connections end here, before the thread does.
    drop(local);
    outcome
}

async fn work(part: Part) -> LoadOutcome {
    let mut signals = part.signals.clone();
    let keeping = Rc::new(Keeping::default());
    let connections = tokio::select! {
        connections = connect(&part, &keeping) => connections,
        _ = signals.wait_for(|signal| *signal == Signal::Abort) => return LoadOutcome::default(),
    };
    // The caller waits for this message from every worker, so the receiver exists.
    let _ = part.news.send(News::Connected);
    let signal = signals.wait_for(|signal| *signal != Signal::Connect).await.map(|signal| *signal);
    let Ok(Signal::Go(began)) = signal else { return LoadOutcome::default() };

    let cpu = thread_cpu();
    let ends = began + part.load.length;
    let outcome = RefCell::new(LoadOutcome { parts: vec![0; part.load.parts], ..LoadOutcome::default() });
    let shared = Rc::new(LoadState { part, began, ends, outcome });
    let mut lanes = JoinSet::new();
    let steady = match shared.part.load.pace {
        Pace::Closed => Some(closed::start(&shared, connections, &mut lanes)),
        Pace::Open { rate } => {
            open::start(&shared, connections, rate, &mut lanes);
            None
        }
    };
    tokio::select! {
        () = async { while lanes.join_next().await.is_some() {} } => {}
        // This also ends the load if the sender is gone, as then nothing waits for the outcome.
        _ = signals.wait_for(|signal| *signal == Signal::Abort) => lanes.shutdown().await,
    }
    let finished = Instant::now();
    let mut outcome = shared.outcome.take();
    outcome.steady = steady.map(|steady| steady.throughput());
    outcome.resent = keeping.resent();
    outcome.failures.closed += keeping.lost();
    outcome.drained = finished.saturating_duration_since(shared.ends);
    let spent = thread_cpu().saturating_sub(cpu);
    outcome.busiest = spent.as_secs_f64() / finished.duration_since(began).as_secs_f64().max(1e-9);
    outcome
}

/// Opens this worker's share of the connections. A refused one is tried again, and counted, when it is used.
async fn connect(part: &Part, keeping: &Rc<Keeping>) -> Vec<Connection> {
    let mine = (part.number..part.load.connections.max(part.workers)).step_by(part.workers).count();
    let mut opening = JoinSet::new();
    for _ in 0..mine {
        let mut connection = Connection::new(part.load.address, Some(part.load.timeout), Rc::clone(keeping));
        opening.spawn_local(async move {
            let _ = connection.connect().await;
            connection
        });
    }
    opening.join_all().await
}

fn thread_cpu() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.max(0) as u32)
}
