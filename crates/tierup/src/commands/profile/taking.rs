//! Takes a profile: starts a server with its host's sensor, and loads it. In: a project or a command. Out: the profile,
//! and how much the sensor slowed the server.

mod attaching;
mod declaring;
mod failing;
pub(super) mod observing;
pub(super) mod places;
mod pprof;
mod sensor;
pub(in crate::commands) mod server;
mod shown;
pub(in crate::commands) mod watched;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    thread::available_parallelism,
    time::Duration,
};

use clap::Args;
use tierup_bench::loading::Terms;
use tierup_codegen::{Host, Row, Sensor, Variable};
use tierup_profile::{Allocated, CallCost, Naming, Profile, Ranking, Routes, Sensed, Slowdown, SourceMaps, rank};
use tierup_project::{Loaded, Source, quantities::duration, requests};
use tierup_requests::Set;
use tierup_rows::{build_with_symbols, hold};
use tierup_runner::{Interrupts, Observer as _, feed};
use tierup_sampling::{Budget, Plan, Private, Taken, take as sample};

pub(in crate::commands) use self::failing::{failure, first_line};
use self::{declaring::declared, failing::unreachable, observing::observe, server::Server, shown::Shown};
use super::source_text;
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
    measure::{load_threads, open_enough, seed},
};

/// The options of a profile that is taken here.
#[derive(Args)]
#[command(next_help_heading = "How to take a profile")]
pub(super) struct Taking {
    /// Profile the server that this command starts, without a project; its port is in PORT
    #[arg(long, value_name = "COMMAND")]
    command: Option<String>,
    /// The command that builds the server of --command, e.g. `go build -o server .`
    #[arg(long, value_name = "COMMAND", requires = "command")]
    prepare: Option<String>,
    /// Attach to the server that runs already as this process, with its descendants. It is profiled under the traffic
    /// that it has; with --url, under load
    #[arg(long, value_name = "PID", conflicts_with = "command")]
    pid: Option<u32>,
    /// Let a running server profile itself, e.g. http://127.0.0.1:6060/debug/pprof of a Go server; with --pid, its CPU is
    /// counted too
    #[arg(long, value_name = "URL", conflicts_with_all = ["command", "sensor"])]
    pprof: Option<String>,
    /// The address at which the server of --pid listens, or that of --command if it does not take PORT; its path is the
    /// request if --requests is not given
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Requests file, .http or .har [default: requests.http or requests.har of the project, or of the current folder if there is
    /// none and --url has no path]
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// The tier or baseline of the project's server, e.g. `0:tuned` or `3`
    #[arg(long, value_name = "ROW", default_value = "0", conflicts_with = "command")]
    tier: Row,
    /// Sample with this profiler instead of the host's own, e.g. `perf`, which also sees native code and the kernel
    #[arg(long, value_name = "NAME")]
    sensor: Option<String>,
    /// How long the server is loaded, e.g. `1m`; half of it without the profiler, to see what that costs
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "20s")]
    duration: Duration,
    /// Number of connections [default: 20]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    connections: Option<u16>,
}

/// A profile that was taken here.
pub(super) struct TakenHere {
    pub(super) profile: Profile,
    pub(super) ranking: Ranking,
    /// The name of the profiled server.
    pub(super) title: String,
    /// The sensor, if tierup sampled with one.
    pub(super) sensed: Option<Sensed>,
    /// The cost of each route, if there were several.
    pub(super) routes: Option<Routes>,
    /// The project, if its baseline was profiled.
    pub(super) project: Option<Arc<Loaded>>,
}

/// A server under load.
#[derive(Clone, Copy)]
struct Run<'a> {
    server: &'a Server,
    requests: &'a Set,
    connections: usize,
    interrupts: &'a Interrupts,
}

/// Enough to keep a server busy. With more, a slow server's requests would take longer than a slice of load.
const CONNECTIONS: u16 = 20;
/// The time limit of a request.
pub(in crate::commands) const TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for a server's first answer, and for a program that prints a variable.
pub(in crate::commands) const PATIENCE: Duration = Duration::from_secs(60);
/// In a shorter run, a block would have too few samples.
const SHORTEST: Duration = Duration::from_secs(2);

impl Taking {
    /// Whether to profile a server without a project.
    pub(super) fn has_server(&self) -> bool {
        self.command.is_some() || self.pid.is_some() || self.pprof.is_some()
    }

    /// Whether to start a server without a project.
    pub(super) fn starts_a_command(&self) -> bool {
        self.command.is_some()
    }

