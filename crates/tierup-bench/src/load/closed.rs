//! The closed loop: every connection sends its next request when it has received the answer to the last one.

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

/// The pause after a failed connection, so that a server that is down is not flooded with attempts.
const RETRY_AFTER: Duration = Duration::from_millis(20);

pub(super) fn start(shared: &Rc<LoadState>, connections: Vec<Connection>, lanes: &mut JoinSet<()>) -> Rc<Steady> {
    let (workers, all) = (shared.part.workers, shared.part.load.connections.max(1));
    let length = shared.part.workload.order.len();
    let steady = Rc::new(Steady::new(shared.began, shared.ends, connections.len()));
    for (index, connection) in connections.into_iter().enumerate() {
        let number = index * workers + shared.part.number;
        // Connections start at evenly spaced places in the order, so that all kinds of requests are under way at any
        // time.
        let place = shared.part.load.offset + number * length / all;
        lanes.spawn_local(lane(Rc::clone(shared), Rc::clone(&steady), connection, place));
    }
    steady
}

async fn lane(shared: Rc<LoadState>, steady: Rc<Steady>, mut connection: Connection, mut place: usize) {
    let mut first = true;
    loop {
        let sent = Instant::now();
        // Each connection sends at least one request, however late a busy machine lets it begin: a load without an
        // answer would mean that the server gives none.
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
