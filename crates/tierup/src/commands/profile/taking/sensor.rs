//! Chooses the sensor for a profile. In: a host, its server, and the name from `--sensor`. Out: the named sensor, or
//! the host's own; its fallback if that one is not available.

use std::path::Path;

use tierup_codegen::{Host, HostSettings, Sensor, shims};
use tierup_rows::Described;
use tierup_runner::Observer as _;
use tierup_sampling::Private;

use super::{failure, first_line};
use crate::{
    console::Console,
    failure::{Failure, Result},
};

pub(super) fn choose(
    host: &'static dyn Host,
    settings: &HostSettings,
    name: Option<&str>,
    private: &Path,
    console: &Console,
) -> Result<Sensor> {
    chosen(host, name, private, "profile", || host.sensor(settings, &Described(settings), private), console)
}

/// The sensor for a running server.
pub(super) fn attached(
    host: &'static dyn Host,
    settings: &HostSettings,
    name: Option<&str>,
    private: &Path,
    console: &Console,
) -> Result<Sensor> {
    chosen(host, name, private, "attach to", || host.attached_sensor(settings, &Described(settings), private), console)
}

fn chosen(
    host: &'static dyn Host,
    name: Option<&str>,
    private: &Path,
    what: &str,
    own: impl FnOnce() -> std::result::Result<Sensor, String>,
    console: &Console,
) -> Result<Sensor> {
    match name {
        Some(name) => named(host, name, private),
        None => own().or_else(|why| instead(host, cannot(host, what, &why), private, console)),
    }
}

fn cannot(host: &dyn Host, what: &str, why: &str) -> Failure {
    let failure = Failure::new(format!("cannot {what} the server: {why}"));
    match names(host) {
        others if others.is_empty() => failure,
        others => failure.hint(format!("try another profiler: {others}")),
    }
}

/// Fetches a sensor's files into the private folder. If that fails, uses the host's fallback.
pub(super) fn prepared(
    sensor: Sensor,
    instead_of: Option<&'static dyn Host>,
    private: &Private,
    console: &mut Console,
) -> Result<Sensor> {
    let Err(error) = private.prepare(&sensor.files, &sensor.preparation, console) else { return Ok(sensor) };
    let why = failure(error, &sensor.hint);
    let Some(host) = instead_of else { return Err(why) };
    let other = instead(host, why, private.path(), console)?;
    private.prepare(&other.files, &other.preparation, console).map_err(|error| failure(error, &other.hint))?;
    Ok(other)
}

/// The host's fallback sensor, or `why` its own is not available if there is none.
fn instead(host: &'static dyn Host, why: Failure, private: &Path, console: &Console) -> Result<Sensor> {
    let Some(name) = host.fallback_sensor().filter(|_| !matches!(why, Failure::Interrupted)) else { return Err(why) };
    let sensor = named(host, name, private)?;
    console.note(&format!("{}; {} samples the server instead", first_line(&why), sensor.title));
    Ok(sensor)
}

/// The sensor of tier 4.
pub(super) fn of_rust(name: Option<&str>) -> Result<Sensor> {
    match name {
        None | Some("perf") => Ok(shims::server::sensor()),
        Some(name) => Err(Failure::usage(format!("tierup has no profiler `{name}` for tier 4"))
            .hint("leave --sensor out: tier 4 is sampled by perf")),
    }
}

/// An additional sensor of a host, by name.
fn named(host: &dyn Host, name: &str, private: &Path) -> Result<Sensor> {
    let found = host.further_sensors(private).into_iter().find(|(known, _)| *known == name);
    found.map(|(_, sensor)| sensor).ok_or_else(|| {
        let failure = Failure::usage(format!("tierup has no profiler `{name}` for {}", host.title()));
        match names(host) {
            others if others.is_empty() => failure.hint("leave --sensor out"),
            others => failure.hint(format!("leave --sensor out, or choose {others}")),
        }
    })
}

/// `--sensor perf, --sensor jfr`.
fn names(host: &dyn Host) -> String {
    // Only the names are used.
    let nowhere = Path::new("");
    host.further_sensors(nowhere).iter().map(|(name, _)| format!("--sensor {name}")).collect::<Vec<_>>().join(", ")
}
