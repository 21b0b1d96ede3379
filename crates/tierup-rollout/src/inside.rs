//! The judge of a rollout inside processes: may the candidate answer more calls of a pure function, or no calls?
//!
//! In: what all processes have counted since the ramp began, and how long ago that was. Out: a [`Decision`] with its
//! reasons. It is simpler than the [judge of servers](crate::Judge): both sides get the same arguments, so a different
//! answer is the candidate's fault, whoever made the call. docs/rollout-inside.md describes it.
//!
//! It reads no clock, and has no side effects.

mod control;
mod counts;

use serde::{Deserialize, Serialize};
use tierup_stats::{Margin, OriginEvidence, Side, ln_e_value_of_leads};

use crate::{
    judge::{Decision, Plan, PlanError, Reason},
    weights::Part,
};
pub use control::InsideControl;
pub use counts::InsideCounts;

/// The step waits if more than this part of the sampled calls is too large to compare.
const MOST_LEFT_OUT: f64 = 0.05;
/// The step waits if more than this part of the sampled calls was not compared for another reason.
const MOST_UNSEEN: f64 = 0.5;

/// A ramp's state and evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InsideJudge {
    plan: Plan,
    /// The part of the calls that the candidate answers, and for how many seconds it has done so.
    at: Part,
    lasted: f64,
    counts: InsideCounts,
    /// The counts when this step began.
    before: InsideCounts,
    ended: Option<Reason>,
}

impl InsideJudge {
    /// # Errors
    /// If the plan cannot be carried out.
    pub fn new(plan: Plan) -> Result<InsideJudge, PlanError> {
        plan.check()?;
        let none = InsideCounts::default();
        Ok(InsideJudge { plan, at: Part::NONE, lasted: 0.0, counts: none, before: none, ended: None })
    }

    pub fn at(&self) -> Part {
        self.at
    }

    /// How many times as long as the control's calls the candidate's may take.
    pub fn slower(&self) -> f64 {
        self.plan.slower
    }

    /// What was counted since the ramp began.
    pub fn counts(&self) -> InsideCounts {
        self.counts
    }

    /// What was counted at this step.
    pub fn step(&self) -> InsideCounts {
        self.counts.since(&self.before)
    }

    /// Why the ramp was given up.
    pub fn ended(&self) -> Option<&Reason> {
        self.ended.as_ref()
    }

    /// Takes in the counts since the ramp began. `seconds` have passed since the last time; `first` describes a call
    /// that the candidate answered differently.
    pub fn take(&mut self, counts: InsideCounts, first: Option<&str>, seconds: f64) {
        self.counts = counts;
        self.lasted += seconds;
        let failed = counts.failed();
        let reason = if counts.deaths > 0 {
            Some(Reason::Died { processes: counts.deaths })
        } else if self.is_more_than(self.plan.mismatches, counts.different, counts.compared.max(counts.different)) {
            // Calls whose arguments the candidate refuses are not in `compared`, as they are never sent.
            let (different, compared) = (counts.different, counts.compared.max(counts.different));
            Some(Reason::Differs { different, compared, first: first.map(str::to_owned) })
        } else if self.is_more_than(3.0 / self.plan.least as f64, failed, counts.shared) {
            let InsideCounts { shared, panics, timeouts, lost, .. } = counts;
            Some(Reason::Fails { shared, panics, timeouts, lost })
        } else {
            let ratio = counts.ratio().filter(|ratio| *ratio > self.plan.slower && self.lags(&counts));
            ratio.map(|ratio| Reason::TakesLonger { pairs: counts.pairs, ratio })
        };
        self.ended = self.ended.take().or(reason);
    }

    /// Whether more than this part of the calls is bad: at 0 after the first bad call, otherwise at an e-value of 1 /
    /// `alpha`. Each call is one bet, so it may be tested after each ([`OriginEvidence`] with `part` as weight, and no
    /// margin).
    fn is_more_than(&self, part: f64, bad: u64, of: u64) -> bool {
        if part <= 0.0 || bad == 0 {
            return bad > 0;
        }
        let ln_e_value = Margin::new(1.0).and_then(|exactly| {
            let mut evidence = OriginEvidence::new(exactly);
            evidence.bad_answers(Side::Candidate, part.min(0.5), bad)?;
            evidence.bad_answers(Side::Control, part.min(0.5), of.saturating_sub(bad))?;
            Ok(evidence.ln_e_value())
        });
        ln_e_value.is_ok_and(|ln| ln >= (1.0 / self.plan.alpha).ln())
    }

