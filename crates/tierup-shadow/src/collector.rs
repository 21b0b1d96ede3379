//! Counts what happens to requests, without making threads wait.
//!
//! Each thread has its own [`Counter`]. Its counts have two halves, and a reader holds at most one of them, so the
//! thread never waits. In: answers, copies, differences and events. Out: the [`Slot`] of all threads
//! ([`Collector::take`]), and [`Note`]s in the order of arrival.

mod bad;
mod counts;
mod routes;
mod told;

use std::{
    cell::RefCell,
    hint, mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
};

use hyper::Method;
use tierup_rollout::evidence::{Difference, Entry, Event, Pair, Slot};

use self::{
    counts::Counts,
    routes::{Names, Table},
};
use crate::{hidden::Show, network::Witness};

pub use self::{
    routes::Route,
    told::{Answered, Compared, Note, Outcome, Regime, Took},
};

/// The most differences and events that wait to be written. Further ones are lost, but a slot still counts them.
const MOST_NOTES: usize = 1000;

/// The counts of all threads of one proxy.
#[derive(Debug, Clone)]
pub struct Collector(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    routes: Arc<Table>,
    /// A reader locks the list, and one half of a thread's counts at a time.
    threads: Mutex<Vec<Arc<Halves>>>,
    regime: Mutex<Regime>,
    notes: SyncSender<Note>,
    notes_lost: AtomicU64,
    connections: Connections,
}

/// One thread's counts are the sum of both halves.
type Halves = [Mutex<Counts>; 2];

impl Collector {
    /// A collector that names the requests of `routes` by them: `GET /orders/{id}`, where a part in braces or after a
    /// colon stands for any. Up to a hundred other names are paths without identifiers. Parts of their paths are
    /// written once several clients asked for them.
    pub fn new(routes: &[String]) -> (Collector, Receiver<Note>) {
        Collector::showing(routes, Show::default())
    }

    /// A collector as in [`new`](Self::new), but `show` lets some parts of paths be written from the first client on.
    pub fn showing(routes: &[String], show: Show) -> (Collector, Receiver<Note>) {
        let (notes, noted) = sync_channel(MOST_NOTES);
        let shared = Shared {
            routes: Arc::new(Table::new(routes, show)),
            threads: Mutex::default(),
            regime: Mutex::default(),
            notes,
            notes_lost: AtomicU64::new(0),
            connections: Connections::default(),
        };
        (Collector(Arc::new(shared)), noted)
    }

    /// A counter for one thread.
    pub fn counter(&self) -> Counter {
        let own = Arc::<Halves>::default();
        locked(&self.0.threads).push(Arc::clone(&own));
        Counter { own, names: RefCell::new(Names::new(Arc::clone(&self.0.routes))), collector: self.clone() }
    }

    /// What was counted since the last call, without what the caller adds: the [`Regime`], time and processor time.
    pub fn take(&self) -> Slot {
        let mut all = Counts::default();
        locked(&self.0.threads).retain(|thread| {
            // Asked first: a thread that has ended counts nothing more.
            let is_alive = Arc::strong_count(thread) > 1;
            thread.iter().for_each(|half| all.add(mem::take(&mut *locked(half))));
            is_alive
        });
        all.into_slot(&self.0.routes.names())
    }

    /// What [`take`](Self::take) would return, without resetting the counts.
    pub fn look(&self) -> Slot {
        let mut all = Counts::default();
        locked(&self.0.threads).iter().flat_map(|thread| &**thread).for_each(|half| all.add(locked(half).clone()));
        all.into_slot(&self.0.routes.names())
    }

    /// Ends the slot if the regime has changed.
    pub fn set_regime(&self, regime: Regime) {
        let before = mem::replace(&mut *locked(&self.0.regime), regime.clone());
        if before != regime {
            self.note(Note::Regime);
        }
    }

    pub fn regime(&self) -> Regime {
        locked(&self.0.regime).clone()
    }

    pub fn event(&self, event: Event) {
        self.note(Note::Entry(Entry::Event(event)));
    }

    /// Keeps a mismatch as an example. [`Counter::copy`] counts it.
    pub fn difference(&self, difference: Difference) {
        self.note(Note::Entry(Entry::Difference(difference)));
    }

    /// A route's name, such as `GET /orders/*`.
    pub fn route_name(&self, route: Route) -> Arc<str> {
        self.0.routes.name(route)
    }

    /// The number of notes that were lost because the queue was full.
    pub fn notes_lost(&self) -> u64 {
        self.0.notes_lost.load(Relaxed)
    }

    /// The counts of clients' connections.
    pub fn connections(&self) -> &Connections {
        &self.0.connections
    }

    fn note(&self, note: Note) {
        if self.0.notes.try_send(note).is_err() {
            self.0.notes_lost.fetch_add(1, Relaxed);
        }
    }
}

/// One thread's counts.
#[derive(Debug)]
pub struct Counter {
    own: Arc<Halves>,
    names: RefCell<Names>,
    collector: Collector,
}

impl Counter {
    /// The route under which a request is counted.
    pub fn route(&self, method: &Method, path: &str) -> Route {
        self.names.borrow_mut().route(method, path)
    }

    /// Notes the request's client, until the route has had `SEVERAL`.
    pub(crate) fn used<'a>(&self, route: Route, by: impl FnOnce() -> Witness<'a>) {
        self.names.borrow_mut().used(route, by);
    }

    pub fn answered(&self, answered: &Answered) {
        self.count(|counts| counts.answered(answered));
    }

    /// Counts a request of the sample. `took` is the latency of compared answers.
    pub fn copy(&self, route: Route, pair: Pair, compared: Compared, took: Took) {
        self.count(|counts| counts.copy(route, pair, compared, took));
    }

    /// Counts a request that control answered with success; `is_both` says that the other side did not fail.
    pub fn held(&self, route: Route, pair: Pair, is_both: bool) {
        self.count(|counts| counts.held(route, pair, is_both));
    }

    pub fn collector(&self) -> &Collector {
        &self.collector
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        loop {
            for half in &*self.own {
                match half.try_lock() {
                    Ok(mut half) => return count(&mut half),
                    Err(TryLockError::Poisoned(poisoned)) => return count(&mut poisoned.into_inner()),
                    Err(TryLockError::WouldBlock) => {}
                }
            }
            // The reader has moved from the first half to the second between the two tries, so the first is free now.
            hint::spin_loop();
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The clients' connections of one proxy.
#[derive(Debug, Default)]
pub struct Connections {
    /// Connections that are open now.
    pub open: AtomicU64,
    /// The most connections that may be open.
    pub limit: AtomicU64,
    /// Idle connections that were closed to make a place for a new client.
    pub closed: AtomicU64,
    /// New clients that waited longer than two seconds for a place, as all places were in use.
    pub waited: AtomicU64,
}

impl Connections {
    /// Warnings for the operator: one line for each kind of trouble, with a text that does not change.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let limit = self.limit.load(Relaxed);
        let closed = (self.closed.load(Relaxed) > 0).then(|| {
            format!(
                "warning: all {limit} places for clients are taken: for each new client, the connection that has \
                 rested longest is closed; --connections allows more"
            )
        });
        let waited = (self.waited.load(Relaxed) > 0).then(|| {
            format!(
                "warning: all {limit} places for clients are in use: new clients wait until one is free; --connections \
                 allows more"
            )
        });
        closed.into_iter().chain(waited)
    }
}

#[cfg(test)]
mod tests;
