//! The sensor of Java servers: async-profiler, which `jcmd` loads into the running JVM.
//!
//! It samples CPU time by a timer of the kernel, including native code and the garbage collector, and needs only the
//! rights of the server's user. It uses the process's timer (`itimer`): a thread's (`ctimer`) never fires in threads
//! shorter than its interval, and `CompletableFuture` starts a thread for each task on two processors.

mod witness;

use std::path::Path;

use tierup_codegen::{
    Allocations, Code, Command, Crossing, Declared, Executable, Files, FrameRule, HostSettings, KnownCost, LIMIT,
    OUTPUT, PID, Pattern, ProfileFormat, Profiling, SampledTime, Sampling, Sensor, ServerFolder, SymbolNames, Symbols,
    THE_SENSOR, ThreadRule, Tool, Variable, Variant, Watch, Witness, perf,
};

use crate::{Java, declared, frames};

const VERSION: &str = "4.2";
/// The CPU time of the process between two samples. Most kernels check CPU timers every 4 ms, so a shorter time would
/// lose samples: with 4 ms, a third was lost where threads run for 1.5 ms at a time.
const MICROSECONDS: u32 = 10_000;

/// The limit for a stack's frames.
const DEPTH: &str = "512";

/// HotSpot maps compiled code to functions only at safepoints (loops, calls) by default. A loaded agent makes it do so
/// between them too, but C2 is wrong there: code after an inlined `Integer.valueOf` in the same compiled method counts
/// to that method's caller (docs/decisions/0046-java-names-code-at-safepoints.md). This keeps the default.
const AT_SAFEPOINTS: &str = "-XX:+UnlockDiagnosticVMOptions -XX:-DebugNonSafepoints";

impl Profiling for Java {
    fn frames(&self) -> &'static [FrameRule] {
        frames::FRAMES
    }

    fn known_costs(&self) -> &'static [KnownCost] {
        frames::COSTS
    }

    fn crossing(&self) -> Option<Crossing> {
        const MEASURED: &str = "2 cores of an Intel Xeon with Java 17 (JNI) in November 2026";
        Some(Crossing { variant: Variant::Native, microseconds: 0.29, measured: MEASURED })
    }

    fn sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        sensor(private)
    }

    fn attached_sensor(&self, _: &HostSettings, _: &dyn ServerFolder, private: &Path) -> Result<Sensor, String> {
        attached(private)
    }

    fn further_sensors(&self, _: &Path) -> Vec<(&'static str, Sensor)> {
        vec![("perf", native()), ("jfr", recorder())]
    }

    fn fallback_sensor(&self) -> Option<&'static str> {
        Some("jfr")
    }

    fn sensor_tools(&self) -> Vec<Tool> {
        vec![tool(), fallback_tool()]
    }

    fn witness(&self, _: &HostSettings, _: &dyn ServerFolder, watch: &Watch<'_>) -> Option<Result<Witness, String>> {
        Some(witness::witness(watch))
    }

    fn declared(&self, folder: &dyn ServerFolder, file: &str, name: &str) -> Option<Result<Declared, String>> {
        Some(declared::declared(folder, file, name))
    }

    fn source_of(&self, folder: &dyn ServerFolder, function: &str) -> Option<String> {
        declared::source_of(folder, function)
    }
}

fn tool() -> Tool {
    Tool {
        program: "jcmd",
        part: None,
        purpose: "loads async-profiler into the server, for `tierup profile`; Maven fetches that for each profile",
        version_arguments: &["-h"],
        minimum: "",
        install: "https://adoptium.net (apt-get install openjdk-17-jdk-headless)",
    }
}

/// The program that reads the recordings of [`recorder`].
fn fallback_tool() -> Tool {
    Tool {
        program: "jfr",
        part: None,
        purpose: "reads the JVM's own recordings, for `tierup profile` where async-profiler cannot be fetched",
        version_arguments: &["version"],
        minimum: "",
        install: "https://adoptium.net (apt-get install openjdk-17-jdk-headless)",
    }
}

/// The sensor of a server that tierup starts.
fn sensor(private: &Path) -> Result<Sensor, String> {
    Ok(Sensor { environment: vec![options(AT_SAFEPOINTS)], ..attached(private)? })
}

/// The sensor of a server that is already running: its JVM takes no more options.
fn attached(private: &Path) -> Result<Sensor, String> {
    let system = system().ok_or("async-profiler has no build for this system: it runs on Linux and macOS")?;
    let library = format!("{system}/libasyncProfiler.{}", if cfg!(target_os = "macos") { "dylib" } else { "so" });
    let jar = format!("async-profiler-{VERSION}.jar");
    let loaded = private.join(&library).display().to_string();
    // jcmd splits an argument at commas unless it is quoted.
    let load = |options: String| {
        let options = format!("\"{options}\"");
        Command::new("jcmd", [PID, "JVMTI.agent_load", &loaded, &options])
    };
    Ok(Sensor {
        title: "async-profiler",
        files: Files::new(),
        preparation: vec![
            fetch(&format!("tools.profiler:async-profiler:{VERSION}")),
            Command::new("jar", ["xf", &jar, &library]),
        ],
        environment: Vec::new(),
        in_the_build: false,
        sampling: Sampling::EachProcess {
            of: Executable("java"),
            // At its usual level, async-profiler reports its start on the server's standard output.
            start: load(format!(
                "start,event=itimer,interval={MICROSECONDS}us,timeout={LIMIT},loglevel=error,file={OUTPUT}"
            )),
            stop: load(format!("stop,collapsed,file={OUTPUT}")),
            accepted: ["return code: 0"; 2],
            print: None,
        },
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        time: SampledTime::Cpu,
        thread_rules: &[],
        allocations: Allocations::Uncounted,
        not_sampled: "processes that begin or end within a block, and on many processors a part of all threads' samples; a function \
                 without loops and calls that the JIT compiler has inlined counts to its caller",
        hint: "the server must run on a JDK of version 11 or newer, as the same user".to_owned(),
    })
}

