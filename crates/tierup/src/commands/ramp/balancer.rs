//! Who shares the requests: `through` of `[rollout]`, as an [`Actuator`].

use tierup_project::Loaded;
use tierup_ramp::{Actuator, State};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// Without a project, tierup's own proxies.
pub(super) fn actuator(loaded: Option<&Loaded>, state: &State) -> Result<Box<dyn Actuator>> {
    let through = loaded.map(|loaded| loaded.rollout.through.clone()).unwrap_or_default();
    tierup_ramp::actuator(through, state.control()).map_err(failed)
}

/// Prints what the operator adds to the load balancer's configuration.
pub(super) fn show(loaded: Option<&Loaded>, state: &State, console: &Console) -> Result<()> {
    let pieces = actuator(loaded, state)?.describe();
    if pieces.is_empty() {
        return Err(Failure::usage("`tierup shadow` shares the requests, which needs no configuration")
            .hint("`through` of [rollout] names a load balancer: docs/load-balancers.md".to_owned()));
    }
    let pieces: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    console.data(pieces.join("\n").trim_end())
}

pub(super) fn failed(error: tierup_ramp::Error) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint.to_owned()),
        None => failure,
    }
}
