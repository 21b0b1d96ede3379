//! The sensor of Go servers: `runtime/pprof`, driven by a file that the build adds to the server's package.
//!
//! `go build -overlay` sees a file that is not in the server's folder. So the server is built by its own command, with
//! `GOFLAGS` in its environment, and once more without it after the run.

use std::path::Path;

use tierup_codegen::{
    Allocations, Files, HostSettings, ProfileFormat, SOCKET, SampledTime, Sampling, Sensor, ServerFolder, Symbols,
    perf, source::fill,
};

use crate::overlay::{Build, HINT, OVERLAY, overlay, quoted};

const SENSOR: &str = "sensor.go";
/// The file's name in the server's package, where no file has it.
const ADDED: &str = "tierup_profile_sensor.go";

pub(crate) fn sensor(settings: &HostSettings, folder: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
    let build = Build::read(settings, folder)?;
    let text = |path: &Path| path.display().to_string();
    let sensor = fill(
        include_str!("../templates/profile/sensor.go"),
        &[("folder", &quoted(&text(private))), ("socket", &quoted(&text(&private.join(SOCKET))))],
    );
    let added = (format!("{}{ADDED}", build.package), text(&private.join(SENSOR)));
    Ok(Sensor {
        title: "runtime/pprof",
        files: Files::new().with(SENSOR, sensor).with(OVERLAY, overlay(&[added])),
        preparation: Vec::new(),
        environment: vec![build.variable(private)?],
        in_the_build: true,
        sampling: Sampling::Agent,
        format: ProfileFormat::Pprof,
        time: SampledTime::Cpu,
        thread_rules: &[],
        allocations: Allocations::Bytes,
        not_sampled: "processes that begin or end within a block",
        hint: HINT.to_owned(),
    })
}

/// `perf`, which needs no change of the build, as Go keeps frame pointers. It also sees C code and the kernel.
pub(crate) fn native() -> Sensor {
    let perf = perf(Symbols::OF_PROGRAM, Vec::new());
    let hint =
        format!("{}. A server with net/http/pprof needs no perf: --pprof http://127.0.0.1:6060/debug/pprof", perf.hint);
    Sensor { hint, ..perf }
}
