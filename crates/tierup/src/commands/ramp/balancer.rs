//! Who shares the requests: `through` of `[rollout]`, as an [`Actuator`].

use tierup_actuator::{Actuator, Behind, HaProxy, HaProxySettings, Nginx, NginxSettings, Own};
use tierup_project::{Loaded, RolloutSettings, Through};
use tierup_ramp::State;
use tierup_rollout::Sticky;

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// Without a project, tierup's own proxies.
pub(super) fn actuator(loaded: Option<&Loaded>, state: &State) -> Result<Box<dyn Actuator>> {
    let proxies = Own::new(state.control());
    let Some(balancer) = loaded.map(|loaded| balancer(&loaded.rollout)).transpose()?.flatten() else {
        return Ok(Box::new(proxies));
    };
    Ok(Box::new(Behind::new(balancer, proxies)))
}

fn balancer(rollout: &RolloutSettings) -> Result<Option<Box<dyn Actuator>>> {
    // A load balancer without `sticky` is refused as the project is read.
    let sticky = rollout.sticky.clone().unwrap_or(Sticky::Address);
    Ok(match rollout.through.clone() {
        Through::Tierup => None,
        Through::HaProxy { socket, backend, map } => {
            let settings = HaProxySettings { socket, backend, map, sticky };
            Some(Box::new(HaProxy::new(settings).map_err(failed)?))
        }
        Through::Nginx { split, log, status, test, reload } => {
            let settings = NginxSettings { split, log, status, sticky, test, reload };
            Some(Box::new(Nginx::new(settings).map_err(failed)?))
        }
    })
}

/// Prints what the operator adds to the load balancer's configuration.
pub(super) fn show(loaded: Option<&Loaded>, state: &State, console: &Console) -> Result<()> {
    let pieces = actuator(loaded, state)?.describe();
    if pieces.is_empty() {
        return Err(Failure::new("`tierup shadow` shares the requests, which needs no configuration")
            .hint("`through` of [rollout] names a load balancer: docs/load-balancers.md".to_owned()));
    }
    let pieces: Vec<String> = pieces.iter().map(ToString::to_string).collect();
    console.data(pieces.join("\n").trim_end())
}

pub(super) fn failed(error: tierup_actuator::Error) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint.to_owned()),
        None => failure,
    }
}