    /// The options that `tierup init --function` also has, as words.
    pub(super) fn words(&self) -> Vec<String> {
        let requests = self.requests.as_ref().map(|file| file.display().to_string());
        let options = [
            ("--command", &self.command),
            ("--prepare", &self.prepare),
            ("--url", &self.url),
            ("--requests", &requests),
        ];
        let given = options.into_iter().filter_map(|(name, value)| Some([name.to_owned(), value.clone()?]));
        given.flatten().collect()
    }

    /// Profiles the project's server in this folder, or the command's server. Removes everything that it started or
    /// wrote.
    pub(super) fn take(
        &self,
        project: &Path,
        host: Option<&str>,
        own: &[String],
        console: &mut Console,
    ) -> Result<TakenHere> {
        if self.duration < SHORTEST {
            let failure = Failure::usage("a profile takes at least 2 s");
            return Err(failure.hint("give more time with --duration"));
        }
        if let Some(url) = &self.pprof {
            return self.fetch(url, host, own, console);
        }
        if let Some(pid) = self.pid {
            return self.attach(pid, host, own, console);
        }
        let server = self.server(project, host)?;
        let (requests, _) = requests(&self.source(&server)?, seed(), console)?;
        let loaded = server.loaded.as_ref().map(|(loaded, _)| Arc::clone(loaded));
        let own = match &loaded {
            Some(loaded) if own.is_empty() => &loaded.profile.own,
            _ => own,
        };
        let of_project = loaded.as_ref().and_then(|loaded| loaded.bench.connections);
        let connections = usize::from(self.connections.or(of_project).unwrap_or(CONNECTIONS));
        open_enough(connections, true, console)?;

        let interrupts = Interrupts::watch();
        let run = Run { server: &server, requests: &requests, connections, interrupts: &interrupts };
        let private = Private::new().map_err(|error| Failure::new(error.to_string()))?;
        let (row, sensor, taken) = self.sample(&run, &private, console)?;
        let folder = private.path().to_owned();
        private.remove().map_err(|error| Failure::because("cannot remove the profiler's files", error))?;
        if interrupts.arrived() {
            return Err(Failure::Interrupted);
        }
        let maps = SourceMaps::new(&source_text);
        let naming = Naming { rules: &server.frames(), own, maps: Some(&maps) };
        let profile = assembled(&taken, &sensor, &folder, (server.language(), naming), console)?;
        console.note(&cost(&sensor, &taken.slowdown()));
        let sensed = sensed(&sensor, &taken);
        let mut ranking = rank(&profile);
        if !server.is_rust() {
            // Declarations first: functions that cannot cross need no watching.
            ranking.observe(&declared(server.host, &server.settings.folder, &ranking), None);
            let seen = observe(&server, &row, &requests, (&ranking, &maps), &interrupts, console)?;
            if !seen.is_empty() {
                ranking.observe(&seen, call_cost(server.host, &taken));
            }
        }
        let project = loaded.filter(|_| matches!(self.tier, Row::Baseline(_)));
        let routes = taken.routes();
        Ok(TakenHere { profile, ranking, title: server.title, sensed: Some(sensed), routes, project })
    }

    /// The server to profile: of `--command`, or of the project in this folder.
    fn server(&self, project: &Path, host: Option<&str>) -> Result<Server> {
        match &self.command {
            Some(command) => {
                let folder =
                    std::env::current_dir().map_err(|error| Failure::because("there is no current folder", error))?;
                Server::of_command(folder, command, self.prepare.as_deref(), self.url.as_deref(), host)
            }
            None if self.url.is_some() => {
                Err(Failure::usage("--url needs --command or --pid: a project says itself where its server listens"))
            }
            None => Server::of_project(project, host, &self.tier),
        }
    }

    /// Builds the server with its sensor, and samples it. Returns the row with its variant.
    fn sample(&self, run: &Run<'_>, private: &Private, console: &mut Console) -> Result<(Row, Sensor, Taken)> {
        let Run { server, requests, connections, interrupts } = *run;
        let loaded = server.loaded.as_ref().map(|(loaded, _)| loaded);
        let sensor = match server.is_rust() {
            true => sensor::of_rust(self.sensor.as_deref())?,
            false => sensor::choose(server.host, &server.settings, self.sensor.as_deref(), private.path(), console)?,
        };
        let row = server.build(console)?;
        let program = match loaded {
            Some(loaded) if server.is_rust() => Some(build_with_symbols(loaded, console)?.display().to_string()),
            _ => None,
        };
        let instead_of = (self.sensor.is_none() && !server.is_rust()).then_some(server.host);
        let sensor = sensor::prepared(sensor, instead_of, private, console)?;
        let environment = environment(&sensor.environment, &server.settings.folder, interrupts)?;
        let sampled = |console: &mut Console| {
            let _held = loaded.map(|loaded| hold(loaded, console)).transpose()?;
            let subject = server.subject(&row, program)?;
            let plan = Plan {
                subject: &subject,
                sensor: &sensor,
                private,
                environment: &environment,
                requests,
                terms: self.terms(connections),
                budget: Budget::split(self.duration),
            };
            let taken = sample(&plan, interrupts, &mut Shown { console });
            console.done();
            taken.map_err(|error| failure(error, &sensor.hint))
        };
        let taken = if sensor.in_the_build {
            server.with_in_the_build(&environment, console, sampled)?
        } else {
            server.build_own(&[], console).and_then(|()| sampled(console))?
        };
        Ok((row, sensor, taken))
    }

