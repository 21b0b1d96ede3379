//! What a step has seen, and what it still lacks. A lack of bad answers means something only after enough answers, so a
//! step waits while the candidate is idle or copies are not compared.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    decision::Reason,
    plan::{Plan, Treatment},
};
use crate::{
    evidence::{NO_LANE, Pair, Slot},
    weights::{Part, Side},
};

/// The part of a route's sample that may be dropped or not comparable.
const LEFT_OUT: f64 = 0.05;
/// A step does not wait for routes with at most this part of the traffic.
const RARE: f64 = 0.01;
/// The most reasons for left-out requests that are told apart.
const MOST_REASONS: usize = 30;

/// What one step has seen so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub(super) struct Step {
    /// The total time of slots in which the candidate was at work, in milliseconds.
    pub(super) lasted: u64,
    routes: BTreeMap<String, StepCounts>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
struct StepCounts {
    /// How many requests of clients the candidate got, and how many of them had a bad answer or none.
    answered: u64,
    bad: u64,
    sampled: u64,
    compared: u64,
    mismatched: u64,
    left_out: BTreeMap<String, u64>,
}

impl Step {
    /// Takes in slots of the same time.
    pub(super) fn take<'a>(&mut self, slots: impl Iterator<Item = &'a Slot>, at: Part, name: impl Fn(&str) -> String) {
        let mut lasted = 0;
        for slot in slots {
            if self.take_slot(slot, at, &name) {
                lasted = lasted.max(slot.lasted);
            }
        }
        self.lasted += lasted;
    }

    /// Returns whether the candidate was at work.
    fn take_slot(&mut self, slot: &Slot, at: Part, name: &impl Fn(&str) -> String) -> bool {
        let (mut answered, mut compared) = (0, 0);
        for live in slot.live.iter().filter(|live| live.side == Side::Candidate) {
            let seen = self.routes.entry(name(&live.route)).or_default();
            // A missing answer counts as a bad one.
            let (all, bad) = (live.answered + live.silent, live.errors + live.silent);
            seen.answered += all;
            seen.bad += bad;
            answered += all;
        }
        for copies in slot.copies.iter().filter(|copies| copies.pair != Pair::Second) {
            let seen = self.routes.entry(name(&copies.route)).or_default();
            let both = copies.same + copies.mismatched;
            let reasons = copies.dropped.iter().chain(&copies.not_comparable);
            compared += both;
            seen.compared += both;
            seen.mismatched += copies.mismatched;
            seen.sampled += both;
            for (reason, count) in reasons.filter(|(reason, _)| *reason != NO_LANE) {
                seen.sampled += count;
                let is_new = !seen.left_out.contains_key(reason) && seen.left_out.len() >= MOST_REASONS;
                *seen.left_out.entry(if is_new { "other".into() } else { reason.clone() }).or_default() += count;
            }
        }
        if at == Part::NONE { compared > 0 } else { answered > 0 }
    }

    /// How many requests of clients the candidate got, and how many of them had a bad answer or none.
    pub(super) fn answered(&self) -> (u64, u64) {
        self.routes.values().fold((0, 0), |(all, bad), seen| (all + seen.answered, bad + seen.bad))
    }

    /// What the step lacks. `passed` is the number of seconds since it began, which limits its time: slots of several
    /// proxies that were not put together add up to more. `traffic` is that of the whole ramp, by route. `knows_noise`
    /// says whether control was compared with itself on a route.
    pub(super) fn lacks(
        &self,
        plan: &Plan,
        at: Part,
        passed: u64,
        traffic: &BTreeMap<String, u64>,
        knows_noise: impl Fn(&str) -> bool,
    ) -> Vec<Reason> {
        let mut lacks = Vec::new();
        let (seconds, needed) =
            ((self.lasted / 1000).min(passed), if at == Part::NONE { plan.warm_up } else { plan.hold });
        if seconds < needed {
            lacks.push(Reason::TooSoon { seconds, needed });
        }
        let all: u64 = traffic.values().sum();
        let waited_for = |count: u64| count as f64 > RARE * all as f64;
        let mut ramping = traffic
            .iter()
            .filter(|(_, count)| waited_for(**count))
            .map(|(route, _)| (route, plan.treatment(route)))
            .filter(|(_, treatment)| *treatment != Treatment::ControlOnly)
            .peekable();
        if ramping.peek().is_none() && all > 0 {
            lacks.push(Reason::NothingToRamp);
        }
        let nothing = StepCounts::default();
        for (route, treatment) in ramping {
            let seen = self.routes.get(route).unwrap_or(&nothing);
            lacks.extend(seen.lacks(plan, at, route, treatment));
        }
        let (answered, _) = self.answered();
        if at > Part::NONE && answered < plan.least {
            lacks.push(Reason::FewAnswers { route: None, answers: answered, needed: plan.least });
        }
        // Without any traffic, the loop above waits for no route.
        if all == 0 && at == Part::NONE {
            lacks.push(Reason::NoTraffic);
        }
        lacks.extend(self.routes.iter().filter(|(route, seen)| seen.mismatched > 0 && !knows_noise(route)).map(
            |(route, seen)| Reason::Unexplained {
                route: route.clone(),
                mismatched: seen.mismatched,
                compared: seen.compared,
            },
        ));
        lacks
    }
}

impl StepCounts {
    fn lacks(&self, plan: &Plan, at: Part, route: &str, treatment: Treatment) -> Vec<Reason> {
        let mut lacks = Vec::new();
        let needed = plan.least;
        let is_compared = match treatment {
            // At 99 %, control answers so few requests that waiting for copies of them would take days.
            Treatment::Effects => at < Part::MOST,
            // Before the first step there are only copies; at 99 %, nearly all comparisons are of answers mirrored
            // back.
            Treatment::Safe => at == Part::NONE || (at >= Part::MOST && plan.verifies),
            Treatment::LiveOnly | Treatment::ControlOnly => false,
        };
        if is_compared && self.compared < needed {
            lacks.push(Reason::FewCompared { route: route.to_owned(), compared: self.compared, needed });
        }
        let is_live = at > Part::NONE && matches!(treatment, Treatment::Safe | Treatment::LiveOnly);
        if is_live && self.answered < needed {
            lacks.push(Reason::FewAnswers { route: Some(route.to_owned()), answers: self.answered, needed });
        }
        let left_out: u64 = self.left_out.values().sum();
        if treatment != Treatment::LiveOnly && left_out as f64 > LEFT_OUT * self.sampled as f64 {
            let mostly = self.left_out.iter().max_by_key(|(_, count)| **count);
            lacks.push(Reason::NotCompared {
                route: route.to_owned(),
                sampled: self.sampled,
                left_out,
                mostly: mostly.map_or_else(String::new, |(reason, _)| reason.clone()),
            });
        }
        lacks
    }
}
