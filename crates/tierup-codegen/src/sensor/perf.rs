//! `perf` as a sensor: Linux's own profiler, which sees native code, the collector and the kernel too. In: how the
//! runtime names its functions, and the variables that make it keep frame pointers and name them. Out: a [`Sensor`].

use super::{Allocations, LIMIT, OUTPUT, PIDS, ProfileFormat, SampledTime, Sampling, Sensor, Symbols, Variable};
use crate::{Command, Files};

/// CPU time between two samples. It is prime, so that sampling never falls into step with the kernel's tick.
const MICROSECONDS: u32 = 5003;

/// `perf` for processes of a runtime.
pub fn perf(symbols: Symbols, environment: Vec<Variable>) -> Sensor {
    // `cpu-clock` needs no performance counter, so it works in virtual machines. Its period is in nanoseconds.
    let period = format!("{}", u64::from(MICROSECONDS) * 1000);
    let begun = format!("echo {BEGINS}; exec sleep {LIMIT}");
    // perf starts the program after `--` once events count, and ends it: its first line tells that sampling has begun.
    let record = ["record", "-e", "cpu-clock", "-c", &period, "-g", "-p", PIDS, "-o", OUTPUT, "--", "sh", "-c", &begun];
    // To resolve inlined functions, perf would search the debug information for each address, which takes very long.
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
