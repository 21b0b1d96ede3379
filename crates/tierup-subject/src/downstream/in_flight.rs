//! Tracks which requests a server has at the moment, by the key that they share with their calls.
//!
//! In: each request's beginning and end. Out: whether a request was the only one with its key, and whether a call
//! carries the key of a request. Two requests of one trace have the same key, so nobody can tell their calls apart.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// How long a key stays known after its last request: calls may come late.
const KNOWN: Duration = Duration::from_secs(2);
/// The number of keys above which keys without requests are searched for and removed.
const FEW: usize = 64;

/// The keys of requests that are under way, or have been lately.
#[derive(Debug, Default)]
pub(super) struct InFlight(Mutex<Keys>);

#[derive(Debug)]
struct Keys {
    uses: HashMap<String, Use>,
    begun: u64,
    most: usize,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys { uses: HashMap::new(), begun: 0, most: FEW }
    }
}

#[derive(Debug, Default)]
struct Use {
    under_way: usize,
    /// How many [`KeyWatch`]es ask whether the key is shared.
    watched: usize,
    /// The number of the last request that began.
    last: u64,
    /// When the last request ended.
    left: Option<Instant>,
}

/// A request that is under way until this is dropped.
#[derive(Debug)]
pub struct Passage {
    all: Arc<InFlight>,
    key: String,
    number: u64,
    /// How long no other request had had the key when this one began.
    unused: Duration,
}

impl InFlight {
    pub(super) fn begin(self: &Arc<InFlight>, key: String) -> Passage {
        let mut keys = self.lock();
        if keys.uses.len() >= keys.most {
            keys.uses.retain(|_, known| !known.is_over());
            keys.most = FEW.max(2 * keys.uses.len());
        }
        keys.begun += 1;
        let number = keys.begun;
        let known = keys.uses.entry(key.clone()).or_default();
        let unused = match known.left {
            _ if known.under_way > 0 => Duration::ZERO,
            Some(left) => left.elapsed(),
            None => Duration::MAX,
        };
        known.under_way += 1;
        known.last = number;
        drop(keys);
        Passage { all: Arc::clone(self), key, number, unused }
    }

    /// Whether a request with this key is under way, or was lately.
    pub(super) fn has(&self, key: &str) -> bool {
        self.lock().uses.get(key).is_some_and(|known| !known.is_over())
    }

    fn lock(&self) -> MutexGuard<'_, Keys> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Use {
    fn is_over(&self) -> bool {
        self.under_way == 0 && self.watched == 0 && self.left.is_none_or(|left| left.elapsed() >= KNOWN)
    }
}

impl Passage {
    pub fn key(&self) -> &str {
        &self.key
    }

    /// How long no other request had had the key when this one began.
    pub fn unused(&self) -> Duration {
        self.unused
    }

    /// Watches whether other requests have used the key since this one began.
    pub fn watch(&self) -> KeyWatch {
        self.all.lock().uses.entry(self.key.clone()).or_default().watched += 1;
        KeyWatch { all: Arc::clone(&self.all), key: self.key.clone(), number: self.number }
    }
}

impl Drop for Passage {
    fn drop(&mut self) {
        if let Some(known) = self.all.lock().uses.get_mut(&self.key) {
            known.under_way = known.under_way.saturating_sub(1);
            known.left = Some(Instant::now());
        }
    }
}

/// Watches a request that may have ended. Its key stays known until this is dropped.
#[derive(Debug)]
pub struct KeyWatch {
    all: Arc<InFlight>,
    key: String,
    number: u64,
}

impl KeyWatch {
    /// Whether another request with the same key has begun since the watched one.
    pub fn is_shared(&self) -> bool {
        self.all.lock().uses.get(&self.key).is_some_and(|known| known.last != self.number)
    }
}

impl Drop for KeyWatch {
    fn drop(&mut self) {
        if let Some(known) = self.all.lock().uses.get_mut(&self.key) {
            known.watched = known.watched.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_belongs_to_one_request_until_another_has_it() {
        let all = Arc::<InFlight>::default();
        let first = all.begin("a".to_owned());
        let watch = first.watch();
        let other = all.begin("b".to_owned());
        assert_eq!((first.unused(), other.unused(), watch.is_shared()), (Duration::MAX, Duration::MAX, false));
        let second = all.begin("a".to_owned());
        assert_eq!((second.unused(), watch.is_shared(), second.watch().is_shared()), (Duration::ZERO, true, false));
        drop((first, second));
        assert!(all.has("a") && !all.has("c"));
        let third = all.begin("a".to_owned());
        assert!(third.unused() < Duration::MAX);
    }

    #[test]
    fn a_shared_key_stays_known_while_it_is_watched() {
        let all = Arc::<InFlight>::default();
        let first = all.begin("a".to_owned());
        let watch = first.watch();
        drop(first);
        drop(all.begin("a".to_owned()));
        let forget = |key: &str| {
            if let Some(known) = all.lock().uses.get_mut(key) {
                // As if the request had ended long ago.
                known.left = None;
            }
        };
        let run_many = || {
            for number in 0..10 * FEW {
                drop(all.begin(number.to_string()));
                forget(&number.to_string());
            }
        };
        forget("a");
        run_many();
        assert!(watch.is_shared());
        drop(watch);
        run_many();
        assert!(!all.lock().uses.contains_key("a"));
    }

    #[test]
    fn keys_without_requests_are_forgotten() {
        let all = Arc::<InFlight>::default();
        let held = all.begin("held".to_owned());
        for number in 0..10_000 {
            drop(all.begin(number.to_string()));
            // As if the request had ended long ago.
            if let Some(known) = all.lock().uses.get_mut(&number.to_string()) {
                known.left = None;
            }
        }
        assert!(all.lock().uses.len() <= 2 * FEW, "{}", all.lock().uses.len());
        assert!(all.has("held"));
        drop(held);
    }
}
