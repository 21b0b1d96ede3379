//! The hot functions of the user's own code, and where the rest of the CPU goes. In: a [`Profile`]. Out: a [`Ranking`],
//! whose self shares sum to one.

mod known;
mod observed;
mod ownership;
mod times;
mod waiting;
mod wrapped;

use std::collections::BTreeMap;

use ownership::Ownership;
use tierup_codegen::KnownCost;
use times::Sums;
use times::{Times, WholeProfile, function};
use wrapped::unwrap_first;

use crate::{
    bound::Rewrite,
    profile::{Frame, FrameId, Kind, Profile, StackId, Unit},
    share::Share,
    weights::{Weights, Whole},
};

pub use observed::{CallCost, Observed};

/// Where the CPU went.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The user's own functions, sorted by owned share, except that the first candidate precedes functions that only
    /// wrap it.
    pub functions: Vec<Function>,
    /// Everything else, sorted by self share.
    pub rest: Vec<Rest>,
    /// How much was sampled, without idle time, in [`unit`](Ranking::unit).
    pub sampled: f64,
    pub unit: Unit,
    /// Time in which threads waited.
    pub idle: f64,
    /// The base of the shares, in [`unit`](Ranking::unit).
    pub whole: f64,
    pub of: Whole,
    /// The number of blocks over which the intervals are computed.
    pub blocks: usize,
    pub host: Option<String>,
    /// Those known costs of libraries that are large in this profile, with their shares.
    pub known: Vec<(KnownCost, f64)>,
    /// The cost of a call of Rust, if calls were counted.
    pub call_cost: Option<CallCost>,
    /// See [`Profile::inlined_incomplete`].
    pub inlined_incomplete: bool,
}

/// A function of the user's own code.
#[derive(Debug, Clone)]
pub struct Function {
    pub id: FrameId,
    pub frame: Frame,
    /// The share in which the function itself ran.
    pub itself: Share,
    /// The share in which it was on the stack.
    pub total: Share,
    /// The share in which it was on the stack, or a package ran that only it reaches.
    pub owned: Share,
    /// The packages that only it reaches.
    pub packages: Vec<String>,
    /// Why it cannot be moved as it is, if a reason is known.
    pub hindrance: Option<Hindrance>,
    /// Its observed calls in single requests, if it was watched and called.
    pub observed: Option<Observed>,
    /// The assumed rewrite.
    pub rewrite: Rewrite,
}

/// Why a function is not a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Hindrance {
    /// It reads or writes files or sockets in this part of its time, mostly through this function.
    Io { share: f64, through: String },
    /// It waits for files or sockets in this part of the time that it runs or waits, mostly through this function.
    Waits { share: f64, through: String },
    /// It is the entry point of the program or of a module.
    Entry,
    /// Its arguments or its answer cannot cross to Rust, for these reasons.
    CannotCross(Vec<String>),
    /// It is called so often per request that calls of Rust would cost more CPU than it takes now.
    Crossings { calls: f64 },
}

/// CPU outside the user's own functions.
#[derive(Debug, Clone)]
pub struct Rest {
    pub what: What,
    pub share: Share,
}

/// The owner of CPU outside the user's own functions.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Package(String),
    Kind(Kind),
    /// Work that the kernel counts and the sensor does not sample, with its description.
    Unsampled(String),
    /// CPU that the kernel charged to the processes, but the sensor did not see, such as that of unknown threads.
    Unseen,
}

/// Ranks the functions of a profile.
pub fn rank(profile: &Profile) -> Ranking {
    let weights = Weights::new(profile);
    let ownership = ownership::find(profile, &weights);
    let (own, rest) = summed(profile, &weights, &ownership);
    let waiting = waiting::find(profile, &weights);
    let known = WholeProfile { profile, weights: &weights, ownership: &ownership, waiting: &waiting };
    let mut functions: Vec<Function> = own.into_iter().map(|(id, times)| function(&known, id, &times)).collect();
    functions.sort_by(|one, other| {
        let key = |function: &Function| [function.owned.value, function.total.value, function.itself.value];
        key(other).partial_cmp(&key(one)).unwrap_or(std::cmp::Ordering::Equal)
    });
    unwrap_first(profile, &weights, &mut functions);
    let mut rest: Vec<Rest> =
        rest.into_iter().map(|(what, sums)| Rest { what, share: sums.share(&weights.whole) }).collect();
    rest.sort_by(|one, other| other.share.value.total_cmp(&one.share.value));
    Ranking {
        functions,
        rest,
        sampled: sampled(profile, &weights),
        unit: profile.unit,
        idle: weights.idle,
        whole: weights.whole.iter().sum(),
        of: weights.of,
        blocks: weights.whole.iter().filter(|whole| **whole > 0.0).count(),
        host: profile.host.clone(),
        known: known::costs(profile, &weights),
        call_cost: None,
        inlined_incomplete: profile.inlined_incomplete,
    }
}