/// The threads that JFR does not sample. HotSpot gives all of them names.
const THREADS: &[ThreadRule] = &[
    ThreadRule::new(Pattern::Starts("JFR "), THE_SENSOR),
    ThreadRule::new(Pattern::Starts("C1 Compiler"), COMPILER),
    ThreadRule::new(Pattern::Starts("C2 Compiler"), COMPILER),
    ThreadRule::new(Pattern::Starts("GC Thread"), COLLECTOR),
    ThreadRule::new(Pattern::Starts("G1 "), COLLECTOR),
    ThreadRule::new(Pattern::Starts("VM "), "the JVM's own threads"),
];
const COMPILER: &str = "the JVM's compiler threads";
const COLLECTOR: &str = "the JVM's collector threads";

/// The JVM's own recorder. It needs only the JDK. It samples only threads that run Java code, a few at a time.
fn recorder() -> Sensor {
    // The interval in `profile.jfc`, which every JDK from version 11 on has.
    const BETWEEN_SAMPLES: u32 = 10_000;
    // `jfr` reads only files that end in this.
    let recorded = format!("{OUTPUT}.jfr");
    let (file, limit) = (format!("filename={recorded}"), format!("duration={LIMIT}s"));
    // `duration` ends the recording if nobody stops it, and needs the file from the start. A second recording of this
    // name stops the older one, which a killed tierup may have left.
    let name = format!("name=tierup-{}", std::process::id());
    let start = [PID, "JFR.start", &name, "settings=profile", &limit, &file];
    let print = ["print", "--events", "jdk.ExecutionSample", "--stack-depth", DEPTH, &recorded];
    Sensor {
        title: "JFR",
        files: Files::new(),
        preparation: Vec::new(),
        // Stacks have 64 frames by default.
        environment: vec![options(&format!("-XX:FlightRecorderOptions=stackdepth={DEPTH} {AT_SAFEPOINTS}"))],
        in_the_build: false,
        sampling: Sampling::EachProcess {
            of: Executable("java"),
            start: Command::new("jcmd", start),
            stop: Command::new("jcmd", [PID, "JFR.stop", &name, &file]),
            accepted: ["Started recording", "Stopped recording"],
            print: Some(Command::new("jfr", print)),
        },
        format: ProfileFormat::Jfr { microseconds: BETWEEN_SAMPLES },
        // A thread that waits for a processor is sampled, too.
        time: SampledTime::ClockOfPart { rest: None },
        thread_rules: THREADS,
        allocations: Allocations::Uncounted,
        not_sampled: "native code, the kernel, the JVM's own threads (collector, compiler), and more than a few threads at a time",
        hint: "the server must run on a JDK of version 11 or newer, as the same user".to_owned(),
    }
}

/// `perf`, which needs frame pointers and, from version 17 on, the names of JIT-compiled methods.
fn native() -> Sensor {
    let symbols = Symbols {
        code: Code::Compiled,
        prefixes: &[],
        names: SymbolNames::Declaration,
        writes_map: Some((Executable("java"), Command::new("jcmd", [PID, "Compiler.perfmap"]))),
    };
    perf(symbols, vec![options("-XX:+PreserveFramePointer")])
}

/// Makes Maven put the jar of an artifact into the private folder.
fn fetch(artifact: &str) -> Command {
    // Version 3.8.1 runs with every Maven version that the package supports.
    let copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
    let artifact = format!("-Dartifact={artifact}");
    Command::new("mvn", ["--batch-mode", "--quiet", copy, &artifact, "-DoutputDirectory=."])
}

/// Options for the server's JVM, in addition to the user's.
fn options(value: &str) -> Variable {
    Variable { name: "JAVA_TOOL_OPTIONS", value: value.to_owned(), joined_by: Some(" "), asked_by: None }
}

/// The folder with this system's library in the artifact.
fn system() -> Option<&'static str> {
    if cfg!(target_os = "macos") {
        return Some("macos");
    }
    match (cfg!(target_os = "linux"), std::env::consts::ARCH) {
        (true, "x86_64") => Some("linux-x64"),
        (true, "aarch64") => Some("linux-arm64"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_jvm_that_tierup_starts_gets_options() {
        let started = sensor(Path::new("/p")).unwrap();
        let value = started.environment[0].beside(Some("-Xmx1g"));
        assert_eq!(value, "-Xmx1g -XX:+UnlockDiagnosticVMOptions -XX:-DebugNonSafepoints");
        assert!(!started.attaches());
        assert!(attached(Path::new("/p")).unwrap().attaches());
    }
}
