//! The judge's rounds, one a second, until the ramp is rolled back or somebody ends it. In: a ramp, operators' commands, golden
//! calls. Out: how far the ramp came.

use std::{
    sync::mpsc::Receiver,
    time::{Duration, Instant},
};

use tierup_rollout::{Golden, Phase};

use crate::{PendingCommand, Ramp, Round, Status};

/// Between two rounds.
pub const ROUND: Duration = Duration::from_secs(1);
/// How soon an end is noticed.
pub const LOOK: Duration = Duration::from_millis(100);

/// Who runs a judge.
pub trait Attendant {
    /// Whether the judge is to end. The weights stay.
    fn is_over(&self) -> bool;
    /// Golden calls that have ended since the last round.
    fn golden_calls(&mut self, ramp: &Ramp) -> Vec<Golden>;
    /// A round is over, or a command was carried out.
    fn sees(&mut self, ramp: &Ramp, round: &Round);
    /// How the ramp stands, many times a second.
    fn stands(&mut self, status: &Status);
}

/// Judges to the end.
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
        // Until it is in force, the judge must go on. What is not logged meanwhile is of no interest any more.
        if ramp.is_taken_back() {
            return Phase::RolledBack;
        }
        if attendant.is_over() {
            return status.phase;
        }
        attendant.stands(&status);
    }
}
