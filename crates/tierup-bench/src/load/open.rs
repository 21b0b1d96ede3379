//! The open loop: requests are sent at planned times, on whichever connection is free.
//!
//! Latency counts from the planned time, not the actual one, so that a stalled server cannot hide its own queue (Gil
//! Tene, "How NOT to Measure Latency", 2013: coordinated omission).

use std::{
    cell::Cell,
    rc::Rc,
    time::{Duration, Instant},
};

use tierup_subject::Connection;
use tokio::{sync::Semaphore, task::JoinSet};

use super::{exchange::exchange, part::LoadState, timer::Timer};

/// This worker's turns: evenly spaced times, which interleave with those of other workers so that together they keep
/// the rate. A turn is just a number, from which its time follows, so the queue of a slow server takes no memory.
struct Turns {
    rate: f64,
    workers: usize,
    first: usize,
    /// Turns whose time has come and that no connection has taken yet.
    due: Semaphore,
    taken: Cell<usize>,
}

impl Turns {
    /// A turn's place among those of all workers.
    fn place(&self, turn: usize) -> usize {
        turn.saturating_mul(self.workers).saturating_add(self.first)
    }

    /// The time of a turn; `None` if it is beyond what the clock can represent.
    fn time(&self, turn: usize, began: Instant) -> Option<Instant> {
        began.checked_add(Duration::try_from_secs_f64(self.place(turn) as f64 / self.rate).ok()?)
    }

    /// The number of turns in this time, for a rate so high that most turns never become due.
    fn within(&self, length: Duration) -> usize {
        let all = (length.as_secs_f64() * self.rate).ceil();
        ((all - self.first as f64) / self.workers as f64).ceil().max(0.0) as usize
    }
}

/// How many turns a late generator makes due at once before connections can send.
const MOST_AT_ONCE: usize = 1000;

pub(super) fn start(shared: &Rc<LoadState>, connections: Vec<Connection>, rate: f64, lanes: &mut JoinSet<()>) {
    let (workers, first) = (shared.part.workers, shared.part.number);
    let turns = Rc::new(Turns { rate, workers, first, due: Semaphore::new(0), taken: Cell::new(0) });
    lanes.spawn_local(schedule(Rc::clone(shared), Rc::clone(&turns)));
    for connection in connections {
        lanes.spawn_local(lane(Rc::clone(shared), Rc::clone(&turns), connection));
    }
}

/// Makes turns due.
async fn schedule(shared: Rc<LoadState>, turns: Rc<Turns>) {
    let timer = Timer::new();
    let mut turn = 0;
    while let Some(time) = turns.time(turn, shared.began).filter(|time| *time < shared.ends) {
        if turn % MOST_AT_ONCE == 0 {
            // Yields, because a late schedule never waits, so no connection would ever run.
            tokio::task::yield_now().await;
        }
        let waited = match &timer {
            Ok(timer) => timer.wait_until(time).await.is_ok(),
            Err(_) => false,
        };
        if !waited {
            tokio::time::sleep_until(time.into()).await;
        }
        let now = Instant::now();
        if now >= shared.ends {
            turn = turns.within(shared.part.load.length);
            break;
        }
        if turns.due.available_permits() == 0 {
            shared.outcome.borrow_mut().lags.record(now.saturating_duration_since(time));
        }
        turns.due.add_permits(1);
        turn += 1;
    }
    // The last turn can still be sent until the load ends.
    tokio::time::sleep_until(shared.ends.into()).await;
    turns.due.close();
    shared.outcome.borrow_mut().unsent = (turn as u64).saturating_sub(turns.taken.get() as u64);
}

async fn lane(shared: Rc<LoadState>, turns: Rc<Turns>, mut connection: Connection) {
    while let Ok(permit) = turns.due.acquire().await {
        permit.forget();
        let turn = turns.taken.replace(turns.taken.get() + 1);
        let Some(planned) = turns.time(turn, shared.began) else { continue };
        let place = shared.part.load.offset.wrapping_add(turns.place(turn));
        let (request, expected) = shared.part.workload.at(place);
        let result = exchange(&mut connection, request, expected, shared.part.load.timeout).await;
        shared.note(planned, Instant::now(), result);
    }
}
