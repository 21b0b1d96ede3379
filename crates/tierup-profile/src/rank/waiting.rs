//! Finds functions that wait for input and output. In: stacks of waiting threads, if the sensor takes them. Out: for
//! each own function, how long it waited, and for what.
//!
//! Waiting takes no CPU and is not in any share. But a function that waits for a service is as unfit to move to Rust as
//! one that spends its time in system calls, and on some runtimes another thread makes these calls for it.

use std::collections::{BTreeMap, HashMap};

use super::Counting;
use crate::{
    profile::{FrameId, Kind, Profile},
    weights::Weights,
};

/// The waits of each function that was on the stack of a waiting thread.
pub(super) struct Waiting(HashMap<FrameId, Waited>);

/// How long one function has waited.
#[derive(Default)]
struct Waited {
    all: f64,
    /// Time of waits for input and output beneath it, by the innermost such frame.
    io: BTreeMap<FrameId, f64>,
}

pub(super) fn find(profile: &Profile, weights: &Weights) -> Waiting {
    let mut functions: HashMap<FrameId, Waited> = HashMap::new();
    let mut counting = Counting::new(profile);
    for (stack, time) in &weights.waiting {
        let frames = profile.root_first(*stack);
        let kind = |id: FrameId| profile.frame_of(id).kind;
        let io = frames.iter().rposition(|id| kind(*id) == Kind::Io);
        let mut is_first = counting.on(*stack);
        for (number, id) in frames.iter().enumerate().filter(|(_, id)| kind(**id).is_own()) {
            if !is_first(*id) {
                continue;
            }
            let waited = functions.entry(*id).or_default();
            waited.all += time;
            if let Some(io) = io.filter(|io| *io > number) {
                *waited.io.entry(frames[io]).or_default() += time;
            }
        }
    }
    Waiting(functions)
}

impl Waiting {
    /// The time in which a function waits for input and output, as a part of its `busy` time and all its waits; and the
    /// frame in which it mostly waits.
    pub(super) fn of_function(&self, function: FrameId, busy: f64) -> Option<(f64, FrameId)> {
        let waited = self.0.get(&function)?;
        let (through, _) = waited.io.iter().max_by(|one, other| one.1.total_cmp(other.1))?;
        Some((waited.io.values().sum::<f64>() / (busy + waited.all), *through))
    }
}
