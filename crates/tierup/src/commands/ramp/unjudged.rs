//! What is in force while no judge runs: weights outlive their judge, so that one that is started again loses nothing.

use std::time::{SystemTime, UNIX_EPOCH};

use tierup_actuator::Error;
use tierup_ramp::{State, decisions};
use tierup_rollout::Weights;

use super::{Place, balancer};
use crate::failure::Failure;

/// Why an order cannot be obeyed: who answers now, and what comes next.
pub(super) fn failure(place: &Place, state: &State) -> Failure {
    // A project that cannot be read says nothing about a load balancer.
    let loaded = place.loaded().ok().flatten();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (who, next) = match balancer::actuator(loaded.as_ref(), state).map(|mut actuator| actuator.read(now)) {
        // Proxies ignore a control file that is none.
        Ok(Ok(Weights::CONTROL_ONLY) | Err(Error::ControlFile { .. })) => {
            ("so the control answers all".to_owned(), "`tierup ramp` starts one")
        }
        Ok(Ok(Weights { candidate, .. })) => (
            format!(
                "and the candidate still answers {candidate}: the control answers all within 60 s (ten minutes with nginx)"
            ),
            "`tierup ramp` goes on with this weight, `tierup ramp abort` takes it back now",
        ),
        Ok(Err(error)) => (
            format!("and who answers is not known: {error}"),
            "`tierup ramp` goes on, `tierup ramp abort` takes all weights back",
        ),
        Err(failure) => return failure,
    };
    // A journal that cannot be read has nothing to tell.
    let last = decisions(&state.journal()).unwrap_or_default().pop();
    let last = last.map_or_else(String::new, |last| format!(" (its last decision: {})", last.decision));
    Failure::new(format!("no judge runs{last}, {who}")).hint(next.to_owned())
}