    fn terms(&self, connections: usize) -> Terms {
        Terms {
            connections,
            workers: load_threads(available_parallelism().map_or(1, |count| count.get())),
            timeout: TIMEOUT,
            patience: PATIENCE,
        }
    }

    fn source(&self, server: &Server) -> Result<Source> {
        match (&self.requests, &server.loaded, &server.target) {
            (Some(file), ..) => Ok(Source::File(file.clone())),
            (None, Some((loaded, _)), _) => match &loaded.bench.requests {
                Some(file) => Ok(Source::File(file.clone())),
                None => Ok(Source::Project(loaded.folder.clone())),
            },
            (None, None, Some(target)) => Ok(Source::Target(target.clone())),
            (None, None, None) => Source::found_in(&server.settings.folder).ok_or_else(|| {
                Failure::usage("there are no requests to load the server with")
                    .hint("name a file with --requests, or one request with --url http://127.0.0.1:PORT/path")
            }),
        }
    }
}

/// The cost of a call of Rust from this server.
fn call_cost(host: &dyn Host, taken: &Taken) -> Option<CallCost> {
    let crossing = host.crossing()?;
    Some(CallCost {
        microseconds: crossing.microseconds,
        cpu_per_request: taken.cpu_per_request(),
        variant: crossing.variant.to_string(),
        measured: crossing.measured.to_owned(),
    })
}

/// Merges everything that was taken into one profile, and shows its notes.
fn assembled(
    taken: &Taken,
    sensor: &Sensor,
    private: &Path,
    (host, naming): (&str, Naming<'_>),
    console: &Console,
) -> Result<Profile> {
    let mut profile = taken.profile(sensor, private, naming).map_err(|why| Failure::Diagnostics(vec![*why]))?;
    taken.notes.iter().for_each(|note| console.note(note));
    if profile.busy() == 0.0 {
        return Err(Failure::new("the server was idle while it was profiled")
            .hint("give requests that make it work, with --requests or --url"));
    }
    profile.host = Some(host.to_owned());
    profile.known_costs = hosts::find(host).map_or(&[], |host| host.known_costs());
    Ok(profile)
}

/// The sensor's cost, as a progress line.
fn cost(sensor: &Sensor, slowdown: &Slowdown) -> String {
    let warning = if slowdown.is_disturbed() { "warning: " } else { "" };
    format!("{warning}cost of {} while it sampled: {slowdown}", sensor.title)
}

/// Data on a sensor whose effect was measured, by tierup's own load with and without it.
fn sensed(sensor: &Sensor, taken: &Taken) -> Sensed {
    let allocated = Allocated { unit: sensor.allocations, per_request: taken.allocated_per_request() };
    let (slowdown, busy) = (Some(taken.slowdown()), taken.busy());
    Sensed { slowdown, allocated: Some(allocated), busy, ..only_sensed(sensor) }
}

/// Data on a sensor without a measurement, as the load was not tierup's.
fn only_sensed(sensor: &Sensor) -> Sensed {
    Sensed {
        title: sensor.title.to_owned(),
        not_sampled: sensor.not_sampled.to_owned(),
        slowdown: None,
        allocated: None,
        busy: None,
    }
}

/// The variables of a sensor or a witness, combined with the user's own values in this folder.
pub(in crate::commands) fn environment(
    variables: &[Variable],
    folder: &Path,
    interrupts: &Interrupts,
) -> Result<Vec<(String, String)>> {
    let own = |variable: &Variable| -> Result<Option<String>> {
        match &variable.asked_by {
            Some(command) => {
                let printed = feed(command, folder, &[], PATIENCE, interrupts)?;
                Ok(Some(String::from_utf8_lossy(&printed).trim().to_owned()))
            }
            None => Ok(std::env::var_os(variable.name).map(|value| value.to_string_lossy().into_owned())),
        }
    };
    variables
        .iter()
        .map(|variable| Ok((variable.name.to_owned(), variable.beside(own(variable)?.as_deref()))))
        .collect()
}
