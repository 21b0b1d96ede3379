//! How a profile of a host's server is taken while the server's source stays as it is.
//!
//! A sensor is data: files to write before the server is built, variables for its environment, and how its processes
//! start and stop sampling. `tierup-sampling` carries it out.

mod perf;

use std::time::Duration;

use crate::{Command, Files, Pattern};

pub use perf::perf;

/// How the processes of a server are sampled.
#[derive(Debug, Clone)]
pub struct Sensor {
    /// Its name for people: `V8's CPU profiler`.
    pub title: &'static str,
    /// Files for the run's private folder, written before the server is built.
    pub files: Files,
    /// Commands that fetch what the sensor needs. They run in the private folder, after the files are written.
    pub preparation: Vec<Command>,
    /// Variables for the commands that build and start the server.
    pub environment: Vec<Variable>,
    /// Whether building the server (`prepare`) makes the sensor a part of it. The server is then built once more after
    /// the run, without the sensor.
    pub in_the_build: bool,
    pub sampling: Sampling,
    pub format: ProfileFormat,
    pub time: SampledTime,
    /// Rules for threads that the sensor cannot sample: their CPU time, as the kernel counts it, becomes a row of its
    /// own. A rule never matches a thread with an agent.
    pub thread_rules: &'static [ThreadRule],
    /// The unit in which it counts the server's allocations, if it does.
    pub allocations: Allocations,
    /// Code that the sensor never sees, as the end of a sentence: `C code that lets the GIL go`. Empty if it sees all.
    pub not_sampled: &'static str,
    /// The next step for the user if no process of the server could be sampled.
    pub hint: String,
}

impl Sensor {
    /// Whether the sensor can attach to a server that already runs.
    pub fn attaches(&self) -> bool {
        self.environment.is_empty() && !self.in_the_build && !matches!(self.sampling, Sampling::Agent)
    }

    /// The same sensor, with this number of seconds in place of [`LIMIT`].
    #[must_use]
    pub fn with_limit(&self, limit: Duration) -> Sensor {
        let mut sensor = self.clone();
        let command = match &mut sensor.sampling {
            Sampling::Program { command, .. } => Some(command),
            Sampling::EachProcess { start, .. } => Some(start),
            Sampling::Recording { record, .. } => Some(record),
            Sampling::Agent | Sampling::Inspector { .. } => None,
        };
        let seconds = limit.as_secs().to_string();
        for argument in command.into_iter().flat_map(|command| &mut command.arguments) {
            *argument = argument.replace(LIMIT, &seconds);
        }
        sensor
    }
}

/// A variable for the server's environment.
#[derive(Debug, Clone)]
pub struct Variable {
    pub name: &'static str,
    pub value: String,
    /// The separator between the user's own value and this one. Without it, the value replaces the user's.
    pub joined_by: Option<&'static str>,
    /// Prints the user's own value, for variables that a file may also set; runs in the server's folder. Without it,
    /// the value is that of tierup's environment.
    pub asked_by: Option<Command>,
}

impl Variable {
    /// The value for the server, given the user's own value of this variable.
    pub fn beside(&self, own: Option<&str>) -> String {
        match (own.filter(|own| !own.is_empty()), self.joined_by) {
            (Some(own), Some(between)) => format!("{own}{between}{}", self.value),
            _ => self.value.clone(),
        }
    }
}

/// How sampling starts and stops. In arguments, [`PID`] stands for a process, [`PIDS`] for all processes of the server,
/// and [`OUTPUT`] for the file that the profile is written to. Sampling ends by itself after [`LIMIT`], because a
/// killed tierup cannot stop it.
#[derive(Debug, Clone)]
pub enum Sampling {
    /// Code in each process, or in each thread, connects to the Unix socket [`SOCKET`] in the private folder and obeys
    /// lines of text:
    ///
    /// | line | sent by | meaning |
    /// |---|---|---|
    /// | `hello PID THREAD ID` | the agent | once, after it has connected |
    /// | `start` | tierup | to be answered with `started` |
    /// | `stop FILE` | tierup | the profile is to be written to `FILE`; answered with `stopped CPU ALLOCATED` |
    /// | `failed WHY` | the agent | instead of another answer |
    ///
    /// `THREAD` is the runtime's number of the thread, 0 for the first, and `ID` the kernel's, which may be missing.
    /// `CPU` is the CPU time that the agent's thread used since `started`, in microseconds, or `-` if it is not known.
    /// `ALLOCATED` is what was allocated meanwhile, in the unit of [`Sensor::allocations`]; left out if it is unknown.
    /// An agent whose connection ends stops sampling.
    ///
    /// If `hello` ends in `names`, the agent also obeys `name` and answers `named`: its thread then inlines little.
    Agent,
    /// The same agents, in processes that already run. In each process that runs `of`, V8's inspector opens on SIGUSR1,
    /// evaluates a script and is closed again.
    Inspector {
        of: Executable,
        /// The script's file among the sensor's. It is an expression, in which `require` is Node's.
        script: &'static str,
        /// An environment variable of the child processes to which a parent forwards the signal. These would open their
        /// inspectors and leave them open, so the parent is left out.
        passed_on_to: &'static str,
    },
    /// A program samples a process and its descendants until it is interrupted as by Ctrl-C. Then it writes its
    /// profile. The process is the first of the server's that runs `of`.
    Program {
        of: Executable,
        command: Command,
        /// Part of the line that it prints when it has begun.
        begins: &'static str,
        /// The prefix, before the process id, of a frame that names the stack's process. A stack's last one counts.
        process: &'static str,
        /// The processes in which all threads but the first mostly belong to the sensor, such as its timers. If the
        /// kernel permits, these threads run as soon as they are due.
        threads_in: Option<Executable>,
    },
    /// Commands for each process of the server that runs `of`.
    EachProcess {
        of: Executable,
        start: Command,
        stop: Command,
        /// Parts of the output of `start` and `stop` if they succeed; any other output is the reason for a failure.
        accepted: [&'static str; 2],
        /// Prints the profile from [`OUTPUT`]. Without it, the file is the profile.
        print: Option<Command>,
    },
    /// A program records the stacks of all processes of the server until it is interrupted as by Ctrl-C. Another prints
    /// them in the format of `perf script`.
    Recording {
        record: Command,
        /// Part of the line that it prints when it has begun.
        begins: &'static str,
        /// Prints what was recorded, from [`OUTPUT`].
        print: Command,
        symbols: Symbols,
    },
}

/// How the functions of a runtime are named where native code is recorded.
#[derive(Debug, Clone)]
pub struct Symbols {
    /// Where the functions of the host's language are.
    pub code: Code,
    /// The prefixes that the runtime writes before a function's name, in any order and number: `JS:`, `*`.
    pub prefixes: &'static [&'static str],
    pub names: SymbolNames,
    /// A command that writes [`MAP`]. It runs before the stacks are printed, for each process of this executable.
    pub writes_map: Option<(Executable, Command)>,
}

