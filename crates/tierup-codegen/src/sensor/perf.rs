//! `perf` as a sensor: Linux's own profiler, which sees native code, the collector and the kernel too. In: how the
//! runtime names its functions, and the variables that make it keep frame pointers and name them. Out: a [`Sensor`].

use super::{Allocations, LIMIT, OUTPUT, PIDS, ProfileFormat, SampledTime, Sampling, Sensor, Symbols, Variable};
use crate::{Command, Files};

/// Between two samples of CPU time. No divisor of the kernel's own tick, so that the two never keep step.
const MICROSECONDS: u32 = 5003;

/// `perf` for processes of a runtime.
pub fn perf(symbols: Symbols, environment: Vec<Variable>) -> Sensor {
    // The clock of the CPU is there without a performance counter: in virtual machines, for instance. Its unit is the
    // nanosecond.
    let period = format!("{}", u64::from(MICROSECONDS) * 1000);
    let begun = format!("echo {BEGINS}; exec sleep {LIMIT}");
    // A program behind `--` is started when the events count, and ended by perf: its first line says when sampling begins.
    let record = ["record", "-e", "cpu-clock", "-c", &period, "-g", "-p", PIDS, "-o", OUTPUT, "--", "sh", "-c", &begun];
    // Inlined functions would take a debugger's time for each address.
    let print = ["script", "--no-inline", "--force", "-F", "comm,pid,tid,ip,sym,dso", "-i", OUTPUT];
    Sensor {
        title: "perf",
        files: Files::new(),
        preparation: Vec::new(),
        environment,
        in_the_build: false,
        sampling: Sampling::Recording {
            record: Command::new("perf", record),
            begins: BEGINS,
            print: Command::new("perf", print),
            symbols,
        },
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        time: SampledTime::Cpu,
        thread_rules: &[],
        allocations: Allocations::Uncounted,
        not_sampled: "",
        hint: "perf must be installed (Debian: linux-perf) and allowed: `sudo sysctl kernel.perf_event_paranoid=1`, or run \
               tierup as root; in a container, add the capability PERFMON"
            .to_owned(),
    }
}

const BEGINS: &str = "tierup: perf samples";
