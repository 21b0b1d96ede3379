//! Finds known costs of libraries. In: a profile, with the costs to look for. Out: the large ones, with their shares.

use tierup_codegen::KnownCost;

use crate::{naming::fits, profile::Profile, weights::Weights};

/// A cost below this is not worth a remark.
const LEAST: f64 = 0.03;

pub(super) fn costs(profile: &Profile, weights: &Weights) -> Vec<(KnownCost, f64)> {
    let whole: f64 = weights.whole.iter().sum();
    let share = |cost: &KnownCost| {
        let is_it: Vec<bool> = profile.frames().map(|(_, frame)| fits(cost.function, &frame.function)).collect();
        let with = weights.stacks.iter().filter(|(stack, _)| profile.leaf_first(*stack).any(|id| is_it[id.index()]));
        with.flat_map(|(_, times)| times).sum::<f64>() / whole
    };
    let all = profile.known_costs.iter().map(|cost| (*cost, share(cost)));
    let mut large: Vec<_> = all.filter(|(_, share)| *share >= LEAST).collect();
    large.sort_by(|one, other| other.1.total_cmp(&one.1));
    large
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Pattern;

    use crate::{Reading, rank, read};

    use super::*;

    const COSTS: &[KnownCost] = &[
        KnownCost { function: Pattern::Contains("SetPrototype"), what: "prototypes change", source: "link" },
        KnownCost { function: Pattern::Is("rare"), what: "rare", source: "link" },
    ];

    #[test]
    fn a_large_cost_is_named_with_what_it_calls() {
        let text = b"main;SetPrototypeOf;copy 30\nmain;SetPrototypeOf 10\nmain;rare 1\nmain 59\n";
        let mut profile = read(text, &Reading::default()).unwrap();
        profile.known_costs = COSTS;
        assert_eq!(rank(&profile).known, [(COSTS[0], 0.4)]);
    }
}
