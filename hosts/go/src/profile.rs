//! The sensor of Go servers: `runtime/pprof`, started by a file that the build adds to the server's package.
//!
//! `go build -overlay` adds a file without changing the server's folder. The server's own command builds it, with
//! `GOFLAGS` in its environment, and builds it without the file after the run.

use std::path::Path;

use tierup_codegen::{
    Allocations, Crossing, Declared, Files, FrameRule, HostSettings, ProfileFormat, Profiling, SOCKET, SampledTime,
    Sampling, Sensor, ServerFolder, Symbols, Variant, Watch, Witness, perf, source::fill,
};

use crate::{
    Go, declared, frames,
    overlay::{Build, HINT, OVERLAY, overlay, quoted},
    witness,
};

const SENSOR: &str = "sensor.go";
/// The name of the added file in the server's package. It must be unused there.
const ADDED: &str = "tierup_profile_sensor.go";

impl Profiling for Go {
    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an Intel Xeon with Go 1.26 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.13, measured: MEASURED })
    }

    fn sensor(&self, settings: &HostSettings, folder: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
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

    fn attached_sensor(&self, _: &HostSettings, _: &dyn ServerFolder, _: &Path) -> Result<Sensor, String> {
        Ok(native())
    }

    fn further_sensors(&self, _: &Path) -> Vec<(&'static str, Sensor)> {
        vec![("perf", native())]
    }

    fn witness(
        &self,
        settings: &HostSettings,
        folder: &dyn ServerFolder,
        watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        Some(witness::witness(settings, folder, watch))
    }

    fn is_closure(&self, function: &str) -> bool {
        witness::name::is_closure(function)
    }

    fn declared(&self, folder: &dyn ServerFolder, file: &str, name: &str) -> Option<Result<Declared, String>> {
        Some(declared::declared(folder, file, name))
    }
}

/// `perf` needs no special build, as Go keeps frame pointers. It also sees C code and the kernel.
fn native() -> Sensor {
    let perf = perf(Symbols::OF_PROGRAM, Vec::new());
    let hint =
        format!("{}. A server with net/http/pprof needs no perf: --pprof http://127.0.0.1:6060/debug/pprof", perf.hint);
    Sensor { hint, ..perf }
}
