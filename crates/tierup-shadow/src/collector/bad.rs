//! Bad answers, one by one. If there are more than a slot lists, some are chosen by chance, whoever gave them.
//!
//! Each gets a random number, and those with the smallest are kept. So the choices of two threads can be merged: the
//! smallest of both are the smallest of all ("bottom-k sampling", Cohen and Kaplan 2007).

use std::{
    cmp::Ordering,
    collections::BinaryHeap,
    hash::{BuildHasher as _, RandomState},
};

use tierup_rollout::{
    Side, Weights,
    evidence::{BadKind, MOST_BAD},
};

use super::routes::Route;

/// A bad answer, before its route has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadAnswer {
    pub(super) kind: BadKind,
    pub(super) route: Route,
    pub(super) side: Side,
    pub(super) weights: Weights,
    pub(super) client: Option<u64>,
    pub(super) network: Option<u64>,
}

/// At most [`MOST_BAD`] chosen bad answers, and the number of all.
#[derive(Debug, Clone, Default)]
pub(super) struct BadAnswers {
    chosen: BinaryHeap<Chosen>,
    pub(super) all: u64,
    key: RandomState,
}

#[derive(Debug, Clone)]
struct Chosen {
    lot: u64,
    answer: BadAnswer,
}

impl BadAnswers {
    pub(super) fn add(&mut self, answer: BadAnswer) {
        self.all += 1;
        let lot = self.key.hash_one(self.all);
        self.put(Chosen { lot, answer });
    }

    pub(super) fn merge(&mut self, other: BadAnswers) {
        self.all += other.all;
        other.chosen.into_iter().for_each(|chosen| self.put(chosen));
    }

    fn put(&mut self, chosen: Chosen) {
        self.chosen.push(chosen);
        if self.chosen.len() > MOST_BAD {
            self.chosen.pop();
        }
    }

    /// The chosen ones, in no particular order.
    pub(super) fn chosen(self) -> impl ExactSizeIterator<Item = BadAnswer> {
        self.chosen.into_iter().map(|chosen| chosen.answer)
    }
}

impl Ord for Chosen {
    fn cmp(&self, other: &Chosen) -> Ordering {
        self.lot.cmp(&other.lot)
    }
}

impl PartialOrd for Chosen {
    fn partial_cmp(&self, other: &Chosen) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Chosen {
    fn eq(&self, other: &Chosen) -> bool {
        self.lot == other.lot
    }
}

impl Eq for Chosen {}
