//! A budget that all routes share: places for copies, or bytes of memory.
//!
//! In: how much a route wants. Out: a [`Held`], which gives it back when it is dropped, or nothing. A route that has
//! three times as much as is free gets no more. So a route with slow or large requests leaves room for all others: a
//! new route finds a quarter of everything, or of what earlier ones left (Choudhury and Hahne 1998, "Dynamic queue
//! length thresholds for multipriority traffic"). One piece, such as a tree, may take all that is left.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use crate::collector::Route;

/// A route that has this many times what is free gets no more.
const TIMES_FREE: usize = 3;

/// The whole budget, for all threads.
#[derive(Debug, Clone)]
pub(crate) struct Shares(Arc<Mutex<Left>>);

#[derive(Debug)]
struct Left {
    all: usize,
    free: usize,
    /// How much each route has.
    taken: BTreeMap<Route, usize>,
}

/// A route's part. It can grow, but is given back only as a whole, when it is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    shares: Shares,
    route: Route,
    amount: AtomicUsize,
}

impl Shares {
    pub(crate) fn new(all: usize) -> Shares {
        Shares(Arc::new(Mutex::new(Left { all, free: all, taken: BTreeMap::new() })))
    }

    /// Takes this much; `None` if this route may not take it.
    pub(crate) fn take(&self, route: Route, amount: usize) -> Option<Held> {
        let held = Held { shares: self.clone(), route, amount: AtomicUsize::new(0) };
        held.grow(amount).then_some(held)
    }

    /// Whether no route has any of it.
    pub(crate) fn is_whole(&self) -> bool {
        let left = self.left();
        left.free == left.all
    }

    fn left(&self) -> MutexGuard<'_, Left> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Takes more, and returns whether there was so much.
    pub(crate) fn grow(&self, by: usize) -> bool {
        let mut left = self.shares.left();
        let taken = left.taken.get(&self.route).copied().unwrap_or_default();
        if by > left.free || taken >= left.free.saturating_mul(TIMES_FREE) {
            return by == 0;
        }
        left.free -= by;
        left.taken.insert(self.route, taken + by);
        self.amount.fetch_add(by, Relaxed);
        true
    }

    /// Another part of the same route, still empty.
    pub(crate) fn beside(&self) -> Held {
        Held { shares: self.shares.clone(), route: self.route, amount: AtomicUsize::new(0) }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let amount = *self.amount.get_mut();
        let mut left = self.shares.left();
        left.free += amount;
        let rest = left.taken.get(&self.route).copied().unwrap_or_default().saturating_sub(amount);
        match rest {
            0 => left.taken.remove(&self.route),
            rest => left.taken.insert(self.route, rest),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use hyper::Method;

    use super::*;
    use crate::collector::Collector;

    #[test]
    fn a_route_that_has_much_leaves_room_for_others() {
        let counter = Collector::new(&[]).0.counter();
        let [slow, slower, ordinary] = ["/slow", "/slower", "/"].map(|path| counter.route(&Method::GET, path));
        let shares = Shares::new(64);
        let take_all = |route| iter::from_fn(|| shares.take(route, 1)).collect::<Vec<_>>();
        let of_slow = take_all(slow);
        assert_eq!(of_slow.len(), 48);
        let of_slower = take_all(slower);
        assert_eq!(of_slower.len(), 12);
        assert_eq!(take_all(ordinary).len(), 3);
        drop(of_slow);
        assert_eq!(take_all(ordinary).len(), 39);
        drop(of_slower);
        assert!(shares.is_whole());
    }

    #[test]
    fn a_part_grows_and_comes_back_whole() {
        let route = Collector::new(&[]).0.counter().route(&Method::GET, "/");
        let shares = Shares::new(100);
        let held = shares.take(route, 10).expect("there is enough");
        assert!(held.grow(60) && !held.grow(31) && !shares.is_whole());
        let beside = held.beside();
        assert!(beside.grow(20) && !beside.grow(1), "both are one route's");
        drop(held);
        assert!(beside.grow(1));
        drop(beside);
        assert!(shares.is_whole());
        assert!(shares.take(route, 101).is_none() && shares.take(route, 100).is_some());
    }
}
