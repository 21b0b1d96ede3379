//! The sensor of Python servers: py-spy, which reads the stacks of other processes.
//!
//! Only threads with the GIL count: by default, py-spy counts waiters for the GIL as busy (benfred/py-spy issues 92 and
//! 610). It does not pause the server, which would halve its throughput. C code without the GIL is not sampled.

use std::path::Path;

use tierup_codegen::{
    Allocations, Command, Crossing, Executable, Files, FrameRule, HostSettings, LIMIT, OUTPUT, PID, ProfileFormat,
    Profiling, SampledTime, Sampling, Sensor, ServerFolder, Tool, Variant, Watch, Witness,
};

use crate::{Python, environment, frames, witness};

const PROGRAM: &str = "py-spy";
/// Samples per second.
const RATE: u32 = 200;

impl Profiling for Python {
    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an Intel Xeon with CPython 3.11 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.20, measured: MEASURED })
    }

    fn sensor(&self, settings: &HostSettings, folder: &dyn ServerFolder, _: &Path) -> Result<Sensor, String> {
        let own = format!("{}/{PROGRAM}", environment::programs(&environment::read(folder)));
        let program =
            if folder.exists(&own) { settings.folder.join(own).display().to_string() } else { PROGRAM.to_owned() };
        let rate = RATE.to_string();
        let arguments = [
            "record", "--pid", PID, "--subprocesses", "--gil", "--nonblocking", "--function", "--full-filenames",
            "--rate", &rate, "--duration", LIMIT, "--format", "raw", "--output", OUTPUT,
        ];
        Ok(Sensor {
            title: PROGRAM,
            files: Files::new(),
            preparation: Vec::new(),
            environment: Vec::new(),
            in_the_build: false,
            sampling: Sampling::Program {
                of: Executable("python"),
                command: Command::new(&program, arguments),
                begins: "Sampling process",
                process: "process ",
                threads_in: None,
            },
            format: ProfileFormat::Collapsed { microseconds: 1_000_000 / RATE },
            time: SampledTime::ClockOfPart { rest: Some("without the GIL (C code, system calls)") },
            thread_rules: &[],
            allocations: Allocations::Uncounted,
            not_sampled: "C code that lets the GIL go (compression, hashes, numpy)",
            hint:
                "py-spy must be allowed to read the server's memory: `sudo sysctl kernel.yama.ptrace_scope=0`, or run \
                   tierup as root; in a container, add the capability SYS_PTRACE"
                    .to_owned(),
        })
    }

    fn sensor_tools(&self) -> Vec<Tool> {
        vec![Tool {
            program: PROGRAM,
            part: None,
            purpose: "samples the server for `tierup profile`",
            version_arguments: &["--version"],
            minimum: "0.4.0",
            install: "pip install py-spy",
        }]
    }

    fn witness(
        &self,
        settings: &HostSettings,
        _: &dyn ServerFolder,
        watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        Some(Ok(witness::witness(&settings.folder, watch)))
    }
}
