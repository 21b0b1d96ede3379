//! A flame graph as data: stacks of all processes and threads merged into one tree, for one profile or for two that are
//! compared. In: profiles. Out: [`Flame`], whose size is bounded.

mod totals;

use serde::Serialize;
use tierup_report::printable;

use crate::profile::{FrameId, Kind, Profile, Sample};
pub(crate) use totals::{FunctionTotals, functions};

/// Stacks with a smaller share than this in both profiles are folded into their callers.
const LEAST: f64 = 0.0005;
/// The most boxes of a graph. If there are more, more stacks are folded.
const MOST_BOXES: usize = 20_000;

/// The tree, as the page's script reads it.
#[derive(Debug, Serialize)]
pub(crate) struct Flame {
    /// The function, its file with line, and the kind of its code.
    frames: Vec<(String, String, KindNumber)>,
    boxes: Vec<FlameBox>,
    /// Whether there is an earlier profile, so that boxes have a share before.
    compared: bool,
    /// Boxes below this share are folded.
    #[serde(skip)]
    pub(crate) least: f64,
}

/// The number of a kind in the page's legend.
type KindNumber = usize;

/// Depth, frame, total share, self share, total share before. Boxes are in depth-first order: a caller before the
/// functions that it calls, and the hottest of these first.
type FlameBox = (usize, usize, f64, f64, f64);

/// The kinds of the legend, in its order.
pub(crate) const KINDS: [Kind; 9] = [
    Kind::Own,
    Kind::Package,
    Kind::Runtime,
    Kind::Io,
    Kind::Collector,
    Kind::Jit,
    Kind::Native,
    Kind::Kernel,
    Kind::Unnamed,
];

/// Two profiles in one: block 0 is now, block 1 before.
pub(crate) fn both(now: &Profile, before: Option<&Profile>) -> Profile {
    let mut both = Profile::default();
    both.append(now, Some(0));
    if let Some(before) = before {
        both.append(before, Some(1));
    }
    both
}

impl Flame {
    /// The graph of the result of [`both`].
    pub(crate) fn new(both: &Profile, compared: bool, wholes: Wholes) -> Flame {
        let tree = Tree::new(both, wholes);
        let mut least = LEAST;
        while tree.total.iter().filter(|shares| is_shown(**shares, least)).count() > MOST_BOXES {
            least *= 1.5;
        }
        let mut frames: Vec<Option<usize>> = vec![None; both.frame_count()];
        let mut shown = Vec::new();
        let mut boxes = Vec::new();
        // Without recursion, as a profiled stack may be deeper than this thread's.
        let mut waiting: Vec<(usize, usize)> = tree.roots.iter().rev().map(|root| (*root, 0)).collect();
        while let Some((node, depth)) = waiting.pop() {
            let total = tree.total[node];
            if !is_shown(total, least) {
                continue;
            }
            let id = tree.frames[node];
            let frame = *frames[id.index()].get_or_insert_with(|| {
                shown.push(described(both, id));
                shown.len() - 1
            });
            boxes.push((depth, frame, short(total.0), short(tree.itself[node]), short(total.1)));
            waiting.extend(tree.called[node].iter().rev().map(|called| (*called, depth + 1)));
        }
        Flame { frames: shown, boxes, compared, least }
    }
}

/// The tree of stacks, with the shares of each.
struct Tree {
    frames: Vec<FrameId>,
    /// Total shares, now and before.
    total: Vec<(f64, f64)>,
    /// Self shares, now.
    itself: Vec<f64>,
    /// The stacks called from each, the hottest first.
    called: Vec<Vec<usize>>,
    roots: Vec<usize>,
}

impl Tree {
    fn new(both: &Profile, wholes: Wholes) -> Tree {
        let count = both.stack_count();
        let mut tree = Tree {
            frames: Vec::with_capacity(count),
            total: vec![(0.0, 0.0); count],
            itself: vec![0.0; count],
            called: vec![Vec::new(); count],
            roots: Vec::new(),
        };
        for sample in both.samples().iter().filter(|sample| !both.is_idle(sample)) {
            let node = sample.stack.index();
            if sample.block == 0 {
                tree.total[node].0 += sample.weight / wholes.now;
                tree.itself[node] += sample.weight / wholes.now;
            } else {
                tree.total[node].1 += sample.weight / wholes.before;
            }
        }
        let parts: Vec<_> = both.all_stacks().collect();
        for (node, (caller, _)) in parts.iter().enumerate().rev() {
            if let Some(caller) = caller {
                let (now, before) = tree.total[node];
                let total = &mut tree.total[caller.index()];
                *total = (total.0 + now, total.1 + before);
            }
        }
        for (node, (caller, frame)) in parts.into_iter().enumerate() {
            tree.frames.push(frame);
            match caller {
                Some(caller) => tree.called[caller.index()].push(node),
                None => tree.roots.push(node),
            }
        }
        let size = |node: &usize| tree.total[*node].0.max(tree.total[*node].1);
        let by_size = |one: &usize, other: &usize| size(other).total_cmp(&size(one));
        tree.called.iter_mut().for_each(|called| called.sort_by(by_size));
        tree.roots.sort_by(by_size);
        tree
    }
}