    /// Whether the candidate's calls take longer than is tolerated, by the leads of their pairs.
    fn lags(&self, counts: &InsideCounts) -> bool {
        let sum = (counts.behind as f64 - counts.ahead as f64) / 1e6;
        ln_e_value_of_leads(sum, counts.squares as f64 / 1e6) >= (1.0 / self.plan.alpha).ln()
    }

    /// What to do now. It changes nothing.
    pub fn decide(&self) -> Decision {
        if let Some(because) = &self.ended {
            return Decision::RollBack { because: because.clone() };
        }
        let because = self.doubts();
        match self.plan.after(self.at) {
            _ if !because.is_empty() => Decision::Hold { because },
            Some(to) => Decision::Advance { to, because: Vec::new() },
            None => Decision::Ready { because: Vec::new() },
        }
    }

    fn doubts(&self) -> Vec<Reason> {
        let step = self.step();
        let (seconds, needed) =
            (self.lasted as u64, if self.at == Part::NONE { self.plan.warm_up } else { self.plan.hold });
        let mut doubts = Vec::new();
        if step.calls == 0 {
            doubts.push(Reason::NoTraffic);
        }
        if seconds < needed {
            doubts.push(Reason::TooSoon { seconds, needed });
        }
        let needed = self.plan.least;
        if self.at == Part::NONE && step.compared < needed {
            doubts.push(Reason::FewCompared { route: "calls".to_owned(), compared: step.compared, needed });
        }
        if self.at > Part::NONE && step.shared < needed {
            doubts.push(Reason::FewAnswers { route: None, answers: step.shared, needed });
        }
        let unseen = step.sampled.saturating_sub(step.too_large).saturating_sub(step.compared);
        if step.sampled > 0 && unseen as f64 > MOST_UNSEEN * step.sampled as f64 {
            let mostly = "the program that compares is busy, or does not run".to_owned();
            doubts.push(Reason::NotCompared {
                route: "calls".to_owned(),
                sampled: step.sampled,
                left_out: unseen,
                mostly,
            });
        }
        if step.too_large as f64 > MOST_LEFT_OUT * step.sampled as f64 {
            let mostly = "arguments or answers of more than 64 KiB".to_owned();
            let (sampled, left_out) = (step.sampled, step.too_large);
            doubts.push(Reason::NotCompared { route: "calls".to_owned(), sampled, left_out, mostly });
        }
        doubts
    }

