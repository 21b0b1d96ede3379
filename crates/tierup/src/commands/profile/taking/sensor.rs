//! The sensor that a profile is taken with. In: a host, its server, and the name that `--sensor` gives. Out: the host's own
//! sensor, or another that it lists.

use std::path::Path;

use tierup_build::Described;
use tierup_codegen::{Host, HostSettings, Sensor, shims};

use crate::failure::{Failure, Result};

pub(super) fn of(
    host: &'static dyn Host,
    settings: &HostSettings,
    name: Option<&str>,
    private: &Path,
) -> Result<Sensor> {
    let Some(name) = name else {
        let sensor = host.sensor(settings, &Described(settings), private);
        return sensor.map_err(|why| {
            let others = names(host);
            let failure = Failure::new(format!("cannot profile the server: {why}"));
            if others.is_empty() { failure } else { failure.hint(format!("try another profiler: {others}")) }
        });
    };
    named(host, name)
}

/// The sensor of tier 4.
pub(super) fn of_rust(name: Option<&str>) -> Result<Sensor> {
    match name {
        None | Some("perf") => Ok(shims::server::sensor()),
        Some(name) => Err(Failure::new(format!("tierup has no profiler `{name}` for tier 4"))
            .hint("leave --sensor out: tier 4 is sampled by perf".to_owned())),
    }
}

/// One of those that a host lists beside its own.
pub(super) fn named(host: &'static dyn Host, name: &str) -> Result<Sensor> {
    let found = host.further_sensors().into_iter().find(|(known, _)| *known == name);
    found.map(|(_, sensor)| sensor).ok_or_else(|| {
        let failure = Failure::new(format!("tierup has no profiler `{name}` for {}", host.title()));
        match names(host) {
            others if others.is_empty() => failure.hint("leave --sensor out".to_owned()),
            others => failure.hint(format!("leave --sensor out, or choose {others}")),
        }
    })
}

/// `--sensor perf, --sensor jfr`.
pub(super) fn names(host: &dyn Host) -> String {
    host.further_sensors().iter().map(|(name, _)| format!("--sensor {name}")).collect::<Vec<_>>().join(", ")
}
