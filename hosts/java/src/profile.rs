//! The sensor of Java servers: async-profiler, which `jcmd` loads into the running JVM.
//!
//! It samples CPU time by a timer of the kernel, native code and the collector included, and needs no rights beyond those
//! of the server's user. The timer is the process's (`itimer`): one of each thread (`ctimer`) never fires in threads that
//! live for less than its interval, and `CompletableFuture` starts a thread for each task where there are two processors.

mod witness;

use std::path::Path;

use tierup_codegen::{
    Allocations, Code, Command, Crossing, Declared, Executable, Files, FrameRule, HostSettings, KnownCost, LIMIT,
    OUTPUT, PID, Pattern, ProfileFormat, Profiling, SampledTime, Sampling, Sensor, ServerFolder, SymbolNames, Symbols,
    THE_SENSOR, ThreadRule, Tool, Variable, Variant, Watch, Witness, perf,
};

use crate::{Java, declared, frames};

const VERSION: &str = "4.2";
/// Between two samples of the process's CPU time. The kernel looks at timers of CPU time every 4 ms on most systems, so a
/// shorter one would lose samples: of 4 ms, a third was lost where threads run for 1.5 ms at a time.
const MICROSECONDS: u32 = 10_000;

/// The most frames of a stack.
const DEPTH: &str = "512";

/// Has HotSpot say which function compiled code belongs to at safepoints (loops, calls) only, as it does by default. An
/// agent that is loaded makes it say so between them too, and C2 is wrong there: what follows an inlined `Integer.valueOf`
/// in the same compiled method counts to the caller of that (docs/decisions/0046-java-names-code-at-safepoints.md).
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

/// The sensor of a server that runs already: its JVM takes no more options.
fn attached(private: &Path) -> Result<Sensor, String> {
    let system = system().ok_or("async-profiler has no build for this system: it runs on Linux and macOS")?;
    let library = format!("{system}/libasyncProfiler.{}", if cfg!(target_os = "macos") { "dylib" } else { "so" });
    let jar = format!("async-profiler-{VERSION}.jar");
    let loaded = private.join(&library).display().to_string();
    // jcmd takes an argument with commas as one only in quotes.
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
            // At its usual level, it prints to the server's own output that it has begun.
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

/// The threads that JFR does not sample: HotSpot names all of them.
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

/// The JVM's own recorder: it needs nothing but the JDK, and samples only threads that run Java code, a few at a time.
fn recorder() -> Sensor {
    // Of `profile.jfc`, which every JDK from version 11 on has.
    const BETWEEN_SAMPLES: u32 = 10_000;
    // `jfr` reads no file of another name.
    let recorded = format!("{OUTPUT}.jfr");
    let (file, limit) = (format!("filename={recorded}"), format!("duration={LIMIT}s"));
    // `duration` ends it if nobody stops it; it needs the file from the beginning then.
    // A JVM takes a name twice, and stops the older recording, which a killed tierup may have left.
    let name = format!("name=tierup-{}", std::process::id());
    let start = [PID, "JFR.start", &name, "settings=profile", &limit, &file];
    let print = ["print", "--events", "jdk.ExecutionSample", "--stack-depth", DEPTH, &recorded];
    Sensor {
        title: "JFR",
        files: Files::new(),
        preparation: Vec::new(),
        // By default, stacks have 64 frames.
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
        // A thread that waits for a processor counts too.
        time: SampledTime::ClockOfPart { rest: None },
        thread_rules: THREADS,
        allocations: Allocations::Uncounted,
        not_sampled: "native code, the kernel, the JVM's own threads (collector, compiler), and more than a few threads at a time",
        hint: "the server must run on a JDK of version 11 or newer, as the same user".to_owned(),
    }
}

/// `perf`, which needs frame pointers and, from version 17 on, the names of what the JVM has compiled.
fn native() -> Sensor {
    let symbols = Symbols {
        code: Code::Compiled,
        prefixes: &[],
        names: SymbolNames::Declaration,
        writes_map: Some((Executable("java"), Command::new("jcmd", [PID, "Compiler.perfmap"]))),
    };
    perf(symbols, vec![options("-XX:+PreserveFramePointer")])
}

/// Has Maven put the jar of an artifact into the private folder.
fn fetch(artifact: &str) -> Command {
    // Version 3.8.1 runs on every Maven that the package needs.
    let copy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
    let artifact = format!("-Dartifact={artifact}");
    Command::new("mvn", ["--batch-mode", "--quiet", copy, &artifact, "-DoutputDirectory=."])
}

/// Options of the server's JVM, beside the user's own.
fn options(value: &str) -> Variable {
    Variable { name: "JAVA_TOOL_OPTIONS", value: value.to_owned(), joined_by: Some(" "), asked_by: None }
}

/// The folder of this system's library in the artifact.
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
    fn a_jvm_is_told_only_where_it_is_started() {
        let started = sensor(Path::new("/p")).unwrap();
        let value = started.environment[0].beside(Some("-Xmx1g"));
        assert_eq!(value, "-Xmx1g -XX:+UnlockDiagnosticVMOptions -XX:-DebugNonSafepoints");
        assert!(!started.attaches());
        assert!(attached(Path::new("/p")).unwrap().attaches());
    }
}
