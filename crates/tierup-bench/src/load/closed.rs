//! The closed loop: every connection sends its next request when it has the answer to the last one.

use std::{
    rc::Rc,
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use tierup_subject::Connection;
use tokio::task::JoinSet;

use super::{
    exchange::{Failure, exchange},
    part::LoadState,
    steady::{Exchange, Steady},
};

/// Where no connection can be made, the next try waits: a server that is down must not be hammered.
const RETRY_AFTER: Duration = Duration::from_millis(20);

pub(super) fn start(shared: &Rc<LoadState>, connections: Vec<Connection>, lanes: &mut JoinSet<()>) -> Rc<Steady> {
    let (workers, all) = (shared.part.workers, shared.part.load.connections.max(1));
    let length = shared.part.workload.order.len();
    let steady = Rc::new(Steady::new(shared.began, shared.ends, connections.len()));
    for (index, connection) in connections.into_iter().enumerate() {
        let number = index * workers + shared.part.number;
        // Evenly spread over the order, so that all requests are under way at any time.
        let place = shared.part.load.offset + number * length / all;
        lanes.spawn_local(lane(Rc::clone(shared), Rc::clone(&steady), connection, place));
    }
    steady
}

async fn lane(shared: Rc<LoadState>, steady: Rc<Steady>, mut connection: Connection, mut place: usize) {
    let mut first = true;
    loop {
        let sent = Instant::now();
        // Each connection asks once, however late a busy machine lets it begin: a load without an answer would say that the
        // server gives none.
        if sent >= shared.ends && !first {
            return;
        }
        if shared.part.load.in_order {
            place = shared.part.load.offset + shared.part.taken.fetch_add(1, Ordering::Relaxed);
        }
        let (request, expected) = shared.part.workload.at(place);
        let result = exchange(&mut connection, request, expected, shared.part.load.timeout).await;
        let ended = Instant::now();
        shared.note(sent, ended, result);
        steady.note(&Exchange { sent, ended, first, right: result.is_ok() });
        first = false;
        if result == Err(Failure::Refused) {
            tokio::time::sleep(RETRY_AFTER).await;
        }
        place += 1;
    }
}