impl Symbols {
    /// The symbols of a program that was compiled to machine code.
    pub const OF_PROGRAM: Symbols =
        Symbols { code: Code::Program, prefixes: &[], names: SymbolNames::Plain, writes_map: None };
}

/// The form of a function's name in the host's language, after its prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolNames {
    /// A name alone, or with its place: `answer /srv/server.js:12:3`.
    Plain,
    /// A declaration: `int shop.Cart.sum(int)`, which becomes `shop/Cart.sum`.
    Declaration,
    /// Erlang's: `'Elixir.Shop.Cart':sum/2`, which becomes `Shop.Cart.sum/2`. The server's processes write [`MODULES`],
    /// which lists the source of each module.
    OfModule,
}

/// Where a process keeps the functions of the host's language. All other code is native.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// In the program itself.
    Program,
    /// In memory that the runtime compiles into, with their names in [`MAP`].
    Compiled,
}

/// The file in which the runtime of a process ([`PID`]) names the code that it compiled. `perf` looks for it there.
pub const MAP: &str = "/tmp/perf-{pid}.map";

/// A file in the private folder with a line for each module of a process ([`PID`]): the name, a tab and the module's
/// source file.
pub const MODULES: &str = "modules-{pid}";

/// A program by the beginning of its file's name: `python` for `/usr/bin/python3.11`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Executable(pub &'static str);

/// See [`Sampling`].
pub const PID: &str = "{pid}";
/// See [`Sampling`].
pub const PIDS: &str = "{pids}";
/// See [`Sampling`].
pub const OUTPUT: &str = "{output}";
/// A whole number of seconds, see [`Sampling`].
pub const LIMIT: &str = "{limit}";
/// The name of the socket of [`Sampling::Agent`] in the private folder.
pub const SOCKET: &str = "agents";

/// The format of a sensor's profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileFormat {
    /// V8's JSON, as in `.cpuprofile` files.
    V8,
    /// One line per stack, with its frames separated by `;`, a space, and a count of samples that are this far apart.
    Collapsed { microseconds: u32 },
    /// The protobuf of pprof.
    Pprof,
    /// The output of `jfr print` for samples that are this far apart.
    Jfr { microseconds: u32 },
}

/// The time by which a sensor takes samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampledTime {
    /// By CPU time.
    Cpu,
    /// By the clock, even while a thread waits for a processor.
    Clock,
    /// As `Clock`, for a sensor that sees only a part of a process's work: samples are scaled down to its CPU time,
    /// never up. `rest` names the unseen part for people, if it is a single thing.
    ClockOfPart { rest: Option<&'static str> },
}

/// The allocations that a sensor counts between the start and the end of sampling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Allocations {
    Uncounted,
    /// On the heap of the runtime.
    Bytes,
    Objects,
}

/// One rule. The first rule of a list that fits a thread's name decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadRule {
    /// Matches the kernel's name of the thread: at most 15 bytes. A thread without a name of its own has the name of
    /// its creator.
    pub name: Pattern,
    /// The threads' work, for people: a row of the profile.
    pub what: &'static str,
}

/// The row for all work of a sensor within the server, and [`ThreadRule::what`] of its own threads.
pub const THE_SENSOR: &str = "the profiler itself";

impl ThreadRule {
    pub const fn new(name: Pattern, what: &'static str) -> ThreadRule {
        ThreadRule { name, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sensor_ends_by_itself() {
        let sensor = perf(Symbols::OF_PROGRAM, Vec::new()).with_limit(Duration::from_millis(64_500));
        let Sampling::Recording { record, .. } = sensor.sampling else { panic!("perf records") };
        assert!(record.arguments.last().is_some_and(|last| last.ends_with("exec sleep 64")), "{record:?}");
    }

    #[test]
    fn the_users_own_value_stays() {
        let options =
            Variable { name: "NODE_OPTIONS", value: "--require x".into(), joined_by: Some(" "), asked_by: None };
        assert_eq!(options.beside(Some("--no-warnings")), "--no-warnings --require x");
        assert_eq!(options.beside(Some("")), "--require x");
        assert_eq!(options.beside(None), "--require x");
        assert_eq!(Variable { joined_by: None, ..options }.beside(Some("--no-warnings")), "--require x");
    }
}
