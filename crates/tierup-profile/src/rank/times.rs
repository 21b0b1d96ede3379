//! The time of one function of the user's own code. In: what was added for each stack. Out: the [`Function`] with its shares, and
//! why it is no candidate where its time says so.

use std::collections::BTreeMap;

use super::{Function, Hindrance, ownership::Ownership, sums::Sums};
use crate::{
    bound::Rewrite,
    profile::{Frame, FrameId, Kind, Profile},
    weights::Weights,
};

/// A function that spends more than this part of its time in input and output is no candidate.
const MOST_IO: f64 = 0.02;

/// Time of one function.
pub(super) struct Times {
    pub(super) itself: Sums,
    pub(super) total: Sums,
    /// In packages that only it reaches, on stacks that have lost it.
    pub(super) lost: Sums,
    /// In input and output beneath it, by the innermost such frame.
    pub(super) io: BTreeMap<FrameId, f64>,
}

impl Times {
    pub(super) fn new(blocks: usize) -> Times {
        let none = || Sums::new(blocks);
        Times { itself: none(), total: none(), lost: none(), io: BTreeMap::new() }
    }
}

/// The function with its shares.
pub(super) fn function(
    profile: &Profile,
    id: FrameId,
    times: &Times,
    weights: &Weights,
    ownership: &Ownership,
) -> Function {
    let mut owned = times.total.clone();
    owned.add(times.lost.blocks());
    let frame = profile.frame_of(id);
    let hindrance = if frame.kind == Kind::Entry { Some(Hindrance::Entry) } else { io(profile, times, owned.sum()) };
    Function {
        id,
        frame: frame.clone(),
        itself: times.itself.share(&weights.whole),
        total: times.total.share(&weights.whole),
        owned: owned.share(&weights.whole),
        packages: ownership.packages(id),
        hindrance,
        observed: None,
        rewrite: Rewrite::default(),
    }
}

/// Input and output beneath a function, where it is more than a little.
fn io(profile: &Profile, times: &Times, owned: f64) -> Option<Hindrance> {
    let share = times.io.values().sum::<f64>() / owned;
    let (through, _) = times.io.iter().max_by(|one, other| one.1.total_cmp(other.1)).filter(|_| share > MOST_IO)?;
    let Frame { function, file, .. } = profile.frame_of(*through);
    let place = if file.is_empty() { String::new() } else { format!(" ({file})") };
    Some(Hindrance::Io { share, through: format!("{function}{place}") })
}
