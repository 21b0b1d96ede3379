//! Which latencies are compared, and to what effect. In: slots. Out: evidence that the candidate is slower than its
//! twin, which rolls back, or that its clients wait longer, which holds the weight.

use serde::{Deserialize, Serialize};

use super::{
    decision::{Charge, Kind, Reason},
    load::Load,
    plan::Plan,
    rounded,
    slowness::Slowness,
};
use crate::{
    evidence::Slot,
    latencies::Latencies,
    weights::{Part, Side, Weights},
};

/// A step needs this many blocks of copies to judge slowness: a minute.
const COPIES: u64 = 12;

/// How many times as long answers may take if clients give the sides unequal work: in the simplest queue, a process
/// that is half busy takes twice as long as an idle one.
const UNEQUAL: f64 = 2.0;

/// The evidence of how long the candidate takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Speed {
    /// Latencies of copies, which candidate and twin get by chance.
    copies: Slowness,
    /// Latencies of answers to clients, in this step.
    clients: Slowness,
    load: Load,
    /// Blocks before this step in which both servers answered copies, and how many of them are in the evidence.
    before: (u64, u64),
}

impl Speed {
    /// Takes in all proxies' slots of the same time, at this weight. Those from `generation` on belong to this step.
    /// `name` gives the name under which a route is counted.
    pub(super) fn take(
        &mut self,
        slots: &[&Slot],
        generation: u64,
        plan: &Plan,
        at: Part,
        name: impl Fn(&str) -> String,
    ) {
        let has_equal_load = self.load.take(slots, name);
        let slots: Vec<_> = slots.iter().filter(|slot| slot.generation >= generation).collect();
        // A twin with another weight cannot be compared.
        let has_twin = has_equal_twin(plan, at);
        if has_twin {
            // Nor can slots in which candidate and twin get unequal parts of the copies.
            let equal: Vec<_> = slots.iter().filter(|slot| slot.second == slot.second.rest()).collect();
            let all = |side| sum(equal.iter().filter_map(|slot| slot.copy_latencies.get(&side)));
            self.copies.take(&all(Side::Candidate), &all(Side::Twin), plan.slower, has_equal_load);
        }
        let all = |side| sum(slots.iter().filter_map(|slot| slot.latencies.get(&side)));
        let (other, slower) = match plan.has_twin {
            true if has_twin => (all(Side::Twin), plan.slower),
            // Without an equal twin, the sides with less work are faster for that reason alone.
            true => (sum([&all(Side::Control), &all(Side::Twin)].into_iter()), plan.slower * UNEQUAL),
            false => (all(Side::Control), plan.slower),
        };
        self.clients.take(&all(Side::Candidate), &other, slower, true);
    }

    /// A new step begins.
    pub(super) fn begin_step(&mut self) {
        self.copies.begin_step();
        self.clients = Slowness::default();
        self.before = self.copies.blocks();
    }

    /// The logarithm of the e-value that rolls back.
    pub(super) fn ln_e_value(&self) -> f64 {
        self.copies.ln_e_value()
    }

    /// What the e-value is based on, in words.
    pub(super) fn counted(&self) -> String {
        let words = self.copies.in_words("its twin");
        match self.of_step() {
            (both, counted) if both >= COPIES && counted < COPIES => format!(
                "{words}; at this step only {counted} of {both} blocks counted, as clients gave one of the two more work"
            ),
            _ => words,
        }
    }

    /// The same two numbers for this step.
    fn of_step(&self) -> (u64, u64) {
        let ((both, counted), before) = (self.copies.blocks(), self.before);
        (both - before.0, counted - before.1)
    }

    /// The reason to wait, from blocks of copies in this step; if they are too few, from those of answers to clients.
    pub(super) fn doubts(&self, plan: &Plan, at: Part) -> Option<Reason> {
        let ((copies, _), (here, _)) = (self.of_step(), self.clients.blocks());
        if copies >= COPIES || at == Part::NONE {
            return None;
        }
        if has_equal_twin(plan, at) && here < COPIES {
            return Some(Reason::IdleTwin { blocks: copies.max(here), needed: COPIES });
        }
        let (ln, needed) = (self.clients.ln_e_value(), plan.alpha.recip());
        if ln < needed.ln() {
            return None;
        }
        let other = if has_equal_twin(plan, at) { "its twin" } else { "control" };
        let counted = self.clients.in_words(other);
        let (evidence, needed) = (rounded(ln.exp()), rounded(needed));
        Some(Reason::SlowerHere(Charge { kind: Kind::Slowness, route: None, counted, evidence, needed }))
    }
}

/// Whether there is a twin with the candidate's weight. That is possible for weights up to a third.
fn has_equal_twin(plan: &Plan, at: Part) -> bool {
    plan.has_twin && Weights::with_twin(at).twin == at
}

fn sum<'a>(all: impl Iterator<Item = &'a Latencies>) -> Latencies {
    all.fold(Latencies::default(), |mut sum, some| {
        sum.merge(some);
        sum
    })
}