/// The times of the user's own functions, and of everything else, summed over all stacks.
fn summed(
    profile: &Profile,
    weights: &Weights,
    ownership: &Ownership,
) -> (BTreeMap<FrameId, Times>, BTreeMap<What, Sums>) {
    let mut own: BTreeMap<FrameId, Times> = BTreeMap::new();
    let mut rest: BTreeMap<What, Sums> = BTreeMap::new();
    let blocks = weights.whole.len();
    let mut counting = Counting::new(profile);
    for (stack, times) in &weights.stacks {
        let frames = profile.root_first(*stack);
        let kind = |id: FrameId| profile.frame_of(id).kind;
        if let Some(leaf) = frames.last() {
            match kind(*leaf) {
                kind if kind.is_own() => own.entry(*leaf).or_insert_with(|| Times::new(blocks)).itself.add(times),
                _ => rest.entry(what(profile.frame_of(*leaf))).or_insert_with(|| Sums::new(blocks)).add(times),
            }
        }
        let mut is_first = counting.on(*stack);
        // Files that the runtime reads for itself do not count as input or output of its callers.
        let until = frames.iter().position(|id| kind(*id) == Kind::Cache).unwrap_or(frames.len());
        let io = frames[..until].iter().rposition(|id| kind(*id) == Kind::Io);
        for (number, id) in frames.iter().enumerate().filter(|(_, id)| kind(**id).is_own()) {
            let found = own.entry(*id).or_insert_with(|| Times::new(blocks));
            // A function that calls itself is on a stack several times, but counts once.
            if !is_first(*id) {
                continue;
            }
            found.total.add(times);
            if let Some(io) = io.filter(|io| *io > number) {
                *found.io.entry(frames[io]).or_default() += times.iter().sum::<f64>();
            }
        }
        for id in ownership.of_lost(profile, &frames) {
            let found = own.entry(id).or_insert_with(|| Times::new(blocks));
            found.lost.add(times);
            // The input or output may be above the package, such as when a socket delivers data to its client library.
            if let Some(io) = io {
                *found.io.entry(frames[io]).or_default() += times.iter().sum::<f64>();
            }
        }
    }
    if weights.unseen.iter().sum::<f64>() > 0.0 {
        rest.entry(What::Unseen).or_insert_with(|| Sums::new(blocks)).add(&weights.unseen);
    }
    (own, rest)
}

/// The time that the sensor has sampled.
fn sampled(profile: &Profile, weights: &Weights) -> f64 {
    let is_sampled = |stack| profile.frame_of(profile.parts(stack).1).kind != Kind::Unsampled;
    weights.stacks.iter().filter(|(stack, _)| is_sampled(*stack)).flat_map(|(_, times)| times).sum()
}

/// If the sensor did not see more than this share, the shares of functions may be too small.
pub(crate) const MUCH_UNSEEN: f64 = 0.1;

impl Ranking {
    /// The functions that could be moved, the hottest first.
    pub fn candidates(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.hindrance.is_none())
    }

    /// The share of code without a name.
    pub fn unnamed(&self) -> f64 {
        let unnamed = self.rest.iter().filter(|rest| rest.what == What::Kind(Kind::Unnamed));
        unnamed.map(|rest| rest.share.value).sum()
    }

    /// The share that the sensor did not see, if it is above [`MUCH_UNSEEN`].
    pub(crate) fn much_unseen(&self) -> Option<f64> {
        let unseen = self.rest.iter().filter(|rest| rest.what == What::Unseen);
        Some(unseen.map(|rest| rest.share.value).sum()).filter(|unseen| *unseen > MUCH_UNSEEN)
    }

    /// Whether a host's rules separated the user's own code from other code.
    pub fn knows_others(&self) -> bool {
        let of_others = |what: &What| matches!(what, What::Package(_) | What::Kind(Kind::Runtime | Kind::Io));
        self.rest.iter().any(|rest| of_others(&rest.what))
    }
}

fn what(frame: &Frame) -> What {
    match frame.kind {
        Kind::Package => What::Package(frame.package.clone()),
        Kind::Cache => What::Kind(Kind::Runtime),
        Kind::Unsampled => What::Unsampled(frame.function.clone()),
        kind => What::Kind(kind),
    }
}

/// The last stack that counted each function.
struct Counting(Vec<usize>);

impl Counting {
    fn new(profile: &Profile) -> Counting {
        Counting(vec![usize::MAX; profile.frame_count()])
    }

    /// Returns a function that tells whether a frame occurs for the first time on this stack. Call this once per stack.
    fn on(&mut self, stack: StackId) -> impl FnMut(FrameId) -> bool {
        move |id| std::mem::replace(&mut self.0[id.index()], stack.index()) != stack.index()
    }
}

#[cfg(test)]
mod tests;