/// The base of shares, now and before; never 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wholes {
    now: f64,
    before: f64,
}

impl Wholes {
    /// The sampled time, without idle time, of both halves of [`both`].
    pub(crate) fn sampled(both: &Profile) -> Wholes {
        let of = |block: u32| -> f64 {
            let samples =
                both.samples().iter().filter(|sample: &&Sample| sample.block == block && !both.is_idle(sample));
            samples.map(|sample| sample.weight).sum::<f64>().max(f64::MIN_POSITIVE)
        };
        Wholes { now: of(0), before: of(1) }
    }

    /// The base of a ranking's shares, without a profile to compare with.
    pub(crate) fn ranked(whole: f64) -> Wholes {
        Wholes { now: whole.max(f64::MIN_POSITIVE), before: f64::MIN_POSITIVE }
    }
}

fn is_shown(shares: (f64, f64), least: f64) -> bool {
    shares.0 >= least || shares.1 >= least
}

fn described(profile: &Profile, id: FrameId) -> (String, String, KindNumber) {
    let frame = profile.frame_of(id);
    let place = match (frame.file.as_str(), frame.line) {
        ("", _) => String::new(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    };
    let shown = match frame.kind {
        kind if kind.is_own() => Kind::Own,
        Kind::Cache | Kind::Unsampled => Kind::Runtime,
        kind => kind,
    };
    let kind = KINDS.iter().position(|kind| *kind == shown).unwrap_or(KINDS.len() - 1);
    (printable::line(&frame.function), printable::line(&place), kind)
}

/// The sixth digit is less than a pixel on any screen.
fn short(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reading;

    fn profile(text: &str) -> Profile {
        crate::read(text.as_bytes(), &Reading::default()).unwrap()
    }

    #[test]
    fn boxes_are_in_depth_first_order_and_small_ones_are_folded() {
        let now = profile("main;a;b 60\nmain;c 30\nmain 9.99\nmain;tiny 0.01\n");
        let flame = Flame::new(&both(&now, None), false, Wholes::ranked(now.busy()));
        let shown = flame
            .boxes
            .iter()
            .map(|(depth, frame, total, itself, _)| format!("{depth} {} {total} {itself}", flame.frames[*frame].0));
        assert_eq!(shown.collect::<Vec<_>>(), ["0 main 1 0.0999", "1 a 0.6 0", "2 b 0.6 0.6", "1 c 0.3 0.3"]);
    }

    #[test]
    fn two_profiles_are_compared_by_share() {
        let (now, before) = (profile("main;a 1\n"), profile("main;a 30\nmain;gone 70\n"));
        let both = both(&now, Some(&before));
        let flame = Flame::new(&both, true, Wholes::sampled(&both));
        let found: Vec<_> = flame.boxes.iter().map(|it| (flame.frames[it.1].0.as_str(), it.2, it.4)).collect();
        assert_eq!(found, [("main", 1.0, 1.0), ("a", 1.0, 0.3), ("gone", 0.0, 0.7)]);
    }

    #[test]
    fn a_hundred_thousand_stacks_become_a_bounded_graph() {
        let text: String = (0..100_000)
            .map(|number| {
                let frames: Vec<String> =
                    (0..8).map(|depth| format!("f{depth}_{}", number % (10 + 5 * depth * depth * depth))).collect();
                format!("{};leaf{number} 1\n", frames.join(";"))
            })
            .collect();
        let profile = profile(&text);
        assert!(profile.stack_count() > 100_000, "{}", profile.stack_count());
        let flame = Flame::new(&both(&profile, None), false, Wholes::ranked(profile.busy()));
        assert!(!flame.boxes.is_empty() && flame.boxes.len() <= MOST_BOXES, "{}", flame.boxes.len());
        assert!(serde_json::to_string(&flame).unwrap().len() < 4 << 20);
    }
}
