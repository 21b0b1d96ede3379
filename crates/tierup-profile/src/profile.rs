//! A profile in memory: frames and stacks, each kept once, and samples that refer to them. In: a reader's samples, or other
//! profiles. Out: the same, merged over files, processes and blocks.
//!
//! Stacks are a tree: a stack is its caller's stack and one more frame. Samples of one stack in the same block, process and
//! thread are merged. So the memory grows with the number of distinct stacks, not with the number of samples.

use std::collections::HashMap;

pub use tierup_codegen::FrameKind as Kind;
use tierup_codegen::KnownCost;

/// A function on a stack. Two frames are the same function if everything but the line is equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The name that the host uses, cut as in [`Naming`](crate::Naming).
    pub function: String,
    /// The source file; empty if unknown.
    pub file: String,
    /// A line of the function, from 1; its first line if the sensor reports that. 0 if unknown.
    pub line: u32,
    /// The function's package; empty unless the kind is [`Kind::Package`].
    pub package: String,
    pub kind: Kind,
}

/// A [`Frame`] of one profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(u32);

/// A stack of one profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StackId(u32);

/// Time that was spent on a stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub stack: StackId,
    /// In the profile's [`Unit`].
    pub weight: f64,
    /// The block, from 0. Intervals are computed over blocks.
    pub block: u32,
    /// 0 if unknown.
    pub process: u32,
    /// 0 if unknown.
    pub thread: u64,
}

/// The unit of weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    #[default]
    Seconds,
    /// Counts of samples, each of which stands for an unknown time.
    Samples,
}

/// More than any profile has, in either unit: all sums of such weights are finite.
const MOST_WEIGHT: f64 = 1e20;

/// The stack of a sample, its block, process and thread.
type Origin = (StackId, u32, u32, u64);

/// Samples with their stacks.
#[derive(Debug, Clone, Default)]
pub struct Profile {
    frames: Vec<Frame>,
    frame_ids: HashMap<(String, String, String, Kind), FrameId>,
    /// Caller's stack and frame of each stack.
    stacks: Vec<(Option<StackId>, FrameId)>,
    stack_ids: HashMap<(Option<StackId>, FrameId), StackId>,
    samples: Vec<Sample>,
    /// The place of each sample.
    sample_ids: HashMap<Origin, u32>,
    /// Seconds of CPU of the whole process tree in each block, if known.
    cpu: Vec<Option<f64>>,
    pub unit: Unit,
    /// The host's name, e.g. `node`, where it is known.
    pub host: Option<String>,
    /// The host's known costs, to look for.
    pub known_costs: &'static [KnownCost],
    /// Whether some functions that V8 has inlined count to their callers, because the sensor had no time to find them.
    pub inlined_incomplete: bool,
}

impl Profile {
    /// A profile without samples.
    pub fn in_unit(unit: Unit) -> Profile {
        Profile { unit, ..Profile::default() }
    }

    /// The frame of this function, which is added if it is new.
    pub fn frame(&mut self, frame: Frame) -> FrameId {
        let key = (frame.function.clone(), frame.file.clone(), frame.package.clone(), frame.kind);
        if let Some(id) = self.frame_ids.get(&key) {
            let known = &mut self.frames[id.0 as usize].line;
            if frame.line > 0 && (*known == 0 || frame.line < *known) {
                *known = frame.line;
            }
            return *id;
        }
        let id = FrameId(self.frames.len() as u32);
        self.frames.push(frame);
        self.frame_ids.insert(key, id);
        id
    }

    /// The stack for work that is not sampled.
    pub fn unsampled(&mut self, what: &str) -> StackId {
        let (file, package, line) = (String::new(), String::new(), 0);
        let frame = self.frame(Frame { function: what.to_owned(), file, line, package, kind: Kind::Unsampled });
        self.stack(None, frame)
    }

    /// The stack in which `caller` called `frame`; without a caller, the stack of this frame alone.
    pub fn stack(&mut self, caller: Option<StackId>, frame: FrameId) -> StackId {
        let next = StackId(self.stacks.len() as u32);
        let id = *self.stack_ids.entry((caller, frame)).or_insert(next);
        if id == next {
            self.stacks.push((caller, frame));
        }
        id
    }

    /// Adds time to a stack. Ignores weights that are not above 0, and those that no profile can have.
    pub fn add(&mut self, sample: Sample) {
        if !(sample.weight > 0.0 && sample.weight <= MOST_WEIGHT) {
            return;
        }
        let next = self.samples.len() as u32;
        let origin = (sample.stack, sample.block, sample.process, sample.thread);
        let place = *self.sample_ids.entry(origin).or_insert(next);
        if place == next {
            self.samples.push(sample);
        } else {
            self.samples[place as usize].weight += sample.weight;
        }
    }

    /// Replaces all samples.
    pub(crate) fn replace(&mut self, samples: impl IntoIterator<Item = Sample>) {
        self.samples = Vec::new();
        self.sample_ids = HashMap::new();
        samples.into_iter().for_each(|sample| self.add(sample));
    }

