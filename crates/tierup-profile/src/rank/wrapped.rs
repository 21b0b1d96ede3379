//! Finds handlers that do little except call the hot function. In: a profile and its ranked functions. Out: their
//! order.

use std::collections::BTreeMap;

use super::{Counting, Function};
use crate::{
    profile::{FrameId, Profile},
    weights::Weights,
};

/// If a function has this part of its caller's owned share, the caller only wraps it.
const ALL: f64 = 0.9;

/// If the first candidate only wraps other functions, moves the innermost of them to its front: a handler that does
/// little except call the hot function is not worth a rewrite.
pub(super) fn unwrap_first(profile: &Profile, weights: &Weights, functions: &mut [Function]) {
    let is_candidate = |function: &Function| function.hindrance.is_none();
    let Some(first) = functions.iter().position(is_candidate) else { return };
    let outer = &functions[first];
    let mut beneath: BTreeMap<FrameId, Beneath> = BTreeMap::new();
    let whole: f64 = weights.whole.iter().sum();
    let mut counting = Counting::new(profile);
    for (stack, times) in &weights.stacks {
        let frames = profile.root_first(*stack);
        let mut is_first = counting.on(*stack);
        let mut place = None;
        for (number, id) in frames.iter().enumerate().filter(|(_, id)| is_first(**id)) {
            let Some(place) = place else {
                place = (*id == outer.id).then_some(number);
                continue;
            };
            let share = times.iter().sum::<f64>() / whole;
            let beneath = beneath.entry(*id).or_default();
            beneath.share += share;
            beneath.depth += share * (number - place) as f64;
        }
    }
    let wrapped = functions.iter().enumerate().skip(first + 1).filter_map(|(place, inner)| {
        let beneath = beneath.get(&inner.id)?;
        let is_all = inner.owned.value >= ALL * outer.owned.value && beneath.share >= ALL * inner.total.value;
        (is_candidate(inner) && is_all).then_some((place, beneath.depth / beneath.share))
    });
    if let Some((innermost, _)) = wrapped.max_by(|one, other| one.1.total_cmp(&other.1)) {
        functions[first..=innermost].rotate_right(1);
    }
}

/// The share of everything in which a function is beneath another, and the sum of share times depth.
#[derive(Debug, Clone, Copy, Default)]
struct Beneath {
    share: f64,
    depth: f64,
}
