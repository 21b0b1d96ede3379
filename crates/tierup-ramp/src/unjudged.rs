//! What is in force while no judge runs: weights outlive the judge, so that a restarted judge can continue.

use std::fmt;

use tierup_rollout::Weights;

use crate::{Action, Actuator, Clock as _, Error, Machine, Result, State, decisions};

/// The weights in force, and the last decision.
#[derive(Debug)]
pub struct Unjudged {
    in_force: Result<Weights>,
    last: Option<Action>,
}

impl Unjudged {
    /// Reads the state folder, and asks the program that shares the requests.
    pub fn look(state: &State, actuator: &mut dyn Actuator) -> Unjudged {
        let in_force = match actuator.read(Machine::default().since_1970().as_secs()) {
            // Proxies ignore a control file that they cannot read.
            Err(Error::ControlFile { .. }) => Ok(Weights::CONTROL_ONLY),
            read => read,
        };
        // An unreadable journal counts as empty.
        let last = decisions(&state.journal()).unwrap_or_default().pop();
        Unjudged { in_force, last: last.map(|last| last.decision) }
    }

    /// What an operator can do.
    pub fn hint(&self) -> &'static str {
        match &self.in_force {
            // A judge does not try a rolled-back candidate again by itself.
            Ok(Weights::CONTROL_ONLY) if self.last == Some(Action::RollBack) => {
                "`tierup ramp --new` begins another ramp"
            }
            Ok(Weights::CONTROL_ONLY) => "`tierup ramp` starts one",
            Ok(_) => "`tierup ramp` goes on with this weight, `tierup ramp abort` takes it back now",
            Err(_) => "`tierup ramp` goes on, `tierup ramp abort` takes all weights back",
        }
    }
}

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no judge runs")?;
        if let Some(last) = &self.last {
            write!(f, " (its last decision: {last})")?;
        }
        match &self.in_force {
            Ok(Weights::CONTROL_ONLY) => f.write_str(", so the control answers all"),
            Ok(Weights { candidate, .. }) => write!(
                f,
                ", and the candidate still answers {candidate}: the control answers all within 60 s (ten minutes with nginx)"
            ),
            Err(error) => write!(f, ", and who answers is not known: {error}"),
        }
    }
}
