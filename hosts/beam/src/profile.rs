//! The sensors of servers on the BEAM: `perf`, and an Erlang process that asks the server's processes for their stacks.
//!
//! `ERL_AFLAGS` starts that process before the server's own code. In: the run's private folder. Out: a sensor.

use std::path::Path;

use tierup_codegen::{
    Allocations, Code, Crossing, Files, FrameRule, HostSettings, MODULES, PID, ProfileFormat, Profiling, SampledTime,
    Sampling, Sensor, ServerFolder, SymbolNames, Symbols, Variant, Watch, Witness, perf,
};

use crate::{
    Beam,
    agent::{Agent, flags, text},
    frames, witness,
};

const AGENT: Agent = Agent(&[
    ("tierup_stacks.erl", include_str!("../templates/profile/tierup_stacks.erl")),
    ("tierup_time.erl", include_str!("../templates/profile/tierup_time.erl")),
    ("tierup_profile.erl", include_str!("../templates/profile/tierup_profile.erl")),
]);
/// The BEAM's timers count milliseconds.
const MICROSECONDS: u32 = 5000;

impl Profiling for Beam {
    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an AMD EPYC with Elixir 1.14 and OTP 25 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 3.97, measured: MEASURED })
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        Ok(sensor(private))
    }

    /// `perf`, which also sees NIFs, the BEAM itself and the kernel. The BEAM's compiler writes down the names of its
    /// functions, and the agent the places of their modules' sources.
    fn further_sensors(&self, private: &Path) -> Vec<(&'static str, Sensor)> {
        let symbols =
            Symbols { code: Code::Compiled, prefixes: &["$"], names: SymbolNames::OfModule, writes_map: None };
        let perf = Sensor {
            files: files(private),
            preparation: vec![AGENT.compiled()],
            not_sampled: "who called a function of the BEAM's own or a NIF: these run on a stack of their own",
            // With `map` only: `true` would make the BEAM write its code to a file, too.
            ..perf(symbols, vec![flags(format!("+JPperf map {}", AGENT.started(private, "name_modules")))])
        };
        vec![("perf", perf)]
    }

    fn witness(&self, _: &HostSettings, _: &dyn ServerFolder, watch: &Watch<'_>) -> Option<Result<Witness, String>> {
        Some(Ok(witness::witness(watch)))
    }

    fn is_closure(&self, function: &str) -> bool {
        frames::is_closure(function)
    }
}

fn sensor(private: &Path) -> Sensor {
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