    /// Begins a new step: the candidate now answers this part of the calls.
    pub fn applied(&mut self, to: Part) {
        self.at = to;
        self.lasted = 0.0;
        self.before = self.counts;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: InsideCounts = InsideCounts {
        calls: 1_000_000,
        sampled: 10_000,
        too_large: 0,
        compared: 10_000,
        different: 0,
        shared: 0,
        panics: 0,
        timeouts: 0,
        lost: 0,
        deaths: 0,
        pairs: 0,
        ahead: 0,
        behind: 0,
        squares: 0,
        control_ns: 0,
        candidate_ns: 0,
    };

    /// A candidate that takes 1.2 times as long in each of 900 pairs, where 1.05 times are tolerated.
    const LAGS: InsideCounts = InsideCounts { pairs: 900, behind: 60_000_000, squares: 4_000_000, ..GOOD };

    fn judge(mismatches: f64) -> InsideJudge {
        InsideJudge::new(Plan { mismatches, ..Plan::default() }).expect("a plan")
    }

    fn decision(counts: InsideCounts, mismatches: f64) -> String {
        let mut judge = judge(mismatches);
        judge.take(counts, Some("slug(\"ß\")"), 60.0);
        judge.decide().to_string()
    }

    #[test]
    fn an_equal_candidate_rises_to_the_last_step() {
        let mut judge = judge(0.0);
        let mut steps = Vec::new();
        let mut counts = InsideCounts::default();
        for _ in 0..6 {
            counts = InsideCounts {
                calls: counts.calls + 1_000_000,
                compared: counts.compared + 10_000,
                shared: counts.shared + 3_000,
                ..counts
            };
            judge.take(counts, None, 600.0);
            if let Decision::Advance { to, .. } = judge.decide() {
                steps.push(to.to_string());
                judge.applied(to);
            }
        }
        assert_eq!(steps, ["1%", "5%", "25%", "50%", "99%"]);
        assert!(matches!(judge.decide(), Decision::Ready { .. }), "{}", judge.decide());
    }

    #[test]
    fn a_step_waits_for_time_calls_and_comparisons() {
        assert_eq!(
            decision(InsideCounts::default(), 0.0),
            "hold\n  no request came yet\n  calls: 0 of 3000 answers compared at this step"
        );
        let large = InsideCounts { too_large: 501, ..GOOD };
        assert_eq!(
            decision(large, 0.0),
            "hold\n  calls: 501 of the 10000 requests in the sample were not compared, over 5 % (arguments or answers of more than 64 KiB)"
        );
        let mut judge = judge(0.0);
        judge.take(GOOD, None, 60.0);
        judge.applied(judge.plan.steps[0]);
        judge.take(InsideCounts { calls: GOOD.calls + 1, shared: 2_999, ..GOOD }, None, 599.0);
        assert_eq!(
            judge.decide().to_string(),
            "hold\n  599 of 600 s at this step\n  the candidate gave 2999 of 3000 answers at this step"
        );
    }

    #[test]
    fn each_fault_of_the_candidate_rolls_back() {
        for (counts, mismatches, words) in [
            (InsideCounts { deaths: 1, ..GOOD }, 0.1, "1 process ended in a call of the candidate"),
            (
                InsideCounts { different: 1, ..GOOD },
                0.0,
                "1 of 10000 compared calls is answered differently, such as slug(\"ß\")",
            ),
            (
                InsideCounts { different: 200, ..GOOD },
                0.01,
                "200 of 10000 compared calls are answered differently, such as slug(\"ß\")",
            ),
            (
                InsideCounts { shared: 5_000, panics: 20, timeouts: 10, lost: 5, ..GOOD },
                0.0,
                "the candidate failed in 35 of 5000 calls that it was to answer: 20 panics, 10 time-outs, 5 lost",
            ),
            (
                InsideCounts { control_ns: 9_000_000, candidate_ns: 10_800_000, ..LAGS },
                0.0,
                "the candidate takes 1.20 times as long as the control in 900 pairs of calls",
            ),
        ] {
            assert_eq!(decision(counts, mismatches), format!("roll back\n  {words}"));
        }
        for (counts, mismatches) in [
            (InsideCounts { different: 100, ..GOOD }, 0.01),
            (InsideCounts { shared: 5_000, timeouts: 5, ..GOOD }, 0.0),
            // Neither is enough alone: in all it takes no longer, or chance explains the sum.
            (InsideCounts { control_ns: 9_000_000, candidate_ns: 9_400_000, ..LAGS }, 0.0),
            (InsideCounts { control_ns: 9_000_000, candidate_ns: 10_800_000, ahead: 55_000_000, ..LAGS }, 0.0),
        ] {
            assert_eq!(decision(counts, mismatches), "advance to 1%");
        }
    }

    #[test]
    fn a_ramp_that_was_rolled_back_never_goes_on() {
        let mut judge = judge(0.0);
        judge.take(InsideCounts { different: 1, ..GOOD }, None, 60.0);
        judge.take(GOOD, None, 6_000.0);
        assert_eq!(judge.decide().to_string(), "roll back\n  1 of 10000 compared calls is answered differently");
    }

    /// Tested after every call, with as many differences as are tolerated: at most `alpha` of the ramps may end.
    #[test]
    fn a_candidate_within_its_budget_is_rarely_given_up() {
        use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
        let given_up = (0..1000).filter(|seed| {
            let mut random = StdRng::seed_from_u64(*seed);
            let mut judge = judge(0.01);
            let mut counts = InsideCounts::default();
            for _ in 0..1_000 {
                counts.compared += 1;
                counts.different += u64::from(random.random_bool(0.01));
                judge.take(counts, None, 1.0);
            }
            judge.ended.is_some()
        });
        assert!(given_up.count() <= 20);
    }
}
