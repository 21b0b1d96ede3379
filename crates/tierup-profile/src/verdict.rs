//! Decides from the profile alone whether a rewrite is worth it. In: a [`Ranking`]. Out: a [`Verdict`], and its
//! sentences.

use tierup_report::printable;

use crate::{
    bound::Bound,
    profile::Kind,
    rank::{Function, Hindrance, Ranking, What},
    share::Share,
    words,
};

/// A function with less of the CPU is not named as a candidate.
pub(crate) const LEAST: f64 = 0.001;
/// A part of a function with a smaller share is not worth a function of its own.
const LEAST_PART: f64 = 0.05;
/// A bound below this is written as `1.0x`.
const LEAST_GAIN: f64 = 1.05;
/// A bound whose interval reaches this may be worth a closer look.
const LEAST_HIGH: f64 = 1.1;
/// How many other owners are named if the user's functions are not the main cost.
const NAMED: usize = 3;

/// The conclusion of a profile.
#[derive(Debug, Clone, Copy)]
pub enum Verdict<'a> {
    /// The first candidate, and its bound.
    Candidate(&'a Function, Bound),
    /// The best candidate, whose bound is about 1.0x.
    NothingIsWorthIt(&'a Function, Bound),
    /// None of the user's functions can move as it is.
    NoCandidate,
}

impl Ranking {
    /// The verdict.
    pub fn verdict(&self) -> Verdict<'_> {
        let Some(first) = self.candidates().next().filter(|function| function.owned.value >= LEAST) else {
            return Verdict::NoCandidate;
        };
        let bound = Bound::new(first.owned, first.rewrite);
        let high = bound.interval.map_or(bound.value, |(_, high)| high);
        if bound.value < LEAST_GAIN && high < LEAST_HIGH {
            Verdict::NothingIsWorthIt(first, bound)
        } else {
            Verdict::Candidate(first, bound)
        }
    }

    /// ` With all that was not seen, it would be about 2.0x.`: the profile cannot tell whose work the unseen CPU was.
    /// Empty if little was unseen.
    fn with_unseen(&self, function: &Function) -> String {
        let Some(unseen) = self.much_unseen() else { return String::new() };
        let all = Share { value: (function.owned.value + unseen).min(1.0), interval: None };
        format!(" With all that was not seen, it would be {}.", Bound::new(all, function.rewrite).size())
    }

    /// A function that cannot move as it is may have a part that can: its own code, if its self share is above
    /// `more_than`.
    fn divisible(&self, more_than: f64) -> Option<String> {
        let has_own = |function: &&Function| {
            let could_be_divided = matches!(
                function.hindrance,
                Some(Hindrance::Io { .. } | Hindrance::Waits { .. } | Hindrance::CannotCross(_))
            );
            could_be_divided && function.itself.value > more_than.max(LEAST_PART)
        };
        let largest = |one: &&Function, other: &&Function| one.itself.value.total_cmp(&other.itself.value);
        let function = self.functions.iter().filter(has_own).max_by(largest)?;
        let (name, place) = words::named(&function.frame);
        let place = if place.is_empty() { place } else { format!(" ({place})") };
        let share = words::percent(function.itself.value);
        Some(format!(
            "{name}{place} cannot move as it is, but {share} of the CPU is its own code: put that into a function of its own, \
             and profile again."
        ))
    }

    /// `package undici 34.0 %, input and output 22.1 %, …`: the largest rows outside the user's own functions.
    fn others(&self) -> String {
        let is_named = |what: &What| !matches!(what, What::Unseen | What::Kind(Kind::Unnamed));
        let rows = self.rest.iter().filter(|rest| is_named(&rest.what) && rest.share.value >= LEAST).take(NAMED);
        rows.map(|rest| format!("{} {}", words::whose(&rest.what), words::percent(rest.share.value)))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

impl Verdict<'_> {
    /// The verdict's name in JSON.
    pub(crate) fn kind(&self, ranking: &Ranking) -> &'static str {
        match self {
            Verdict::Candidate(..) => "candidate",
            Verdict::NothingIsWorthIt(..) if ranking.much_unseen().is_some() => {
                "nothing that was seen is worth a rewrite"
            }
            Verdict::NothingIsWorthIt(..) => "nothing is worth a rewrite",
            Verdict::NoCandidate => "no candidate",
        }
    }

    /// The verdict in sentences, the most important first.
    pub(crate) fn text(&self, ranking: &Ranking) -> Vec<String> {
        let others = match ranking.others() {
            none if none.is_empty() => None,
            others => Some(format!("The CPU outside your functions: {others}.")),
        };
        match self {
            Verdict::NoCandidate => {
                let none = "No function of yours could move to Rust as it is.".to_owned();
                std::iter::once(none).chain(ranking.divisible(0.0)).chain(others).collect()
            }
            Verdict::NothingIsWorthIt(best, bound) => {
                let (name, _) = words::named(&best.frame);
                let which = if ranking.much_unseen().is_some() { "that was seen" } else { "here" };
                let nothing = format!(
                    "Nothing {which} is worth a rewrite: the best candidate, {name}, could buy {}.",
                    bound.short()
                );
                std::iter::once(nothing + &ranking.with_unseen(best)).chain(others).collect()
            }
            Verdict::Candidate(first, bound) => {
                let (name, _) = words::named(&first.frame);
                let mut text = format!("{name} is the first candidate: {}.", bound.text());
                text += &ranking.with_unseen(first);
                if !first.packages.is_empty() {
                    let names: Vec<String> = first.packages.iter().map(|name| printable::line(name)).collect();
                    text += &format!(" Owned share: with {}, which only it reaches.", names.join(", "));
                }
                if first.frame.function.starts_with('(') {
                    text += " Give it a name, so that `tierup init --function` can take it.";
                }
                let measure = "A profile cannot tell what a rewrite buys: measure it with `tierup ceiling`.".to_owned();
                std::iter::once(text).chain(ranking.divisible(first.owned.value)).chain([measure]).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Profile, Reading, rank};

    fn verdict(stacks: &str) -> (&'static str, String) {
        let profile: Profile = crate::read(stacks.as_bytes(), &Reading::default()).unwrap();
        let ranking = rank(&profile);
        let verdict = ranking.verdict();
        (verdict.kind(&ranking), verdict.text(&ranking).remove(0))
    }

    #[test]
    fn a_bound_of_one_is_not_a_reason_to_rewrite() {
        let (kind, text) = verdict("sum 4\ntcp_sendmsg_[k] 96\n");
        assert_eq!(kind, "nothing is worth a rewrite");
        assert!(text.ends_with("the best candidate, sum, could buy about 1.0x by its own time."), "{text}");
        assert_eq!(verdict("sum 30\ntcp_sendmsg_[k] 70\n").0, "candidate");
        assert_eq!(verdict("tcp_sendmsg_[k] 96\n").0, "no candidate");
    }

    /// For example, the server runs native code that its sensor cannot see.
    #[test]
    fn a_bound_is_only_a_lower_one_if_much_was_not_seen() {
        let of = |stacks: &str, cpu: f64| {
            let reading = Reading { seconds_per_sample: Some(0.01), ..Reading::default() };
            let mut profile = crate::read(stacks.as_bytes(), &reading).unwrap();
            profile.set_whole_cpu(cpu);
            let ranking = rank(&profile);
            let verdict = ranking.verdict();
            (verdict.kind(&ranking), verdict.text(&ranking).remove(0))
        };
        // Calculated by hand: 1 / (1 - (0.02 + 0.5)) and 1 / (1 - (0.3 + 0.5)).
        let (kind, text) = of("sum 4\ntcp_sendmsg_[k] 96\n", 2.0);
        assert_eq!(kind, "nothing that was seen is worth a rewrite");
        let seen = "Nothing that was seen is worth a rewrite: the best candidate, sum, could buy about 1.0x by its own time. With \
                    all that was not seen, it would be about 2.1x.";
        assert_eq!(text, seen);
        let (kind, text) = of("sum 60\ntcp_sendmsg_[k] 40\n", 2.0);
        let candidate = "sum is the first candidate: about 1.4x by its own time, more where the runtime's work goes with it. With \
                         all that was not seen, it would be about 5.0x.";
        assert_eq!((kind, &*text), ("candidate", candidate));
        // A small unseen share is not mentioned.
        assert_eq!(of("sum 4\ntcp_sendmsg_[k] 96\n", 1.05).0, "nothing is worth a rewrite");
    }
}
