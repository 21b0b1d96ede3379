//! The open loop: requests are sent at planned times, on whichever connection is free.
//!
//! Latency counts from the planned time, not the actual one, so that a stalled server cannot hide its own queue (Gil
//! Tene, "How NOT to Measure Latency", 2013: coordinated omission).

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::Instant,
};

use tierup_subject::Connection;
use tokio::{sync::Semaphore, task::JoinSet};

use super::{arrivals::Turns, exchange::exchange, part::LoadState, timer::Timer};

/// This worker's turns. Together with those of other workers, they keep the rate.
struct Queue {
    /// Turns whose time has come and that no connection has taken yet.
    due: Semaphore,
    /// The turns, from the next one that a connection takes.
    turns: RefCell<Turns>,
    taken: Cell<u64>,
}

/// How many turns a late generator makes due at once before connections can send.
const MOST_AT_ONCE: u64 = 1000;

/// Begins this worker's part of an open loop. Does nothing if the pace is that of a closed loop.
pub(super) fn start(shared: &Rc<LoadState>, connections: Vec<Connection>, lanes: &mut JoinSet<()>) {
    let turns = || Turns::new(shared.part.load.pace, shared.part.workers, shared.part.number);
    let (Some(planned), Some(turns)) = (turns(), turns()) else { return };
    let queue = Rc::new(Queue { due: Semaphore::new(0), turns: RefCell::new(turns), taken: Cell::new(0) });
    lanes.spawn_local(schedule(Rc::clone(shared), planned, Rc::clone(&queue)));
    for connection in connections {
        lanes.spawn_local(lane(Rc::clone(shared), Rc::clone(&queue), connection));
    }
}

/// Makes turns due.
async fn schedule(shared: Rc<LoadState>, mut turns: Turns, queue: Rc<Queue>) {
    let timer = Timer::new();
    let mut planned = 0;
    loop {
        let left = turns.left(shared.part.load.length);
        let time = turns.next().and_then(|turn| shared.began.checked_add(turn.time?));
        let Some(time) = time.filter(|time| *time < shared.ends) else { break };
        if planned % MOST_AT_ONCE == 0 {
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
            shared.plan(shared.ends, left);
            planned = planned.saturating_add(left);
            break;
        }
        if queue.due.available_permits() == 0 {
            shared.outcome.borrow_mut().lags.record(now.saturating_duration_since(time));
        }
        shared.plan(time, 1);
        queue.due.add_permits(1);
        planned += 1;
    }
    // The last turn can still be sent until the load ends.
    tokio::time::sleep_until(shared.ends.into()).await;
    queue.due.close();
    shared.outcome.borrow_mut().unsent = planned.saturating_sub(queue.taken.get());
}

async fn lane(shared: Rc<LoadState>, queue: Rc<Queue>, mut connection: Connection) {
    while let Ok(permit) = queue.due.acquire().await {
        permit.forget();
        queue.taken.set(queue.taken.get() + 1);
        // Each turn that is due has a time, and connections take turns in order.
        let turn = queue.turns.borrow_mut().next();
        let Some((turn, time)) = turn.and_then(|turn| Some((turn, turn.time?))) else { continue };
        let place = shared.part.load.offset.wrapping_add(turn.place);
        let (request, expected) = shared.part.workload.at(place);
        let result = exchange(&mut connection, request, expected, shared.part.load.timeout).await;
        shared.note(shared.began + time, Instant::now(), result);
    }
}
