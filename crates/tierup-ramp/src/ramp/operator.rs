//! What the operator orders, and how a ramp obeys.

use tierup_rollout::{Decision, Part, Phase, Weights};

use super::{Ramp, Round};
use crate::{
    Decided, Result,
    command::{Command, Reply},
};

impl Ramp {
    /// Carries out an order at once.
    pub fn order(&mut self, order: Command) -> (Round, Reply) {
        let (round, refused) = match order {
            Command::Status => (Round::default(), None),
            _ => self.round_with(&[], Some(order)),
        };
        (round, Reply { refused, status: self.status() })
    }

    /// `None`: the judge decides, as always; `Some(Err(…))`: why the order is refused.
    pub(super) fn obey(&mut self, order: Command) -> Result<Option<Result<Decided, String>>> {
        let (phase, weights) = (self.saved.phase, self.saved.weights);
        let refused = |why: &str| Ok(Some(Err(why.to_owned())));
        let by = || vec!["ordered by the operator".to_owned()];
        if phase == Phase::RolledBack {
            return refused("the ramp was rolled back: begin another");
        }
        if matches!(self.mind.judge.decide(self.now()), Decision::RollBack { .. }) {
            return if order == Command::Abort { Ok(None) } else { refused("the judge rolls back") };
        }
        match (order, phase) {
            (Command::Status, _) => Ok(None),
            (Command::Abort, _) => {
                // The judge rolls back, with this as its reason.
                self.mind.judge.abort();
                Ok(None)
            }
            (Command::Pause, Phase::Paused) => refused("it is paused already"),
            (Command::Pause, Phase::Done) => refused("the ramp is done"),
            (Command::Pause, _) => {
                self.mind.judge.pause(true);
                self.change(Phase::Paused, weights, "pause", by()).map(|decided| Some(Ok(decided)))
            }
            (Command::Resume, Phase::Paused) => {
                self.mind.judge.pause(false);
                self.change(phase_at(weights), weights, "resume", by()).map(|decided| Some(Ok(decided)))
            }
            (Command::Resume, _) => refused("it is not paused"),
            (Command::To(part), _) => {
                let weights = self.weights(part);
                let phase = if phase == Phase::Paused { phase } else { phase_at(weights) };
                let decided = self.change(phase, weights, &format!("to {part}"), by())?;
                self.mind.judge.applied(part, self.saved.generation, self.now());
                Ok(Some(Ok(decided)))
            }
        }
    }
}

fn phase_at(weights: Weights) -> Phase {
    if weights.candidate == Part::NONE { Phase::Shadow } else { Phase::Ramping }
}
