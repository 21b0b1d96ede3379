//! The sensors of servers on the BEAM: a process among the server's own, which asks the others for their stacks, and `perf`.
//!
//! `ERL_AFLAGS` starts that process before the server's own code. In: the run's private folder. Out: a sensor.

use std::path::Path;

use tierup_codegen::{
    Allocations, Code, Files, MODULES, PID, ProfileFormat, SampledTime, Sampling, Sensor, SymbolNames, Symbols, perf,
};

use crate::agent::{Agent, flags, text};

const AGENT: Agent = Agent(&[
    ("tierup_stacks.erl", include_str!("../templates/profile/tierup_stacks.erl")),
    ("tierup_time.erl", include_str!("../templates/profile/tierup_time.erl")),
    ("tierup_profile.erl", include_str!("../templates/profile/tierup_profile.erl")),
]);
/// Timers of the BEAM tick in milliseconds.
const MICROSECONDS: u32 = 5000;

pub(crate) fn sensor(private: &Path) -> Sensor {
    Sensor {
        title: "a sampler in the BEAM",
        files: files(private),
        preparation: vec![AGENT.compiled()],
        environment: vec![flags(AGENT.started(private, "sample"))],
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        time: SampledTime::ClockOfPart { rest: None },
        thread_rules: &[],
        allocations: Allocations::Uncounted,
        not_sampled: "threads that NIFs start, and where a process was before it made way for another or waited: it shows its stack there",
        hint: "the server must run on Erlang/OTP 25 or newer, as a BEAM that reads ERL_AFLAGS".to_owned(),
    }
}

/// `perf`, which also sees NIFs, the BEAM itself and the kernel. The BEAM's compiler writes down the names of its functions, and the
/// agent where their modules' sources are.
pub(crate) fn native(private: &Path) -> Sensor {
    let symbols = Symbols { code: Code::Compiled, prefixes: &["$"], names: SymbolNames::OfModule, writes_map: None };
    Sensor {
        files: files(private),
        preparation: vec![AGENT.compiled()],
        not_sampled: "who called a function of the BEAM's own or a NIF: these run on a stack of their own",
        // With `map` and nothing else: of `true`, the BEAM writes its code to a file, too.
        ..perf(symbols, vec![flags(format!("+JPperf map {}", AGENT.started(private, "name_modules")))])
    }
}

fn files(private: &Path) -> Files {
    let modules = text(&private.join(MODULES.replace(PID, "")).display().to_string());
    AGENT.files(private, &[("microseconds", &MICROSECONDS.to_string()), ("modules", &modules)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_filled_in() {
        let files = sensor(Path::new("/p")).files;
        for (name, content) in files.iter() {
            assert!(!String::from_utf8_lossy(content).contains("}})."), "{name}");
        }
        let agent = String::from_utf8(files.get("tierup_profile.erl").unwrap().to_vec()).unwrap();
        assert!(agent.contains(r#"-define(MODULES, "/p/modules-")."#), "{agent}");
        assert!(agent.contains("-define(INTERVAL, 5000)."), "{agent}");
    }
}
