//! The open loop: requests are sent when the clock says so, on whichever connection is free.
//!
//! Latency counts from the planned time, not the actual one, so that a stalled server cannot hide its own queue (Gil
//! Tene, "How NOT to Measure Latency", 2013: coordinated omission).

use std::{
    cell::RefCell,
    collections::VecDeque,
    rc::Rc,
    time::{Duration, Instant},
};

use tokio::{sync::Semaphore, task::JoinSet};

use super::{connection::Connection, exchange::exchange, timer::Timer, worker::Shared};

/// Requests whose time has come and that no connection has taken yet; the semaphore holds one permit for each.
struct Due {
    queue: RefCell<VecDeque<Planned>>,
    count: Semaphore,
}

/// A request's planned time, and its place in the order.
struct Planned {
    time: Instant,
    place: usize,
}

pub(super) fn start(shared: &Rc<Shared>, connections: Vec<Connection>, rate: f64, lanes: &mut JoinSet<()>) {
    let due = Rc::new(Due { queue: RefCell::new(VecDeque::new()), count: Semaphore::new(0) });
    lanes.spawn_local(schedule(Rc::clone(shared), Rc::clone(&due), rate));
    for connection in connections {
        lanes.spawn_local(lane(Rc::clone(shared), Rc::clone(&due), connection));
    }
}

/// Makes requests due, evenly spaced. The workers' turns interleave: together they keep the rate.
async fn schedule(shared: Rc<Shared>, due: Rc<Due>, rate: f64) {
    let timer = Timer::new();
    let (workers, first) = (shared.part.workers, shared.part.number);
    for number in (first..).step_by(workers) {
        let time = shared.began + Duration::from_secs_f64(number as f64 / rate);
        if time >= shared.ends {
            break;
        }
        let waited = match &timer {
            Ok(timer) => timer.wait_until(time).await.is_ok(),
            Err(_) => false,
        };
        if !waited {
            tokio::time::sleep_until(time.into()).await;
        }
        if due.count.available_permits() == 0 {
            shared.outcome.borrow_mut().lags.record(Instant::now().saturating_duration_since(time));
        }
        due.queue.borrow_mut().push_back(Planned { time, place: shared.part.load.offset + number });
        due.count.add_permits(1);
    }
    // The last one's interval, in which it may still be sent.
    tokio::time::sleep_until(shared.ends.into()).await;
    due.count.close();
    shared.outcome.borrow_mut().unsent = due.queue.borrow().len() as u64;
}

async fn lane(shared: Rc<Shared>, due: Rc<Due>, mut connection: Connection) {
    while let Ok(permit) = due.count.acquire().await {
        permit.forget();
        let Some(planned) = due.queue.borrow_mut().pop_front() else { continue };
        let (request, expected) = shared.part.workload.at(planned.place);
        let result = exchange(&mut connection, request, expected, shared.part.load.timeout).await;
        shared.note(planned.time, result);
    }
}
