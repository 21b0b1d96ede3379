//! Restores functions that a compiler has inlined, whose time counts to their callers. In: a profile, and another one
//! of the same server and load in which little was inlined. Out: the first profile, in which inlined functions get the
//! part of their caller's time that they have in the second.

use std::collections::BTreeMap;

use crate::profile::{Frame, FrameId, Kind, Profile, Sample, StackId};

/// A function with this part of its expected time was not inlined; the missing rest is chance.
const SEEN: f64 = 0.8;
/// The most levels of functions that are inlined into inlined ones.
const DEEPEST: usize = 4;

/// The file and name of a function, which identify it in both profiles.
type Key = (String, String);

/// The user's own functions: their self time, and for each caller the time beneath each own function that it calls.
#[derive(Default)]
struct Times {
    itself: BTreeMap<Key, f64>,
    below: BTreeMap<Key, BTreeMap<Key, f64>>,
}

impl Profile {
    /// Gives inlined functions their time, as `named`, a profile in which they were not inlined, shows it.
    pub fn name_inlined(&mut self, named: &Profile) {
        let with_names = Times::new(named);
        let frames: BTreeMap<Key, Frame> =
            named.frames().filter(|(_, frame)| is_own(frame)).map(|(_, frame)| (key(frame), frame.clone())).collect();
        for _ in 0..DEEPEST {
            let moved = Times::new(self).hidden(&with_names);
            if moved.is_empty() {
                return;
            }
            self.give(&moved, &frames);
        }
    }

    /// Moves these parts of callers' self time to the functions that they called.
    fn give(&mut self, moved: &BTreeMap<Key, Vec<(Key, f64)>>, frames: &BTreeMap<Key, Frame>) {
        let mut samples = Vec::new();
        for sample in self.samples().to_vec() {
            let leaf = self.frame_of(self.parts(sample.stack).1);
            let mut rest = sample.weight;
            for (callee, part) in moved.get(&key(leaf)).into_iter().flatten() {
                let frame = self.frame(frames[callee].clone());
                let stack = self.stack(Some(sample.stack), frame);
                samples.push(Sample { stack, weight: sample.weight * part, ..sample });
                rest -= sample.weight * part;
            }
            samples.push(Sample { weight: rest, ..sample });
        }
        self.replace(samples);
    }
}

impl Times {
    fn new(profile: &Profile) -> Times {
        let mut times = Times::default();
        for sample in profile.samples() {
            let own: Vec<Key> = own_frames(profile, sample.stack).map(|id| key(profile.frame_of(id))).collect();
            let Some(leaf) = own.first() else { continue };
            *times.itself.entry(leaf.clone()).or_default() += sample.weight;
            let mut calls: Vec<&[Key]> = own.windows(2).filter(|call| call[0] != call[1]).collect();
            calls.sort_unstable();
            calls.dedup();
            for call in calls {
                *times.below.entry(call[1].clone()).or_default().entry(call[0].clone()).or_default() += sample.weight;
            }
        }
        times
    }

    /// The parts of each function's self time that belong to functions inlined into it, by their time in `named`.
    fn hidden(&self, named: &Times) -> BTreeMap<Key, Vec<(Key, f64)>> {
        let none = BTreeMap::new();
        let mut all = BTreeMap::new();
        for (caller, itself) in &self.itself {
            let (here, there) = (self.below.get(caller).unwrap_or(&none), named.below.get(caller).unwrap_or(&none));
            let whole_there = named.itself.get(caller).copied().unwrap_or(0.0) + there.values().sum::<f64>();
            let whole = itself + here.values().sum::<f64>();
            let lacks = |(callee, time): (&Key, &f64)| {
                let (due, has) = (whole * time / whole_there, here.get(callee).copied().unwrap_or(0.0));
                (has < due * SEEN).then(|| (callee.clone(), due - has))
            };
            let lacking: Vec<(Key, f64)> = there.iter().filter_map(lacks).collect();
            let sum: f64 = lacking.iter().map(|(_, time)| time).sum();
            // A caller cannot give more than it has.
            let most = sum.max(*itself);
            let parts: Vec<_> = lacking.into_iter().map(|(callee, time)| (callee, time / most)).collect();
            if !parts.is_empty() {
                all.insert(caller.clone(), parts);
            }
        }
        all
    }
}

/// The user's own functions at the end of a stack, from the one that ran; empty if other code ran.
fn own_frames(profile: &Profile, stack: StackId) -> impl Iterator<Item = FrameId> {
    profile.leaf_first(stack).take_while(|id| is_own(profile.frame_of(*id)))
}

fn is_own(frame: &Frame) -> bool {
    frame.kind == Kind::Own
}

fn key(frame: &Frame) -> Key {
    (frame.file.clone(), frame.function.clone())
}

#[cfg(test)]
mod tests {
    use crate::{Reading, collapsed, read};

    fn check(stacks: &str, named: &str, expected: &str) {
        let profile = |stacks: &str| read(stacks.as_bytes(), &Reading::default()).unwrap();
        let mut profile_of = profile(stacks);
        profile_of.name_inlined(&profile(named));
        let text = collapsed(&profile_of);
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines.join("\n"), expected);
    }

    #[test]
    fn an_inlined_function_gets_the_part_of_its_named_calls() {
        // In the named profile, `price` has 80 of 100.
        check("handler 100\n", "handler 10\nhandler;price 40\n", "handler 20\nhandler;price 80");
        // `tax` is inlined into `price`, and that into the handler.
        check(
            "handler 100\n",
            "handler 10\nhandler;price 30\nhandler;price;tax 60\n",
            "handler 10\nhandler;price 30\nhandler;price;tax 60",
        );
        // `price` was inlined for a part of the time only.
        check("handler 60\nhandler;price 40\n", "handler 1\nhandler;price 4\n", "handler 20\nhandler;price 80");
    }

    #[test]
    fn functions_that_were_not_inlined_stay_as_they_are() {
        check("handler 25\nhandler;price 75\n", "handler 1\nhandler;price 4\n", "handler 25\nhandler;price 75");
        check("handler 25\n", "other 1\nother;price 4\n", "handler 25");
        check("walk 5\nwalk;walk 5\n", "walk 1\nwalk;walk 5\n", "walk 5\nwalk;walk 5");
        // The caller has no self time to give.
        check("handler;price 5\n", "handler 1\nhandler;price 1\n", "handler;price 5");
    }
}
