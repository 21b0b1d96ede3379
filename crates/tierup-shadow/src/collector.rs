//! Where threads count what happens to requests.
//!
//! Each thread has a [`Counter`] of its own, and waits for nobody: where somebody reads its counts at this moment, it counts
//! beside them and adds both up at the next request. In: answers, copies, differences and events. Out: the [`Slot`] of all
//! threads ([`Collector::take`]), and [`Note`]s in the order in which they came.

mod bad;
mod counts;
mod routes;

use std::{
    cell::{Cell, RefCell},
    mem,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, TryLockError,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    time::Duration,
};

use hyper::Method;
use tierup_rollout::{
    Bucket, Part, Phase, Side, Weights,
    evidence::{BadKind, Difference, Entry, Event, Pair, Slot},
};

pub use self::routes::Route;
use self::{
    counts::Counts,
    routes::{Names, Table},
};

/// Differences and events that wait to be written. More are lost, and counted: the counts of a slot still have them.
const MOST_NOTES: usize = 1000;

/// The counts of all threads of one proxy.
#[derive(Debug, Clone)]
pub struct Collector(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    routes: Arc<Table>,
    threads: Mutex<Vec<Arc<Mutex<Counts>>>>,
    regime: Mutex<Regime>,
    notes: SyncSender<Note>,
    notes_lost: AtomicU64,
}

/// What stays the same within a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regime {
    /// The ramp of the control file, and its generation; `None` and 0 without one.
    pub ramp: Option<String>,
    pub generation: u64,
    pub phase: Option<Phase>,
    /// In force for requests that begin.
    pub weights: Weights,
    /// Whether copies are made.
    pub mirroring: bool,
    /// The part of the safe requests that is in the sample.
    pub sample: Part,
    /// The part of the copies that goes to the second control process.
    pub second: Part,
}

impl Default for Regime {
    fn default() -> Regime {
        Regime {
            ramp: None,
            generation: 0,
            phase: None,
            weights: Weights::CONTROL_ONLY,
            mirroring: true,
            sample: Part::ALL,
            second: Part::NONE,
        }
    }
}

/// What is told as it happens.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all notes are entries")]
pub enum Note {
    Entry(Entry),
    /// The [`Regime`] has changed: the slot ends here.
    Regime,
}

/// A client's answer.
#[derive(Debug, Clone, Copy)]
pub struct Answered {
    pub route: Route,
    pub side: Side,
    /// In force when the request was assigned.
    pub weights: Weights,
    /// `None` for a client that nothing identifies.
    pub client: Option<Bucket>,
    pub outcome: Outcome,
    /// From the request's head to the answer's, or to the end of waiting.
    pub took: Duration,
}

/// How a request ended, for its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// With a status below 500.
    Answered,
    Bad(BadKind),
}

/// What became of a request of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compared {
    Same,
    /// With the kind of its first difference.
    Mismatch(String),
    /// No copy was made, for this reason.
    Dropped(&'static str),
    /// There was nothing to compare, for this reason.
    NotComparable(String),
}

/// How long both answers took that were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Took {
    /// The client's.
    pub answer: Duration,
    /// The copy's.
    pub copy: Duration,
    /// Control answered the client, so chance alone chose whether candidate or twin got the copy. Only such copies can show
    /// which of the two is slower.
    pub by_chance: bool,
}

impl Collector {
    /// One that names the requests of `routes` by them: `GET /orders/{id}`, where a part of a path in braces, or after a colon,
    /// stands for any. Other requests are named by their paths, without identifiers, and not more than a hundred.
    pub fn new(routes: &[String]) -> (Collector, Receiver<Note>) {
        let (notes, noted) = sync_channel(MOST_NOTES);
        let shared = Shared {
            routes: Arc::new(Table::new(routes)),
            threads: Mutex::default(),
            regime: Mutex::default(),
            notes,
            notes_lost: AtomicU64::new(0),
        };
        (Collector(Arc::new(shared)), noted)
    }

    /// For one thread.
    pub fn counter(&self) -> Counter {
        let own = Arc::<Mutex<Counts>>::default();
        locked(&self.0.threads).push(Arc::clone(&own));
        Counter {
            own,
            beside: RefCell::default(),
            is_beside: Cell::new(false),
            names: RefCell::new(Names::of(Arc::clone(&self.0.routes))),
            collector: self.clone(),
        }
    }

    /// What was counted since the last time, without what its reader knows: the [`Regime`], the time, the processors.
    pub fn take(&self) -> Slot {
        let mut all = Counts::default();
        locked(&self.0.threads).retain(|thread| {
            // First: a thread that ends adds what it has before it lets go.
            let is_alive = Arc::strong_count(thread) > 1;
            all.add(mem::take(&mut *locked(thread)));
            is_alive
        });
        all.into_slot(&self.0.routes.names())
    }

    /// The same, and it stays.
    pub fn look(&self) -> Slot {
        let mut all = Counts::default();
        locked(&self.0.threads).iter().for_each(|thread| all.add(locked(thread).clone()));
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

    fn note(&self, note: Note) {
        if self.0.notes.try_send(note).is_err() {
            self.0.notes_lost.fetch_add(1, Relaxed);
        }
    }
}

/// One thread's counts.
#[derive(Debug)]
pub struct Counter {
    own: Arc<Mutex<Counts>>,
    /// What happened while somebody read `own`.
    beside: RefCell<Counts>,
    is_beside: Cell<bool>,
    names: RefCell<Names>,
    collector: Collector,
}

impl Counter {
    /// The name under which a request is counted.
    pub fn route(&self, method: &Method, path: &str) -> Route {
        self.names.borrow_mut().route(method, path)
    }

