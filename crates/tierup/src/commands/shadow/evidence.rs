//! What a shadow remembers: its counts, and the files in the state folder. In: flags, and the project. Out: a collector
//! for the proxy, and the thread that writes what it counted.

use std::{
    collections::BTreeMap,
    net::{SocketAddr, TcpListener},
    path::Path,
    str::FromStr,
};

use clap::Args;
use tierup_project::Loaded;
use tierup_rollout::{Side, evidence::Event};
use tierup_rows::sides::{Server, Servers};
use tierup_runner::Observer as _;
use tierup_shadow::{Collector, EvidenceFile, Hidden, Ledger, MetricsServer, Processor};
use tierup_subject::{ProcessesCpu, ServerProcesses};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

#[derive(Args)]
#[group(skip)]
pub(super) struct Flags {
    /// The size of all evidence files of this run, in MiB; the oldest are removed
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    evidence_limit: u64,
    /// The address for Prometheus: http://ADDRESS/metrics. Routes and counts are shown to everybody who can reach it
    #[arg(long, value_name = "ADDRESS")]
    metrics: Option<SocketAddr>,
    /// Processes whose CPU time counts as a server's, where tierup did not start it, e.g. `control=812,candidate=907`
    #[arg(long, value_delimiter = ',', value_name = "SIDE=PID,…")]
    pids: Vec<Process>,
}

/// A process of a side.
#[derive(Debug, Clone, Copy)]
struct Process {
    side: Side,
    pid: u32,
}

impl FromStr for Process {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Process, String> {
        let wrong = || format!("must be `control=PID`, `candidate=PID` or `twin=PID`, got `{text}`");
        let (side, pid) = text.split_once('=').ok_or_else(wrong)?;
        let side = match side {
            "control" => Side::Control,
            "candidate" => Side::Candidate,
            "twin" => Side::Twin,
            _ => return Err(wrong()),
        };
        let pid = pid.parse().ok().filter(|pid| *pid > 0).ok_or_else(wrong)?;
        Ok(Process { side, pid })
    }
}

impl Flags {
    /// Counts, and writes to the state folder where there is one.
    pub(super) fn start(
        &self,
        loaded: Option<&Loaded>,
        state: Option<&Path>,
        servers: &Servers,
    ) -> Result<(Collector, Ledger)> {
        // The judge knows the routes of [rollout] by these names, so they come first.
        let named = loaded.map(|loaded| &loaded.rollout.routes[..]).unwrap_or_default();
        let named = named.iter().map(ToString::to_string);
        let routes = loaded.map(|loaded| &loaded.project.routes[..]).unwrap_or_default();
        let routes = routes.iter().map(|route| format!("{} {}", route.method, route.path));
        let routes: Vec<String> = named.chain(routes).collect();
        let (collector, notes) = Collector::new(&routes);
        let file = state.map(|state| EvidenceFile::new(state, self.evidence_limit << 20));
        let ledger = Ledger::start(&collector, notes, file, self.processor(servers))
            .map_err(|error| Failure::new(format!("cannot start a thread: {error}")))?;
        let sides = sides(servers).map(|(side, server)| (side, server.address.to_string()));
        collector.event(Event::Began { sides: sides.collect() });
        Ok((collector, ledger))
    }

    /// Serves what the ledger knows, where an address is given.
    pub(super) fn serve_metrics(&self, ledger: &Ledger, console: &Console) -> Result<Option<MetricsServer>> {
        let Some(address) = self.metrics else { return Ok(None) };
        let cannot = |error| Failure::new(format!("cannot serve metrics on {address}: {error}"));
        let listener = TcpListener::bind(address).map_err(cannot)?;
        let server = MetricsServer::start(listener, ledger.view()).map_err(cannot)?;
        console.note(&format!("metrics: http://{}/metrics", server.address()));
        if !address.ip().is_loopback() {
            console.note("warning: everybody who can reach this address can read the metrics; they name your routes");
        }
        Ok(Some(server))
    }

    /// The processes that were started here, and those that the user names.
    fn processor(&self, servers: &Servers) -> Box<Processor> {
        let started = servers.processes().map(|(side, pid)| Process { side, pid });
        let mut all: BTreeMap<Side, Vec<Used>> = BTreeMap::new();
        for Process { side, pid } in started.chain(self.pids.iter().copied()) {
            let mut processes = ServerProcesses::new(pid);
            let before = processes.cpu();
            all.entry(side).or_default().push(Used { processes, before });
        }
        Box::new(move |side| {
            let each: Vec<_> = all.get_mut(&side)?.iter_mut().map(Used::since).collect();
            each.into_iter().sum()
        })
    }
}

/// A server's processes.
struct Used {
    processes: ServerProcesses,
    before: Option<ProcessesCpu>,
}

impl Used {
    /// Since the last time, in seconds; `None` where it is not known.
    fn since(&mut self) -> Option<f64> {
        let now = self.processes.cpu();
        let before = std::mem::replace(&mut self.before, now);
        Some(now?.since(before?)?.as_secs_f64())
    }
}

fn sides(servers: &Servers) -> impl Iterator<Item = (Side, &Server)> {
    let twin = servers.twin.iter().map(|twin| (Side::Twin, twin));
    [(Side::Control, &servers.control), (Side::Candidate, &servers.candidate)].into_iter().chain(twin)
}

/// The fields of bodies that the project hides.
pub(super) fn hidden(loaded: Option<&Loaded>) -> Hidden {
    Hidden::new(loaded.map(|loaded| loaded.rollout.hide.clone()).unwrap_or_default())
}
