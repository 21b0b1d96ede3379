//! Self and total share of every function, whoever owns it. In: two profiles in one. Out: the largest shares.

use std::collections::HashMap;

use super::{Wholes, is_shown};
use crate::profile::{FrameId, Profile};

/// The most functions of a table.
const MOST_ROWS: usize = 200;

/// Shares of a function now and before.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct FunctionTotals {
    pub(crate) itself: (f64, f64),
    pub(crate) total: (f64, f64),
}

/// The functions with the largest self share, then total share.
pub(crate) fn functions(both: &Profile, wholes: Wholes) -> Vec<(FrameId, FunctionTotals)> {
    let mut stacks: HashMap<_, (f64, f64)> = HashMap::new();
    for sample in both.samples().iter().filter(|sample| !both.is_idle(sample)) {
        let shares = stacks.entry(sample.stack).or_default();
        match sample.block {
            0 => shares.0 += sample.weight / wholes.now,
            _ => shares.1 += sample.weight / wholes.before,
        }
    }
    let mut found: Vec<FunctionTotals> = vec![FunctionTotals::default(); both.frame_count()];
    // The last stack that counted each function, so that a function that calls itself counts once per stack.
    let mut counted: Vec<usize> = vec![usize::MAX; both.frame_count()];
    let add = |sum: &mut (f64, f64), shares: (f64, f64)| *sum = (sum.0 + shares.0, sum.1 + shares.1);
    let mut ordered: Vec<_> = stacks.into_iter().collect();
    ordered.sort_by_key(|(stack, _)| *stack);
    for (stack, shares) in ordered {
        for (number, id) in both.leaf_first(stack).enumerate() {
            let function = &mut found[id.index()];
            if number == 0 {
                add(&mut function.itself, shares);
            }
            if counted[id.index()] != stack.index() {
                counted[id.index()] = stack.index();
                add(&mut function.total, shares);
            }
        }
    }
    let mut functions: Vec<(FrameId, FunctionTotals)> = both
        .frames()
        .map(|(id, _)| (id, found[id.index()]))
        .filter(|(_, it)| is_shown(it.total, super::LEAST))
        .collect();
    let larger = |pair: (f64, f64)| pair.0.max(pair.1);
    functions.sort_by(|(_, one), (_, other)| {
        let by = |it: &FunctionTotals| (larger(it.itself), larger(it.total));
        by(other).partial_cmp(&by(one)).unwrap_or(std::cmp::Ordering::Equal)
    });
    functions.truncate(MOST_ROWS);
    functions
}