    /// Adds the profile of another process, or of another block if `block` is given. A profile without samples takes
    /// the unit and the host of the first one added.
    pub fn append(&mut self, other: &Profile, block: Option<u32>) {
        if self.samples.is_empty() {
            self.unit = other.unit;
        }
        if self.host.is_none() {
            self.host.clone_from(&other.host);
        }
        self.inlined_incomplete |= other.inlined_incomplete;
        let frames: Vec<FrameId> = other.frames.iter().map(|frame| self.frame(frame.clone())).collect();
        let mut stacks: Vec<StackId> = Vec::with_capacity(other.stacks.len());
        // A caller's stack always comes before the stacks that it called.
        for (caller, frame) in &other.stacks {
            let caller = caller.map(|caller| stacks[caller.0 as usize]);
            let id = self.stack(caller, frames[frame.0 as usize]);
            stacks.push(id);
        }
        for sample in &other.samples {
            let stack = stacks[sample.stack.0 as usize];
            self.add(Sample { stack, block: block.unwrap_or(sample.block), ..*sample });
        }
        for (number, seconds) in other.cpu.iter().enumerate() {
            if let Some(seconds) = seconds {
                let block = block.unwrap_or(number as u32);
                self.set_cpu(block, self.cpu_of(block).unwrap_or(0.0) + seconds);
            }
        }
    }

    /// The sum of all samples but those of idle time.
    pub fn busy(&self) -> f64 {
        self.samples.iter().filter(|sample| !self.is_idle(sample)).map(|sample| sample.weight).sum()
    }

    /// Multiplies the time of all samples that are not idle, for a sensor that counts by the wall clock while the CPU
    /// time is known.
    pub fn scale_busy(&mut self, factor: f64) {
        let idle: Vec<bool> = self.samples.iter().map(|sample| self.is_idle(sample)).collect();
        for (sample, _) in self.samples.iter_mut().zip(idle).filter(|(_, idle)| !idle) {
            sample.weight *= factor;
        }
    }

    /// Moves samples with a frame whose file is below `folder`, which are the sensor's own work, to `stack`.
    pub fn set_apart_below(&mut self, folder: &str, stack: StackId) {
        let is_below = |frame: &Frame| {
            frame.file.strip_prefix(folder).is_some_and(|rest| folder.ends_with('/') || rest.starts_with('/'))
        };
        let below: Vec<bool> = self.frames.iter().map(is_below).collect();
        // A caller's stack always comes before the stacks that it called.
        let mut moved: Vec<bool> = Vec::with_capacity(self.stacks.len());
        for (caller, frame) in &self.stacks {
            moved.push(below[frame.index()] || caller.is_some_and(|caller| moved[caller.index()]));
        }
        let samples = std::mem::take(&mut self.samples);
        let of = |sample: Sample| if moved[sample.stack.index()] { Sample { stack, ..sample } } else { sample };
        self.replace(samples.into_iter().map(of));
    }

    /// Sets the process and thread of all samples.
    pub fn set_origin(&mut self, process: u32, thread: u64) {
        let samples = std::mem::take(&mut self.samples);
        self.replace(samples.into_iter().map(|sample| Sample { process, thread, ..sample }));
    }

    /// Sets the seconds of CPU that all processes of the server took in a block.
    pub fn set_cpu(&mut self, block: u32, seconds: f64) {
        let block = block as usize;
        if self.cpu.len() <= block {
            self.cpu.resize(block + 1, None);
        }
        self.cpu[block] = Some(seconds);
    }

    /// Sets the same for all blocks together, and divides it in proportion to the time sampled in each.
    pub fn set_whole_cpu(&mut self, seconds: f64) {
        let mut sampled = vec![0.0; self.blocks() as usize];
        for sample in self.samples.iter().filter(|sample| !self.is_idle(sample)) {
            sampled[sample.block as usize] += sample.weight;
        }
        let all: f64 = sampled.iter().sum();
        for (block, part) in sampled.into_iter().enumerate().filter(|_| all > 0.0) {
            self.set_cpu(block as u32, seconds * part / all);
        }
    }

    /// Seconds of CPU of the process tree in a block, if they are known.
    pub fn cpu_of(&self, block: u32) -> Option<f64> {
        self.cpu.get(block as usize).copied().flatten()
    }

    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    pub fn frames(&self) -> impl Iterator<Item = (FrameId, &Frame)> {
        self.frames.iter().enumerate().map(|(number, frame)| (FrameId(number as u32), frame))
    }

    /// The number of distinct frames.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// The number of distinct stacks, callers' included.
    pub fn stack_count(&self) -> usize {
        self.stacks.len()
    }

    pub fn frame_of(&self, id: FrameId) -> &Frame {
        &self.frames[id.index()]
    }

    /// The frames of a stack, from the function that ran to the root.
    pub fn leaf_first(&self, stack: StackId) -> impl Iterator<Item = FrameId> {
        let mut next = Some(stack);
        std::iter::from_fn(move || {
            let (caller, frame) = self.stacks[next?.index()];
            next = caller;
            Some(frame)
        })
    }

