//! Whether a rewrite is worth it, by the profile alone. In: a [`Ranking`]. Out: a [`Verdict`], and the sentences that say it.

use tierup_report::printable;

use crate::{
    bound::Bound,
    profile::Kind,
    rank::{Function, Ranking, What},
    words,
};

/// A function with less of the CPU is not named as a candidate.
pub(crate) const LEAST: f64 = 0.001;
/// A bound below this is written as `1.0x`.
const LEAST_GAIN: f64 = 1.05;
/// A bound whose interval reaches this may be worth a closer look.
const LEAST_HIGH: f64 = 1.1;
/// So many others are named when none of the user's functions is the cost.
const NAMED: usize = 3;

/// What the profile says.
#[derive(Debug, Clone, Copy)]
pub enum Verdict<'a> {
    /// This function comes first.
    Candidate(&'a Function, Bound),
    /// The best of them could buy about 1.0x.
    NothingIsWorthIt(&'a Function, Bound),
    /// No function of the user's could move as it is.
    NoCandidate,
}

impl Ranking {
    /// The verdict.
    pub fn verdict(&self) -> Verdict<'_> {
        let Some(first) = self.candidates().next().filter(|function| function.owned.value >= LEAST) else {
            return Verdict::NoCandidate;
        };
        let bound = Bound::of(first.owned, first.rewrite);
        let high = bound.interval.map_or(bound.value, |(_, high)| high);
        if bound.value < LEAST_GAIN && high < LEAST_HIGH {
            Verdict::NothingIsWorthIt(first, bound)
        } else {
            Verdict::Candidate(first, bound)
        }
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
    /// For scripts.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Verdict::Candidate(..) => "candidate",
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
                std::iter::once(none).chain(others).collect()
            }
            Verdict::NothingIsWorthIt(best, bound) => {
                let (name, _) = words::named(&best.frame);
                let nothing = format!(
                    "Nothing here is worth a rewrite: the best candidate, {name}, could buy {}.",
                    bound.short()
                );
                std::iter::once(nothing).chain(others).collect()
            }
            Verdict::Candidate(first, bound) => {
                let (name, _) = words::named(&first.frame);
                let mut text = format!("{name} is the first candidate: {}.", bound.text());
                if !first.packages.is_empty() {
                    let names: Vec<String> = first.packages.iter().map(|name| printable::line(name)).collect();
                    text += &format!(" Owned share: with {}, which only it reaches.", names.join(", "));
                }
                vec![text, "A profile cannot tell what a rewrite buys: measure it with `tierup ceiling`.".to_owned()]
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
        (verdict.kind(), verdict.text(&ranking).remove(0))
    }

    #[test]
    fn a_bound_of_one_is_no_reason_to_rewrite() {
        let (kind, text) = verdict("sum 4\ntcp_sendmsg_[k] 96\n");
        assert_eq!(kind, "nothing is worth a rewrite");
        assert!(text.ends_with("the best candidate, sum, could buy about 1.0x by its own time."), "{text}");
        assert_eq!(verdict("sum 30\ntcp_sendmsg_[k] 70\n").0, "candidate");
        assert_eq!(verdict("tcp_sendmsg_[k] 96\n").0, "no candidate");
    }
}
