//! Where threads count what happens to requests.
//!
//! Each thread has a [`Counter`] of its own, and waits for nobody: its counts have two halves, of which somebody who reads has
//! one at most. In: answers, copies, differences and events. Out: the [`Slot`] of all
//! threads ([`Collector::take`]), and [`Note`]s in the order in which they came.

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

/// Differences and events that wait to be written. More are lost, and counted: the counts of a slot still have them.
const MOST_NOTES: usize = 1000;

/// The counts of all threads of one proxy.
#[derive(Debug, Clone)]
pub struct Collector(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    routes: Arc<Table>,
    /// A reader locks the list, and then one half of each thread's counters at a time.
    threads: Mutex<Vec<Arc<Halves>>>,
    regime: Mutex<Regime>,
    notes: SyncSender<Note>,
    notes_lost: AtomicU64,
    connections: Connections,
}

/// The counts of one thread are the sum of both.
type Halves = [Mutex<Counts>; 2];

impl Collector {
    /// One that names the requests of `routes` by them: `GET /orders/{id}`, where a part of a path in braces, or after a colon,
    /// stands for any. Other requests are named by their paths, without identifiers, and not more than a hundred.
    /// Parts of their paths are written once several clients asked for them.
    pub fn new(routes: &[String]) -> (Collector, Receiver<Note>) {
        Collector::showing(routes, Show::default())
    }

    /// The same, where some parts of paths are written from the first client on.
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

    /// For one thread.
    pub fn counter(&self) -> Counter {
        let own = Arc::<Halves>::default();
        locked(&self.0.threads).push(Arc::clone(&own));
        Counter { own, names: RefCell::new(Names::new(Arc::clone(&self.0.routes))), collector: self.clone() }
    }

    /// What was counted since the last time, without what its reader knows: the [`Regime`], the time, the processors.
    pub fn take(&self) -> Slot {
        let mut all = Counts::default();
        locked(&self.0.threads).retain(|thread| {
            // First: a thread that ends counts no more.
            let is_alive = Arc::strong_count(thread) > 1;
            thread.iter().for_each(|half| all.add(mem::take(&mut *locked(half))));
            is_alive
        });
        all.into_slot(&self.0.routes.names())
    }

    /// The same, and it stays.
    pub fn look(&self) -> Slot {
        let mut all = Counts::default();
        locked(&self.0.threads).iter().flat_map(|thread| &**thread).for_each(|half| all.add(locked(half).clone()));
        all.into_slot(&self.0.routes.names())
    }

    /// Ends the slot, where something is new.
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

    /// A mismatch that is kept as an example. [`Counter::copy`] counts it.
    pub fn difference(&self, difference: Difference) {
        self.note(Note::Entry(Entry::Difference(difference)));
    }

    /// `GET /orders/*`.
    pub fn route_name(&self, route: Route) -> Arc<str> {
        self.0.routes.name(route)
    }

    /// Notes that nobody could take.
    pub fn notes_lost(&self) -> u64 {
        self.0.notes_lost.load(Relaxed)
    }

    /// What a proxy says of its clients' connections.
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
    /// The name under which a request is counted.
    pub fn route(&self, method: &Method, path: &str) -> Route {
        self.names.borrow_mut().route(method, path)
    }

    /// Counts the request's client, until the route has had `SEVERAL`.
    pub(crate) fn used<'a>(&self, route: Route, by: impl FnOnce() -> Witness<'a>) {
        self.names.borrow_mut().used(route, by);
    }

    pub fn answered(&self, answered: &Answered) {
        self.count(|counts| counts.answered(answered));
    }

    /// One request of the sample. `took` is that of answers that were compared.
    pub fn copy(&self, route: Route, pair: Pair, compared: Compared, took: Took) {
        self.count(|counts| counts.copy(route, pair, compared, took));
    }

    /// What control answered with success: whether the other did not fail.
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
            // Between the two tries, the reader moved from the first half to the second: the first is free now.
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
    /// The most that may be.
    pub limit: AtomicU64,
    /// Idle connections that were closed to make a place for a new client.
    pub closed: AtomicU64,
    /// New clients that waited longer than two seconds for a place, as all were in use.
    pub waited: AtomicU64,
}

impl Connections {
    /// What the operator should know: one line for each kind of trouble, which stays the same.
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