    /// The frames of a stack, from the root.
    pub fn root_first(&self, stack: StackId) -> Vec<FrameId> {
        let mut frames: Vec<FrameId> = self.leaf_first(stack).collect();
        frames.reverse();
        frames
    }

    /// The stack of the caller, and the frame that was called.
    pub fn parts(&self, stack: StackId) -> (Option<StackId>, FrameId) {
        self.stacks[stack.index()]
    }

    /// The [`parts`](Self::parts) of all stacks, in the order of [`StackId::index`].
    pub fn all_stacks(&self) -> impl Iterator<Item = (Option<StackId>, FrameId)> {
        self.stacks.iter().copied()
    }

    /// How many blocks there are, at least 1.
    pub fn blocks(&self) -> u32 {
        let sampled = self.samples.iter().map(|sample| sample.block + 1).max().unwrap_or(1);
        sampled.max(self.cpu.len() as u32)
    }

    /// Whether the sample is time in which a thread waited.
    pub fn is_idle(&self, sample: &Sample) -> bool {
        self.frame_of(self.parts(sample.stack).1).kind == Kind::Idle
    }
}

impl FrameId {
    /// Its place in [`Profile::frames`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl StackId {
    /// Its number, below [`Profile::stack_count`]. A caller's stack has a lower number than the stacks that it called.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, line: u32) -> Frame {
        Frame { function: function.into(), file: "a.js".into(), line, package: String::new(), kind: Kind::Own }
    }

    #[test]
    fn frames_and_stacks_are_kept_once_and_profiles_merge() {
        let mut one = Profile::default();
        let (a, b) = (one.frame(frame("a", 7)), one.frame(frame("b", 0)));
        assert_eq!(one.frame(frame("a", 3)), a);
        assert_eq!(one.frame_of(a).line, 3);
        let root = one.stack(None, a);
        let leaf = one.stack(Some(root), b);
        assert_eq!(one.stack(Some(root), b), leaf);
        one.add(Sample { stack: leaf, weight: 2.0, block: 0, process: 1, thread: 0 });
        // Two weights of `f64::MAX` have no finite sum.
        for weight in [f64::NAN, f64::MAX, f64::MAX] {
            one.add(Sample { stack: leaf, weight, block: 0, process: 1, thread: 0 });
        }
        one.set_cpu(0, 3.0);

        let mut both = Profile::default();
        both.append(&one, Some(0));
        both.append(&one, Some(1));
        both.append(&one, Some(1));
        assert_eq!((both.frame_count(), both.stack_count(), both.samples().len(), both.blocks()), (2, 2, 2, 2));
        assert_eq!((both.cpu_of(0), both.cpu_of(1), both.cpu_of(2)), (Some(3.0), Some(6.0), None));
        assert_eq!(both.samples().iter().map(|sample| sample.weight).collect::<Vec<_>>(), [2.0, 4.0]);
        let functions =
            |ids: Vec<FrameId>| ids.iter().map(|id| both.frame_of(*id).function.clone()).collect::<String>();
        assert_eq!(functions(both.root_first(both.samples()[0].stack)), "ab");
    }

    #[test]
    fn functions_of_a_folder_are_set_apart_with_their_callees() {
        let mut profile = Profile::default();
        let of = |file: &str, function: &str| Frame { file: file.into(), ..frame(function, 1) };
        let frames = [of("/tmp/x/preload.cjs", "start"), of("/tmp/xy/a.js", "a"), of("node:fs", "read")];
        let [start, a, read] = frames.map(|frame| profile.frame(frame));
        for (caller, leaf) in [(None, start), (Some(start), read), (Some(a), read), (None, a)] {
            let caller = caller.map(|frame| profile.stack(None, frame));
            let stack = profile.stack(caller, leaf);
            profile.add(Sample { stack, weight: 1.0, block: 0, process: 0, thread: 0 });
        }
        let apart = profile.unsampled("the profiler itself");
        profile.set_apart_below("/tmp/x", apart);
        let left = profile.samples().iter().map(|sample| (profile.root_first(sample.stack), sample.weight));
        let itself = profile.parts(apart).1;
        assert_eq!(left.collect::<Vec<_>>(), [(vec![itself], 2.0), (vec![a, read], 1.0), (vec![a], 1.0)]);
    }

    #[test]
    fn busy_time_is_scaled_and_idle_time_is_not() {
        let mut profile = Profile::default();
        let busy = profile.frame(frame("a", 1));
        let idle = profile.frame(Frame { kind: Kind::Idle, ..frame("(idle)", 0) });
        for (frame, weight) in [(busy, 3.0), (busy, 1.0), (idle, 6.0)] {
            let stack = profile.stack(None, frame);
            profile.add(Sample { stack, weight, block: 0, process: 0, thread: 0 });
        }
        profile.scale_busy(0.5);
        profile.set_origin(7, 2);
        assert_eq!(profile.busy(), 2.0);
        let samples = profile.samples().iter();
        let all: Vec<_> = samples.map(|sample| (sample.weight, sample.process, sample.thread)).collect();
        assert_eq!(all, [(2.0, 7, 2), (6.0, 7, 2)]);
    }
}
