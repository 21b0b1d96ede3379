//! Finds the packages that only one of the user's functions reaches. In: a profile. Out: the packages of each function,
//! and for a stack that has lost its caller, the functions that own it.
//!
//! The continuation of an asynchronous call runs on a stack without its caller, which has only packages. It counts to a
//! function if that function is on every stack that shows one of the user's functions above the package. A framework is
//! different: it calls the user's code, so no function owns it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Counting;
use crate::{
    profile::{FrameId, Kind, Profile},
    weights::Weights,
};

/// The part of the stacks with own functions above a package that must include its owner. The rest is the loading of
/// modules, whose top-level code reaches every package once.
const NEARLY_ALL: f64 = 0.95;
/// For each own function on a stack, only this many distinct own functions above it, the innermost, count as its
/// callers.
const MOST_CALLERS: usize = 64;

/// The owners of each package.
pub(super) struct Ownership {
    by_package: HashMap<String, BTreeSet<FrameId>>,
}

/// The own functions that occur on stacks above and below one package.
#[derive(Default)]
struct Callers {
    /// Time in which any own function is above the package.
    reached: f64,
    /// Time in which each own function is above the package.
    by: HashMap<FrameId, f64>,
    /// The own functions that the package calls.
    calls: HashSet<FrameId>,
}

pub(super) fn find(profile: &Profile, weights: &Weights) -> Ownership {
    let mut packages: HashMap<&str, Callers> = HashMap::new();
    let mut callers: HashMap<FrameId, HashSet<FrameId>> = HashMap::new();
    let mut counting = Counting::new(profile);
    for (stack, times) in &weights.stacks {
        let time: f64 = times.iter().sum();
        let frames = profile.root_first(*stack);
        let mut is_first = counting.on(*stack);
        let mut above: Vec<FrameId> = Vec::new();
        let mut entered: BTreeMap<&str, usize> = BTreeMap::new();
        for id in frames {
            let frame = profile.frame_of(id);
            match frame.kind {
                kind if kind.is_own() && is_first(id) => {
                    let outer = &above[above.len().saturating_sub(MOST_CALLERS)..];
                    callers.entry(id).or_default().extend(outer);
                    above.push(id);
                }
                Kind::Package => {
                    entered.entry(&frame.package).or_insert(above.len());
                }
                _ => {}
            }
        }
        for (package, count) in entered {
            let seen = packages.entry(package).or_default();
            seen.calls.extend(&above[count..]);
            if count > 0 {
                seen.reached += time;
            }
            for function in &above[..count] {
                *seen.by.entry(*function).or_default() += time;
            }
        }
    }
    let owns = |seen: &Callers, function: FrameId, time: f64| {
        let calls_its_caller =
            callers.get(&function).is_some_and(|callers| callers.iter().any(|caller| seen.calls.contains(caller)));
        time >= NEARLY_ALL * seen.reached && !seen.calls.contains(&function) && !calls_its_caller
    };
    let by_package: HashMap<&str, BTreeSet<FrameId>> = packages
        .iter()
        .map(|(package, seen)| {
            let owners = seen.by.iter().filter(|(function, time)| owns(seen, **function, **time));
            (*package, owners.map(|(function, _)| *function).collect())
        })
        .collect();
    let foreign = foreign(profile, weights, &packages, &by_package);
    let still_owns = |package: &str, function: FrameId| {
        let seen = &packages[package];
        let foreign = foreign.get(&(package, function)).copied().unwrap_or(0.0);
        seen.by[&function] >= NEARLY_ALL * (seen.reached + foreign)
    };
    let by_package = by_package.iter().map(|(package, owners)| {
        let owners = owners.iter().copied().filter(|function| still_owns(package, *function));
        ((*package).to_owned(), owners.collect())
    });
    Ownership { by_package: by_package.collect() }
}

/// Time in which an owned package is reached from elsewhere, on a stack without own functions above it: below a package
/// that has other owners, or that calls the user's code, as a framework does for its middleware.
fn foreign<'a>(
    profile: &'a Profile,
    weights: &Weights,
    packages: &HashMap<&'a str, Callers>,
    by_package: &HashMap<&'a str, BTreeSet<FrameId>>,
) -> HashMap<(&'a str, FrameId), f64> {
    let mut foreign: HashMap<(&str, FrameId), f64> = HashMap::new();
    let is_known = |package: &str| {
        let seen = &packages[package];
        seen.reached > 0.0 || !seen.calls.is_empty()
    };
    for (stack, times) in &weights.stacks {
        let mut outer: Vec<&str> = Vec::new();
        let frames = profile.root_first(*stack).into_iter().map(|id| profile.frame_of(id));
        for frame in frames.take_while(|frame| !frame.kind.is_own()).filter(|frame| frame.kind == Kind::Package) {
            let package = frame.package.as_str();
            if outer.contains(&package) {
                continue;
            }
            let comes_from = |function: &&FrameId| outer.iter().any(|outer| by_package[outer].contains(*function));
            if outer.iter().any(|outer| is_known(outer)) {
                for function in by_package[package].iter().filter(|function| !comes_from(function)) {
                    *foreign.entry((package, *function)).or_default() += times.iter().sum::<f64>();
                }
            }
            outer.push(package);
        }
    }
    foreign
}

impl Ownership {
    /// The packages that only this function reaches.
    pub(super) fn packages(&self, function: FrameId) -> Vec<String> {
        let owned = self.by_package.iter().filter(|(_, owners)| owners.contains(&function));
        let mut names: Vec<String> = owned.map(|(package, _)| package.clone()).collect();
        names.sort();
        names
    }

    /// The functions that own a stack without own functions.
    pub(super) fn of_lost(&self, profile: &Profile, frames: &[FrameId]) -> BTreeSet<FrameId> {
        let frames = || frames.iter().map(|id| profile.frame_of(*id));
        if frames().any(|frame| frame.kind.is_own()) {
            return BTreeSet::new();
        }
        let packages = frames().filter(|frame| frame.kind == Kind::Package);
        packages.filter_map(|frame| self.by_package.get(&frame.package)).flatten().copied().collect()
    }
}
