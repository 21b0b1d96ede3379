//! The sensor of Python servers: py-spy, which reads the stacks of other processes.
//!
//! Only threads that hold the GIL count: by default, py-spy counts waiters for the GIL as busy (benfred/py-spy issues 92
//! and 610). It does not pause the server, which would halve its throughput. C code that lets the GIL go is not seen.

use tierup_codegen::{
    Allocations, Command, Executable, Files, HostSettings, LIMIT, OUTPUT, PID, ProfileFormat, SampledTime, Sampling,
    Sensor, ServerFolder, Tool,
};

use crate::environment;

const PROGRAM: &str = "py-spy";
/// Samples per second.
const RATE: u32 = 200;

pub(crate) fn tool() -> Tool {
    Tool {
        program: PROGRAM,
        part: None,
        purpose: "samples the server for `tierup profile`",
        version_arguments: &["--version"],
        minimum: "0.4.0",
        install: "pip install py-spy",
    }
}

pub(crate) fn sensor(settings: &HostSettings, folder: &dyn ServerFolder) -> Sensor {
    let own = format!("{}/{PROGRAM}", environment::programs(&environment::of(folder)));
    let program =
        if folder.exists(&own) { settings.folder.join(own).display().to_string() } else { PROGRAM.to_owned() };
    let rate = RATE.to_string();
    let arguments = [
        "record", "--pid", PID, "--subprocesses", "--gil", "--nonblocking", "--function", "--full-filenames", "--rate",
        &rate, "--duration", LIMIT, "--format", "raw", "--output", OUTPUT,
    ];
    Sensor {
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
        hint: "py-spy must be allowed to read the server's memory: `sudo sysctl kernel.yama.ptrace_scope=0`, or run \
               tierup as root; in a container, add the capability SYS_PTRACE"
            .to_owned(),
    }
}
