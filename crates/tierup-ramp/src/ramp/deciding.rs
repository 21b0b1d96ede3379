//! What a round decides: an advance, the end, a rollback, or to suspend the weights while there is no evidence.
//!
//! In: what the judge has seen. Out: the new weights, in a new generation. Nothing takes effect here.

use std::mem;

use tierup_rollout::{Decision, Part, Phase, Weights, evidence::SLOT};

use super::Ramp;
use crate::{Action, Decided, Result, command::Advice, intake::BLIND_AFTER};

impl Ramp {
    /// Decides what should be in force. Nothing takes effect yet.
    pub(super) fn decide(&mut self, now: u64) -> Result<Option<Decided>> {
        let decision = self.known.mind.judge.decide(self.now());
        self.known.words = self.words(&decision);
        let reasons = self.known.words.clone();
        if let (Decision::RollBack { .. }, true) = (&decision, self.known.saved.phase != Phase::RolledBack) {
            self.known.suspended = None;
            return self.change(Phase::RolledBack, Weights::CONTROL_ONLY, Action::RollBack, reasons).map(Some);
        }
        if let Some(decided) = self.suspend(now)? {
            return Ok(Some(decided));
        }
        match decision {
            Decision::Advance { to, .. } if self.sees() && self.advances() && !self.options.advises => {
                let decided = self.change(Phase::Ramping, self.weights(to), Action::Advance, reasons)?;
                self.apply(to);
                Ok(Some(decided))
            }
            Decision::Ready { .. }
                if self.sees() && self.known.saved.phase == Phase::Ramping && !self.known.mind.is_ready =>
            {
                self.known.mind.is_ready = true;
                self.change(self.known.saved.phase, self.known.saved.weights, Action::Ready, reasons).map(Some)
            }
            // A rollback stays the last decision: without the database, the journal alone tells of it.
            _ if mem::take(&mut self.known.is_restart) && self.known.saved.phase != Phase::RolledBack => {
                // A new generation is needed, as the last control file may have had this one with other weights.
                let why = vec!["the judge was started again".to_owned()];
                self.change(self.known.saved.phase, self.known.saved.weights, Action::GoOn, why).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A decision's reasons.
    pub(super) fn words(&self, decision: &Decision) -> Vec<String> {
        let is_silent = self.options.advises && !self.hears();
        let mut words = if is_silent { vec![format!("no evidence for {BLIND_AFTER} s")] } else { Vec::new() };
        // The first line is the decision itself.
        words.extend(decision.to_string().lines().skip(1).map(|line| line.trim().to_owned()));
        words
    }

    /// What the owner of the weights should do; `None` if this judge owns them.
    pub(super) fn advice(&self) -> Option<Advice> {
        // The state is asked for many times a second, and deciding takes the judge some time.
        self.options.advises.then(|| match self.known.mind.judge.decide(self.now()) {
            _ if self.is_condemned => Advice::RollBack,
            Decision::RollBack { .. } => Advice::RollBack,
            Decision::Advance { .. } if self.hears() && self.trouble.is_none() => Advice::Advance,
            _ => Advice::Hold,
        })
    }

    /// Whether there is evidence of the last seconds.
    fn hears(&self) -> bool {
        self.clock.steady().as_secs().saturating_sub(self.known.seen) <= BLIND_AFTER
    }

    /// Whether bad answers would be visible. Only then does their absence mean something.
    pub(super) fn sees(&self) -> bool {
        self.known.suspended.is_none() && self.inbox.blind.is_none()
    }

    fn advances(&self) -> bool {
        matches!(self.known.saved.phase, Phase::Shadow | Phase::Ramping)
    }

    /// Lets control answer all requests while there is no evidence to judge by; when it arrives again, the earlier
    /// weights are in force again. A candidate without a weight needs no judge.
    fn suspend(&mut self, now: u64) -> Result<Option<Decided>> {
        let is_silent =
            now.saturating_sub(self.known.seen) > BLIND_AFTER && self.known.saved.weights != Weights::CONTROL_ONLY;
        let is_blind = is_silent && !self.is_quiet(now);
        if is_blind == self.known.suspended.is_some() {
            return Ok(None);
        }
        let (decision, why) = if is_blind {
            let why = self.inbox.blind.as_ref().map(ToString::to_string);
            let why = why.unwrap_or_else(|| format!("no proxy wrote evidence for {BLIND_AFTER} s"));
            (Action::Suspend, why)
        } else {
            (Action::GoOn, "evidence comes again".to_owned())
        };
        self.known.suspended = is_blind.then(|| why.clone());
        self.change(self.known.saved.phase, self.known.saved.weights, decision, vec![why]).map(Some)
    }

    /// Whether a load balancer logs nothing because there are no requests: proxies report none to control since then.
    fn is_quiet(&self, now: u64) -> bool {
        let is_told = self.known.heard.count() > 0 && self.known.saved.weights.candidate != Part::ALL;
        // The log and a proxy's evidence of the same request may be some seconds apart.
        let is_asked = self.known.asked.is_some_and(|asked| now.saturating_sub(asked) > 2 * SLOT);
        self.inbox.may_be_quiet && is_told && !is_asked
    }

    /// Begins a new generation.
    pub(super) fn change(
        &mut self,
        phase: Phase,
        weights: Weights,
        decision: Action,
        reasons: Vec<String>,
    ) -> Result<Decided> {
        self.known.saved.phase = phase;
        self.known.saved.weights = weights;
        self.known.saved.generation += 1;
        let decided = Decided {
            number: self.store.next_number()?.max(self.journal.last() + 1),
            ramp: self.known.saved.name.clone(),
            at: self.clock.since_1970().as_secs(),
            generation: self.known.saved.generation,
            decision,
            weight: self.known.in_force().candidate,
            reasons,
        };
        self.known.last = Some(decided.clone());
        Ok(decided)
    }

    /// Begins the judge's step at the weight that was just decided.
    pub(super) fn apply(&mut self, weight: Part) {
        self.known.mind.is_ready = false;
        self.known.mind.judge.applied(weight, self.known.saved.generation, self.now());
    }

    pub(super) fn weights(&self, candidate: Part) -> Weights {
        if self.known.mind.judge.plan().has_twin {
            Weights::with_twin(candidate)
        } else {
            Weights { candidate, twin: Part::NONE }
        }
    }
}
