//! `tierup profile --pid`: attaches to a running server without harming it. In: its process. Out: the profile.
//!
//! Without `--url`, the server gets no requests from tierup: it is profiled under its own traffic.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tierup_codegen::{Host, HostSettings, InstallBy, Sensor};
use tierup_profile::{Naming, SourceMaps, rank};
use tierup_project::{Source, requests};
use tierup_report::printable;
use tierup_runner::{Interrupts, Observer as _};
use tierup_sampling::{BLOCKS, Budget, Plan, Private, Watching, take, watch};
use tierup_subject::{ServerProcesses, Standing};

use super::{
    CONNECTIONS, Shown, TakenHere, Taking, assembled, cost, failure, only_sensed, sensed, sensor, server, source_text,
    unreachable,
};
use crate::{
    console::Console,
    failure::{Failure, Result},
    measure::{open_enough, seed},
};

/// A running server.
struct Found {
    host: &'static dyn Host,
    settings: HostSettings,
    title: String,
}

impl Taking {
    pub(super) fn attach(
        &self,
        pid: u32,
        host: Option<&str>,
        own: &[String],
        console: &mut Console,
    ) -> Result<TakenHere> {
        if self.requests.is_some() && self.url.is_none() {
            return Err(Failure::usage("--requests with --pid needs the server's address")
                .hint("give it with --url, or leave --requests out to profile the server's own traffic"));
        }
        let found = Found::identify(pid, host)?;
        let interrupts = Interrupts::watch();
        let private = Private::new().map_err(|error| Failure::new(error.to_string()))?;
        let asked = self.sensor.as_deref();
        let sensor = sensor::attached(found.host, &found.settings, asked, private.path(), console)?;
        let sensor = sensor::prepared(sensor, asked.is_none().then_some(found.host), &private, console)?;
        // The server started without these variables, so some frames may have no names; the report counts them.
        let sensor = Sensor { environment: Vec::new(), ..sensor };
        if needs_folder(&sensor) {
            private.share_with(pid).map_err(|error| failure(error, &sensor.hint))?;
        }
        let mut shown = Shown { console };
        let taken = match &self.url {
            None => {
                let length = self.duration / BLOCKS as u32;
                let watching = Watching { process: pid, sensor: &sensor, private: &private, blocks: BLOCKS, length };
                watch(&watching, &interrupts, &mut shown)
            }
            Some(url) => {
                let (standing, target) = Standing::at(url).map_err(unreachable)?;
                let standing = standing.with_process(Some(pid)).map_err(unreachable)?;
                let source = match &self.requests {
                    Some(file) => Source::File(file.clone()),
                    None => Source::Target(target),
                };
                let (requests, _) = requests(&source, seed(), console)?;
                let connections = usize::from(self.connections.unwrap_or(CONNECTIONS));
                open_enough(connections, false, console)?;
                let plan = Plan {
                    subject: &standing,
                    sensor: &sensor,
                    private: &private,
                    environment: &[],
                    requests: &requests,
                    terms: self.terms(connections),
                    budget: Budget::split(self.duration),
                };
                take(&plan, &interrupts, &mut Shown { console })
            }
        };
        console.done();
        let taken = taken.map_err(|error| failure(error, &sensor.hint))?;
        let folder = private.path().to_owned();
        private.remove().map_err(|error| Failure::because("cannot remove the profiler's files", error))?;
        if interrupts.arrived() {
            return Err(Failure::Interrupted);
        }
        let maps = SourceMaps::new(&source_text);
        let naming = Naming { rules: found.host.frames(), own, maps: Some(&maps) };
        let profile = assembled(&taken, &sensor, &folder, (found.host.name(), naming), console)?;
        // The cost is known only if tierup's own load ran with and without the sensor.
        let sensed = match self.url {
            Some(_) => sensed(&sensor, &taken),
            None => only_sensed(&sensor),
        };
        if let Some(slowdown) = sensed.slowdown {
            console.note(&cost(&sensor, &slowdown));
        }
        let (ranking, routes) = (rank(&profile), taken.routes());
        Ok(TakenHere { ranking, profile, title: found.title, sensed: Some(sensed), routes, project: None })
    }
}

/// Whether the server's processes write to the private folder, or connect to a socket in it.
fn needs_folder(sensor: &Sensor) -> bool {
    use tierup_codegen::Sampling;
    matches!(sensor.sampling, Sampling::Agent | Sampling::Inspector { .. } | Sampling::EachProcess { .. })
}

impl Found {
    fn identify(pid: u32, host: Option<&str>) -> Result<Found> {
        let process = PathBuf::from(format!("/proc/{pid}"));
        if cfg!(target_os = "linux") && !process.exists() {
            return Err(Failure::usage(format!("there is no process {pid}")));
        }
        let folder = fs::read_link(process.join("cwd")).map_err(|error| {
            Failure::because(format!("cannot look at process {pid}"), error)
                .hint("run tierup as the server's user, or as root; attaching needs Linux")
        })?;
        let host = match host {
            Some(name) => super::super::host(name)?,
            None => match running(pid) {
                Some(host) => host,
                None => server::detected(&folder)?,
            },
        };
        let command = fs::read(process.join("cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command).trim_end_matches('\0').replace('\0', " ");
        let words: Vec<&str> = command.split(' ').collect();
        // The arguments may contain secrets, and users share reports.
        let name = words.first().map_or("", |word| word.rsplit('/').next().unwrap_or(word));
        let title = format!("process {pid} ({}), {}", printable::line(name), host.title());
        let settings = HostSettings {
            folder,
            install: InstallBy::Nobody,
            start: words.iter().map(|word| (*word).to_owned()).collect(),
            ..HostSettings::default()
        };
        Ok(Found { host, settings, title })
    }
}

/// The host whose program the process, or one of its descendants, runs.
fn running(pid: u32) -> Option<&'static dyn Host> {
    let pids = ServerProcesses::new(pid).pids();
    std::iter::once(pid).chain(pids).find_map(|pid| {
        let program = fs::read_link(Path::new("/proc").join(pid.to_string()).join("exe")).ok()?;
        server::named(&program.file_name()?.to_string_lossy())
    })
}
