//! What the proxy acts on now, shared by all its threads. In: the control file as read. Out: a copy for each thread,
//! which costs one atomic load to keep up to date.

use std::{
    cell::{Cell, RefCell},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use tierup_rollout::{Bucket, Buckets, Part, Phase, Side, Weights};

/// What the proxy acts on.
#[derive(Debug, Clone, Default)]
pub struct InForce {
    /// `None` without a usable control file.
    pub ramp: Option<String>,
    pub generation: u64,
    pub phase: Option<Phase>,
    pub weights: Weights,
    pub mirrored: Mirrored,
    /// Why no control file is in force, or why the one in the folder is ignored.
    pub trouble: Option<String>,
    /// `None` if clients have no buckets.
    pub(crate) buckets: Option<Buckets>,
    /// From then on control answers every request. This does not depend on the watching thread.
    pub(crate) until: Option<Instant>,
}

/// The parts of the requests that are mirrored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mirrored {
    /// The part of the safe requests that is mirrored.
    pub sample: Part,
    /// The part of the copies that goes to the twin.
    pub second: Part,
    /// The part of the candidate's safe answers that is mirrored back to control.
    pub verify: Part,
}

impl Default for Mirrored {
    /// All safe requests, to the candidate.
    fn default() -> Mirrored {
        Mirrored { sample: Part::ALL, second: Part::NONE, verify: Part::NONE }
    }
}

impl InForce {
    /// What is in force without a control file.
    pub(crate) fn without(mirrored: Mirrored) -> InForce {
        InForce { mirrored, ..InForce::default() }
    }

    /// The weights at `now`.
    pub fn weights_at(&self, now: Instant) -> Weights {
        match self.until {
            Some(until) if now < until => self.weights,
            _ => Weights::CONTROL_ONLY,
        }
    }
}

/// The side that answers a request, decided when its head was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assigned {
    pub side: Side,
    /// The weights in force at the decision.
    pub weights: Weights,
    /// The client's bucket, if it has one.
    pub bucket: Option<Bucket>,
    /// The bucket of its network, if its address is public.
    pub network: Option<Bucket>,
}

impl Assigned {
    /// Control answers, without any choice.
    pub(crate) const CONTROL: Assigned =
        Assigned { side: Side::Control, weights: Weights::CONTROL_ONLY, bucket: None, network: None };
}

/// The value that all threads share.
#[derive(Debug, Default)]
pub(crate) struct Published {
    version: AtomicU64,
    value: RwLock<Arc<InForce>>,
}

impl Published {
    pub(crate) fn new(first: InForce) -> Published {
        Published { version: AtomicU64::new(0), value: RwLock::new(Arc::new(first)) }
    }

    pub(crate) fn publish(&self, next: InForce) {
        *self.value.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(next);
        self.version.fetch_add(1, Ordering::Release);
    }

    pub(crate) fn get(&self) -> Arc<InForce> {
        Arc::clone(&self.value.read().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One thread's copy.
#[derive(Debug)]
pub(crate) struct Reader {
    published: Arc<Published>,
    version: Cell<u64>,
    value: RefCell<Arc<InForce>>,
}

impl Reader {
    pub(crate) fn new(published: Arc<Published>) -> Reader {
        let version = Cell::new(published.version.load(Ordering::Acquire));
        let value = RefCell::new(published.get());
        Reader { published, version, value }
    }

    pub(crate) fn with<T>(&self, read: impl FnOnce(&InForce) -> T) -> T {
        let version = self.published.version.load(Ordering::Acquire);
        if version != self.version.get() {
            // The value may be newer than the version; then it is read again. It is never older.
            self.version.set(version);
            *self.value.borrow_mut() = self.published.get();
        }
        read(&self.value.borrow())
    }
}

#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use super::*;

    fn of(generation: u64, until: Option<Instant>) -> InForce {
        InForce { generation, until, weights: Weights::with_twin(Part::ALL), ..InForce::default() }
    }

    #[test]
    fn a_thread_sees_the_published_value() {
        let published = Arc::new(Published::new(of(0, None)));
        let reader = Reader::new(Arc::clone(&published));
        for generation in 1..100 {
            let publisher = Arc::clone(&published);
            thread::spawn(move || publisher.publish(of(generation, None))).join().expect("it does not panic");
            assert_eq!(reader.with(|in_force| in_force.generation), generation);
        }
    }

    #[test]
    fn weights_end_by_themselves() {
        let now = Instant::now();
        let in_force = of(1, Some(now + Duration::from_secs(60)));
        assert_eq!(in_force.weights_at(now).candidate, Part::ALL);
        assert_eq!(in_force.weights_at(now + Duration::from_secs(60)), Weights::CONTROL_ONLY);
        assert_eq!(of(1, None).weights_at(now), Weights::CONTROL_ONLY, "nobody said until when");
    }
}
