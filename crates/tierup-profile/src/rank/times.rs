//! The time of one own function. In: its sums over stacks. Out: the [`Function`] with its shares, and the reason if its
//! time rules it out as a candidate.

use std::collections::BTreeMap;

use super::{Function, Hindrance, ownership::Ownership, waiting::Waiting};
use crate::{
    bound::Rewrite,
    profile::{Frame, FrameId, Kind, Profile},
    share::Share,
    weights::Weights,
};

#[derive(Debug, Clone)]
pub(super) struct Sums(Vec<f64>);

impl Sums {
    pub(super) fn new(blocks: usize) -> Sums {
        Sums(vec![0.0; blocks])
    }

    pub(super) fn add(&mut self, times: &[f64]) {
        self.0.iter_mut().zip(times).for_each(|(sum, time)| *sum += time);
    }

    pub(super) fn blocks(&self) -> &[f64] {
        &self.0
    }

    pub(super) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    pub(super) fn share(&self, whole: &[f64]) -> Share {
        Share::new(&self.0, whole)
    }
}

/// A function that spends more than this part of its time on input and output, or waiting for it, is not a candidate.
const MOST_IO: f64 = 0.02;

/// The times of one function.
pub(super) struct Times {
    pub(super) itself: Sums,
    pub(super) total: Sums,
    /// Time in packages that only it reaches, on stacks that have lost their caller.
    pub(super) lost: Sums,
    /// Time in input and output beneath it, by the innermost such frame.
    pub(super) io: BTreeMap<FrameId, f64>,
}

impl Times {
    pub(super) fn new(blocks: usize) -> Times {
        let none = || Sums::new(blocks);
        Times { itself: none(), total: none(), lost: none(), io: BTreeMap::new() }
    }
}

/// The facts about the whole profile.
pub(super) struct WholeProfile<'a> {
    pub(super) profile: &'a Profile,
    pub(super) weights: &'a Weights,
    pub(super) ownership: &'a Ownership,
    pub(super) waiting: &'a Waiting,
}

/// The function with its shares.
pub(super) fn function(known: &WholeProfile<'_>, id: FrameId, times: &Times) -> Function {
    let mut owned = times.total.clone();
    owned.add(times.lost.blocks());
    let (frame, whole) = (known.profile.frame_of(id), &known.weights.whole);
    let hindrance = match frame.kind {
        Kind::Entry => Some(Hindrance::Entry),
        _ => io(known.profile, times, owned.sum()).or_else(|| waits(known, id, owned.sum())),
    };
    Function {
        id,
        frame: frame.clone(),
        itself: times.itself.share(whole),
        total: times.total.share(whole),
        owned: owned.share(whole),
        packages: known.ownership.packages(id),
        hindrance,
        observed: None,
        rewrite: Rewrite::default(),
    }
}

/// Input and output beneath a function, if its share is above [`MOST_IO`].
fn io(profile: &Profile, times: &Times, owned: f64) -> Option<Hindrance> {
    let share = times.io.values().sum::<f64>() / owned;
    let (through, _) = times.io.iter().max_by(|one, other| one.1.total_cmp(other.1)).filter(|_| share > MOST_IO)?;
    Some(Hindrance::Io { share, through: named(profile, *through) })
}

/// Waiting beneath a function, if its share is above [`MOST_IO`].
fn waits(known: &WholeProfile<'_>, id: FrameId, owned: f64) -> Option<Hindrance> {
    let (share, through) = known.waiting.of_function(id, owned).filter(|(share, _)| *share > MOST_IO)?;
    Some(Hindrance::Waits { share, through: named(known.profile, through) })
}

fn named(profile: &Profile, id: FrameId) -> String {
    let Frame { function, file, .. } = profile.frame_of(id);
    if file.is_empty() { function.clone() } else { format!("{function} ({file})") }
}
