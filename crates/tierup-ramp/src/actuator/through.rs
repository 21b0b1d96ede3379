//! The actuator that `[rollout]` asks for.

use std::path::PathBuf;

use tierup_rollout::Through;

use crate::{
    Result,
    actuator::{Actuator, Behind, HaProxy, Nginx, Own},
};

/// Whoever shares the requests. `control_file` is that of tierup's own proxies.
///
/// # Errors
/// A name or path that cannot stand in the load balancer's configuration.
pub fn actuator(through: Through, control_file: PathBuf) -> Result<Box<dyn Actuator>> {
    let proxies = Own::new(control_file);
    let balancer: Box<dyn Actuator> = match through {
        Through::Tierup => return Ok(Box::new(proxies)),
        Through::HaProxy(settings) => Box::new(HaProxy::new(settings)?),
        Through::Nginx(settings) => Box::new(Nginx::new(settings)?),
    };
    Ok(Box::new(Behind::new(balancer, proxies)))
}