    pub fn answered(&self, answered: &Answered) {
        self.count(|counts| counts.answered(answered));
    }

    /// One request of the sample. `took` is that of answers that were compared.
    pub fn copy(&self, route: Route, pair: Pair, compared: Compared, took: Took) {
        self.count(|counts| counts.copy(route, pair, compared, took));
    }

    pub fn collector(&self) -> &Collector {
        &self.collector
    }

    fn count(&self, count: impl FnOnce(&mut Counts)) {
        let mut own = match self.own.try_lock() {
            Ok(own) => own,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                self.is_beside.set(true);
                return count(&mut self.beside.borrow_mut());
            }
        };
        if self.is_beside.replace(false) {
            own.add(self.beside.take());
        }
        count(&mut own);
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        locked(&self.own).add(self.beside.take());
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::thread;

    use tierup_rollout::evidence::MOST_BAD;

    use super::*;

    fn answer(route: Route, side: Side, outcome: Outcome) -> Answered {
        let took = Duration::from_millis(1);
        Answered { route, side, weights: Weights::default(), client: Some(Bucket(7)), outcome, took }
    }

    #[test]
    fn nothing_is_lost_while_it_is_read() {
        let (collector, _notes) = Collector::new(&[]);
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let collector = collector.clone();
                thread::spawn(move || {
                    let counter = collector.counter();
                    for _ in 0..20_000 {
                        let route = counter.route(&Method::GET, "/a");
                        counter.answered(&answer(route, Side::Control, Outcome::Answered));
                        counter.copy(route, Pair::Candidate, Compared::Same, Took::default());
                    }
                })
            })
            .collect();
        let (mut answered, mut same, mut timed) = (0, 0, 0);
        let mut add = |slot: Slot| {
            answered += slot.live.iter().map(|live| live.answered).sum::<u64>();
            same += slot.copies.iter().map(|copies| copies.same).sum::<u64>();
            timed += slot.latencies.values().map(tierup_rollout::Latencies::count).sum::<u64>();
        };
        while threads.iter().any(|thread| !thread.is_finished()) {
            add(collector.take());
        }
        threads.into_iter().for_each(|thread| thread.join().expect("it ends"));
        add(collector.take());
        assert_eq!((answered, same, timed), (80_000, 80_000, 80_000));
        assert!(locked(&collector.0.threads).is_empty(), "threads that ended leave nothing behind");
    }

    #[test]
    fn each_request_of_the_sample_is_in_one_count() {
        let (collector, _notes) = Collector::new(&[]);
        let counter = collector.counter();
        let route = counter.route(&Method::GET, "/a/17");
        let took = Took { answer: Duration::from_micros(3), copy: Duration::from_micros(5), by_chance: true };
        counter.copy(route, Pair::Candidate, Compared::Same, took);
        counter.copy(route, Pair::Candidate, Compared::Mismatch("$.a".into()), took);
        counter.copy(route, Pair::Candidate, Compared::Dropped("busy"), Took::default());
        counter.copy(route, Pair::Second, Compared::NotComparable("silent".into()), Took::default());
        let slot = collector.take();
        let [candidate, second] = &slot.copies[..] else { panic!("{slot:?}") };
        assert_eq!((&*candidate.route, candidate.same, candidate.mismatched), ("GET /a/*", 1, 1));
        assert_eq!((candidate.kinds["$.a"], candidate.dropped["busy"]), (1, 1));
        assert_eq!((candidate.took, candidate.copy_took), (6, 10));
        assert_eq!((second.pair, second.not_comparable["silent"]), (Pair::Second, 1));
        assert_eq!(slot.copy_latencies.keys().collect::<Vec<_>>(), [&Side::Candidate]);
        assert_eq!(collector.take(), Slot::default(), "what was taken is gone");
    }

    #[test]
    fn bad_answers_beyond_the_most_are_chosen_whoever_gave_them() {
        let (collector, _notes) = Collector::new(&[]);
        let counters = [collector.counter(), collector.counter()];
        // The candidate's come first: who comes first must not matter.
        for (counter, side) in counters.iter().zip([Side::Candidate, Side::Control]) {
            let route = counter.route(&Method::GET, "/");
            for _ in 0..3 * MOST_BAD {
                counter.answered(&answer(route, side, Outcome::Bad(BadKind::Error)));
            }
        }
        let slot = collector.take();
        assert_eq!((slot.bad.len(), slot.bad_not_listed), (MOST_BAD, 5 * MOST_BAD as u64));
        let candidates = slot.bad.iter().filter(|bad| bad.side == Side::Candidate).count();
        // Ten standard deviations of a hypergeometric distribution, at most.
        assert!((340..660).contains(&candidates), "{candidates}");
        assert_eq!(slot.live.iter().map(|live| live.errors).sum::<u64>(), 6 * MOST_BAD as u64);
    }

    #[test]
    fn a_new_regime_is_told_and_the_same_one_is_not() {
        let (collector, notes) = Collector::new(&[]);
        collector.set_regime(Regime::default());
        assert!(notes.try_recv().is_err());
        collector.set_regime(Regime { generation: 2, ..Regime::default() });
        assert!(matches!(notes.try_recv(), Ok(Note::Regime)));
        for _ in 0..=MOST_NOTES {
            collector.event(Event::Ended);
        }
        assert_eq!(collector.notes_lost(), 1, "who tells never waits");
    }
}
