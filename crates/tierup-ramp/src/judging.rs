//! The judge's rounds, one a second, until the ramp is rolled back or its attendant ends it. In: a ramp, operators'
//! commands, golden calls. Out: the phase that the ramp reached.

use std::{
    sync::mpsc::Receiver,
    time::{Duration, Instant},
};

use tierup_rollout::{Golden, Phase};

use crate::{PendingCommand, Ramp, Round, Status};

/// The time between two rounds.
pub const ROUND: Duration = Duration::from_secs(1);
/// How soon an end is noticed.
pub const LOOK: Duration = Duration::from_millis(100);

/// The program that runs a judge.
pub trait Attendant {
    /// Whether the judge should end. The weights stay in force.
    fn is_over(&self) -> bool;
    /// Golden calls that have ended since the last round.
    fn golden_calls(&mut self, ramp: &Ramp) -> Vec<Golden>;
    /// Called after each round and each command.
    fn sees(&mut self, ramp: &Ramp, round: &Round);
    /// Called many times a second with the ramp's state.
    fn stands(&mut self, status: &Status);
}

/// Runs rounds until the end.
pub fn judge(ramp: &mut Ramp, commands: &Receiver<PendingCommand>, attendant: &mut dyn Attendant) -> Phase {
    let mut next = Instant::now();
    loop {
        if let Ok(asked) = commands.recv_timeout(LOOK.min(next.saturating_duration_since(Instant::now()))) {
            let (round, reply) = ramp.order(asked.command);
            asked.answer(reply);
            attendant.sees(ramp, &round);
        } else if Instant::now() >= next {
            next = Instant::now() + ROUND;
            let golden = attendant.golden_calls(ramp);
            let round = ramp.round(&golden);
            attendant.sees(ramp, &round);
        }
        let status = ramp.status();
        // The judge must go on until the rollback is in force. Missing log lines no longer matter then.
        if ramp.is_taken_back() {
            return Phase::RolledBack;
        }
        if attendant.is_over() || ramp.is_deposed() {
            return status.phase;
        }
        attendant.stands(&status);
    }
}
