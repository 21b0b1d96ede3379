//! The sensor of Node servers: V8's CPU profiler, driven from inside of every process and worker thread.
//!
//! `NODE_OPTIONS=--require` loads a file before the server's own code. It opens an in-process inspector session, which
//! needs no port. `--cpu-prof` does not suffice: before version 23, Node refuses it in `NODE_OPTIONS`, and a process
//! that SIGTERM ends writes no such profile.

mod witness;

use std::path::Path;

use tierup_codegen::source::fill;

use crate::{Node, declared, frames, handler};
use tierup_codegen::{
    Allocations, Code, Crossing, Declared, Executable, Files, FrameRule, HostSettings, KnownCost, Pattern,
    ProfileFormat, Profiling, SOCKET, SampledTime, Sampling, Sensor, ServerFolder, SymbolNames, Symbols, THE_SENSOR,
    ThreadRule, Variable, Variant, Watch, Witness, perf,
};

const PRELOAD: &str = "preload.cjs";
const ATTACHED: &str = "attached.js";
/// A variable that `node:cluster` sets in the environment of its workers.
const CLUSTER_WORKER: &str = "NODE_UNIQUE_ID";
/// These are Node 24's names, which the agent also sets in older versions. libuv names its threads since 1.50.
const THREADS: &[ThreadRule] = &[
    ThreadRule::new(Pattern::Starts(PROFILER), THE_SENSOR),
    ThreadRule::new(Pattern::Is("V8Worker"), "V8's own threads (garbage collector, compiler)"),
    ThreadRule::new(Pattern::Starts("DelayedTask"), "V8's own threads (garbage collector, compiler)"),
    ThreadRule::new(Pattern::Is("libuv-worker"), "libuv's threads (files, zlib, DNS)"),
    ThreadRule::new(Pattern::Contains(""), "libuv's and other threads (files, zlib, DNS)"),
];
/// Rules for a running process, in which the threads cannot be told apart.
const UNNAMED_THREADS: &[ThreadRule] = &[
    ThreadRule::new(Pattern::Starts(PROFILER), THE_SENSOR),
    ThreadRule::new(Pattern::Contains(""), "other threads (V8's, libuv's, workers)"),
];
/// The name of the thread that V8 samples with.
const PROFILER: &str = "v8:ProfEvntProc";
/// V8's default.
const MICROSECONDS: u32 = 1000;

impl Profiling for Node {
    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn known_costs(&self) -> &'static [KnownCost] {
        frames::COSTS
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an Intel Xeon with Node.js 20.20 in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.42, measured: MEASURED })
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        Ok(sensor(private))
    }

    fn attached_sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        Ok(attached(private))
    }

    fn further_sensors(&self, _: &Path) -> Vec<(&'static str, Sensor)> {
        vec![("perf", native())]
    }

    fn witness(
        &self,
        settings: &HostSettings,
        _: &dyn ServerFolder,
        watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        Some(Ok(witness::witness(&settings.folder, watch)))
    }

    fn declared(&self, folder: &dyn ServerFolder, file: &str, name: &str) -> Option<Result<Declared, String>> {
        declared::declared(folder, file, name)
    }

    fn repository(&self, folder: &dyn ServerFolder) -> usize {
        declared::workspace(folder)
    }

    fn compiled(&self, folder: &dyn ServerFolder, source: &str) -> Vec<String> {
        declared::compiled(folder, source)
    }

    fn handles(&self, folder: &dyn ServerFolder, file: &str, line: u32) -> Option<String> {
        let given = handler::given(&folder.read(file)?, line)?;
        Some(format!("it is a handler of the framework, which gives it `{given}`"))
    }
}

fn sensor(private: &Path) -> Sensor {
    let preload = agent(private, true);
    let require = Variable {
        name: "NODE_OPTIONS",
        value: format!("--require {}", quoted(&private.join(PRELOAD))),
        joined_by: Some(" "),
        asked_by: None,
    };
    Sensor {
        title: "V8's CPU profiler",
        files: Files::new().with(PRELOAD, preload),
        preparation: Vec::new(),
        environment: vec![require],
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::V8,
        time: SampledTime::Clock,
        thread_rules: THREADS,
        allocations: Allocations::Bytes,
        not_sampled: "what begins or ends within a block",
        hint: "the server must run on Node.js 18 or newer, and take NODE_OPTIONS from its environment".to_owned(),
    }
}

/// The agent in running processes, through the inspector that Node opens on SIGUSR1. It sees only the main thread of
/// each process, because evaluated code does not reach worker threads.
fn attached(private: &Path) -> Sensor {
    let script = format!("((require) => {{\n{}}})(require)\n", agent(private, false));
    Sensor {
        files: Files::new().with(ATTACHED, script),
        environment: Vec::new(),
        thread_rules: UNNAMED_THREADS,
        sampling: Sampling::Inspector { of: Executable("node"), script: ATTACHED, passed_on_to: CLUSTER_WORKER },
        hint:
            "the server must run on Node.js 18 or newer, as the same user, leave SIGUSR1 to Node, and come back to its \
               event loop"
                .to_owned(),
        ..sensor(private)
    }
}

/// The agent's source. `before_the_server` says whether it runs first, so that it can tell V8's threads from others.
fn agent(private: &Path, before_the_server: bool) -> String {
    let socket = private.join(SOCKET).display().to_string();
    fill(
        include_str!("../templates/profile/preload.cjs"),
        &[
            ("before_the_server", &before_the_server.to_string()),
            ("inlined", include_str!("../templates/profile/inlined.cjs")),
            ("microseconds", &MICROSECONDS.to_string()),
            ("socket", &serde_json::Value::from(socket).to_string()),
        ],
    )
}

/// `perf`, which also sees C++, the threads of libuv and V8, and the kernel. V8 names its compiled code, and gives
/// interpreted functions their own frames.
fn native() -> Sensor {
    let symbols = Symbols {
        code: Code::Compiled,
        // The kind of code, and a sign for its level of optimization (V8, `CodeKindToMarker`).
        prefixes: &["JS:", "LazyCompile:", "Function:", "Script:", "Eval:", "*", "~", "^", "+'", "+"],
        names: SymbolNames::Plain,
        writes_map: None,
    };
    let names = Variable {
        name: "NODE_OPTIONS",
        value: "--perf-basic-prof --interpreted-frames-native-stack".to_owned(),
        joined_by: Some(" "),
        asked_by: None,
    };
    perf(symbols, vec![names])
}

/// A path as one word of `NODE_OPTIONS`.
fn quoted(path: &Path) -> String {
    format!("\"{}\"", path.display().to_string().replace('\\', r"\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_one_word_and_one_string() {
        let sensor = sensor(Path::new("/a b/it's \"c\""));
        assert_eq!(sensor.environment[0].value, r#"--require "/a b/it's \"c\"/preload.cjs""#);
        let preload = String::from_utf8(sensor.files.get(PRELOAD).unwrap().to_vec()).unwrap();
        assert!(preload.contains(r#"const SOCKET = "/a b/it's \"c\"/agents";"#), "{preload}");
        assert!(preload.contains("const MICROSECONDS = 1000;") && !preload.contains("{{"), "{preload}");
    }
}
