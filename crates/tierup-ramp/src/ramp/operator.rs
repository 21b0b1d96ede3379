//! The operator's orders, and how a ramp obeys.

use tierup_rollout::{Decision, Part, Phase, Weights};

use super::{Ramp, Round};
use crate::{
    Action, Decided, Result,
    command::{Advice, Command, Reply},
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

    /// `None` lets the judge decide as always; `Some(Err(…))` says why the order is refused.
    pub(super) fn obey(&mut self, order: Command) -> Result<Option<Result<Decided, String>>> {
        let (phase, weights) = (self.known.saved.phase, self.known.saved.weights);
        let refused = |why: &str| Ok(Some(Err(why.to_owned())));
        let by = || vec!["ordered by the operator".to_owned()];
        if phase == Phase::RolledBack {
            return refused("the ramp was rolled back: begin another");
        }
        if matches!(self.known.mind.judge.decide(self.now()), Decision::RollBack { .. }) {
            return if order == Command::Abort { Ok(None) } else { refused("the judge rolls back") };
        }
        match (order, phase) {
            (Command::Status, _) => Ok(None),
            (Command::Advance, _) if !self.options.advises => refused("this judge moves the weights itself"),
            (Command::Advance, _) => match self.known.mind.judge.decide(self.now()) {
                Decision::Advance { .. } if self.advice() == Some(Advice::Advance) => {
                    let by = vec!["taken by the owner of the weights".to_owned()];
                    let decided = self.change(phase, weights, Action::Advance, by)?;
                    // The next one needs evidence of its own.
                    self.apply(Part::NONE);
                    Ok(Some(Ok(decided)))
                }
                decision => refused(&self.words(&decision).join("; ")),
            },
            (Command::To(_) | Command::Finish, _) if self.options.advises => {
                refused("another program owns the weights, and this judge only advises it")
            }
            (Command::Abort, _) => {
                // The judge rolls back with this reason.
                self.known.mind.judge.abort();
                Ok(None)
            }
            (Command::Pause, Phase::Paused) => refused("it is paused already"),
            (Command::Pause, Phase::Done) => refused("the ramp is done"),
            (Command::Pause, _) => {
                self.known.mind.judge.pause(true);
                self.change(Phase::Paused, weights, Action::Pause, by()).map(|decided| Some(Ok(decided)))
            }
            (Command::Resume, Phase::Paused) => {
                self.known.mind.judge.pause(false);
                self.change(phase_at(weights), weights, Action::Resume, by()).map(|decided| Some(Ok(decided)))
            }
            (Command::Resume, _) => refused("it is not paused"),
            (Command::Finish, Phase::Done) => refused("the ramp is finished already"),
            (Command::Finish, _) => match self.known.mind.judge.decide(self.now()) {
                Decision::Ready { .. } if self.sees() => {
                    let all = Weights { candidate: Part::ALL, twin: Part::NONE };
                    let decided = self.change(Phase::Done, all, Action::Finish, by())?;
                    self.apply(Part::ALL);
                    Ok(Some(Ok(decided)))
                }
                Decision::Hold { because } if self.known.mind.judge.plan().is_last(weights.candidate) => {
                    let why: Vec<_> = because.iter().map(ToString::to_string).collect();
                    refused(&format!("the last step still needs something: {}", why.join("; ")))
                }
                _ if !self.sees() => refused("no evidence comes: `tierup ramp status` says why"),
                _ => refused("the ramp is not at its last step"),
            },
            (Command::To(part), _) if part > Part::MOST => refused(
                "99% is the most: control keeps 1% to be compared with, until `tierup ramp finish` gives the candidate all",
            ),
            (Command::To(part), _) => {
                let weights = self.weights(part);
                let phase = if phase == Phase::Paused { phase } else { phase_at(weights) };
                let decided = self.change(phase, weights, Action::To(part), by())?;
                self.apply(part);
                Ok(Some(Ok(decided)))
            }
        }
    }
}

fn phase_at(weights: Weights) -> Phase {
    if weights.candidate == Part::NONE { Phase::Shadow } else { Phase::Ramping }
}
