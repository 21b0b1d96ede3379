//! A shadow of two servers, put together from the parts of `tierup-shadow`.
//!
//! In: the servers, the project with its `[rollout]`, and what a command line says beside it ([`Setup`]). Out: a [`Shadow`],
//! which answers clients until it is stopped, and then gives its report.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use ipnet::IpNet;
use tierup_diagnostic::{Failure, Result};
use tierup_project::{Loaded, RolloutSettings};
use tierup_rollout::{
    Part, Side, Sticky,
    evidence::{AGAIN_AFTER, Event},
};
use tierup_shadow::{
    Address, Candidate, Collector, Copies, Effects, EvidenceFile, Hidden, Ledger, Limits, MetricsServer, Mirror,
    Mirrored, Pacing, Port, Proxy, Report, Routes, Safe, Sampled, Settings, Share, Sharing, Show, Steering, pages,
    processor_time,
};

use crate::sides::{Servers, compare};

/// How long a candidate may take for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait for the last copies.
const LAST_COPIES: Duration = Duration::from_secs(5);

/// What a shadow is made of. What a command line says outranks `[rollout]`.
pub struct Setup<'a> {
    pub loaded: Option<&'a Loaded>,
    pub servers: &'a Servers,
    /// For clients.
    pub listener: TcpListener,
    pub port: Port,
    pub threads: usize,
    pub limits: Limits,
    pub trusted_proxies: Vec<IpNet>,
    /// Which safe requests are copied.
    pub sampled: Sampled,
    /// Requests that are not safe, and are copied and shared all the same.
    pub routes: Routes,
    /// What evidence shows from the first client on.
    pub show: Show,
    /// Whether the user named the part of the requests in `sampled`: `sample` of `[rollout]` then says nothing.
    pub has_sample: bool,
    /// Copies under way at a time.
    pub copies: usize,
    /// What all copies and comparisons may take together, in bytes.
    pub memory: usize,
    /// The part of a processor that comparing may take.
    pub share: Share,
    /// What makes requests one client's.
    pub sticky: Option<Sticky>,
    /// The folder in which proxies and the judge meet.
    pub state: Option<PathBuf>,
    /// The size of all evidence files in the state folder, in bytes.
    pub evidence_limit: u64,
    /// Processes beside those that were started here.
    pub processes: Vec<(Side, u32)>,
    /// For Prometheus, and an orchestrator's probes.
    pub metrics: Option<TcpListener>,
}

/// A shadow that runs.
pub struct Shadow {
    proxy: Proxy,
    mirror: Mirror,
    copies: Copies,
    pacing: Pacing,
    steering: Option<Arc<Steering>>,
    ledger: Ledger,
    drain: Duration,
    metrics: Option<MetricsServer>,
}

impl Shadow {
    /// # Errors
    /// A server's name has no address, or the system has no threads left.
    pub fn start(setup: Setup<'_>) -> Result<Shadow> {
        let Setup { loaded, servers, limits, .. } = setup;
        let Servers { control, candidate, twin, effects, .. } = servers;
        let rollout = loaded.map_or_else(RolloutSettings::default, |loaded| loaded.rollout.clone());
        let how = if effects.is_some() { Effects::Recorded } else { Effects::Isolated };
        let safe: Vec<String> = rollout.safe.iter().map(ToString::to_string).collect();
        let safe = Routes::new(&safe).map_err(|error| Failure::usage(error.to_string()))?;
        let sampled = setup.sampled.with(setup.routes.clone(), how).declaring(Safe(safe.clone()));
        let sampled = Arc::new(sampled);
        let chosen = Arc::clone(&sampled);
        let (copies, copied) = Copies::new(setup.copies, Arc::new(move |head, by| chosen.pair(head, by)));
        let copies = copies.within(setup.memory).declaring(Safe(safe.clone()));
        let copies = effects.iter().fold(copies, |copies, effects| copies.in_lanes(effects.lanes.clone()));

        let (collector, notes) = Collector::showing(&routes(loaded), setup.show.clone());
        let file = setup.state.as_deref().map(|state| EvidenceFile::new(state, setup.evidence_limit));
        let processor = processor_time(servers.processes().chain(setup.processes));
        let ledger = Ledger::start(&collector, notes, file, processor).map_err(no_threads)?;
        let sides = servers.sides().map(|(side, server)| (side, server.address.to_string()));
        collector.event(Event::Began { sides: sides.collect() });

        let twin = twin.as_ref().map(|twin| &twin.address);
        let asked = Candidate {
            address: candidate.address.clone(),
            twin: twin.cloned(),
            control: Some(control.address.clone()),
            patience: PATIENCE,
            again_after: AGAIN_AFTER.map(Duration::from_secs),
            answer_bytes: limits.copy_bytes,
            doubles: effects.as_ref().map(|effects| effects.doubles.clone()),
            twin_doubles: effects.as_ref().and_then(|effects| effects.twin_doubles.clone()),
        };
        let hidden = Hidden::new(rollout.hide, setup.show);
        let mirror = Mirror::start(asked, copied, compare(loaded), setup.share, &collector, hidden)
            .map_err(|error| cannot_use(&candidate.address, error))?;
        // Where calls are recorded, only a twin with doubles may have copies.
        let has_second = twin.is_some() && effects.as_ref().is_none_or(|effects| effects.of_twin.is_some());
        let mirrored = Mirrored {
            sample: if setup.has_sample { Part::ALL } else { rollout.sample },
            second: if has_second { rollout.second } else { Part::NONE },
            ..Mirrored::default()
        };
        let pacing = Pacing::new(sampled, mirrored, &collector);
        ledger.pace(pacing.clone());
        // What a candidate changes whose data is apart from control's would be lost to the user.
        let shared = if rollout.isolated { Routes::default() } else { setup.routes }.and(safe);
        let sticky = setup.sticky.or(rollout.sticky);
        let follow = |state: PathBuf| Steering::follow(state.join("control"), sticky, shared, pacing.clone());
        let steering = setup.state.map(follow).transpose();
        let steering =
            steering.map_err(|error| Failure::because("cannot follow the control file", error))?.map(Arc::new);
        let sharing = steering.clone().map(|steering| Sharing {
            candidate: Some(candidate.address.clone()),
            twin: twin.cloned(),
            steering,
        });
        let settings = Settings {
            control: control.address.clone(),
            sharing,
            trusted_proxies: setup.trusted_proxies,
            limits,
            port: setup.port,
            threads: setup.threads,
        };
        let proxy = Proxy::start(setup.listener, &settings, Some(copies.clone()), &collector)
            .map_err(|error| cannot_use(&control.address, error))?;
        let serve = |listener| MetricsServer::start(listener, pages(ledger.view(), proxy.health()));
        let metrics = setup.metrics.map(serve).transpose().map_err(no_threads)?;
        let drain = rollout.drain;
        Ok(Shadow { proxy, mirror, copies, pacing, steering, ledger, drain, metrics })
    }

    /// Where clients are answered.
    pub fn address(&self) -> SocketAddr {
        self.proxy.address()
    }

    /// Where metrics are served.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(MetricsServer::address)
    }

    /// Everything until now.
    pub fn report(&self) -> Report {
        Report::new(&self.ledger.summary(), &[])
    }

    /// What the operator should know now.
    pub fn notes(&self) -> Vec<String> {
        let lost = self.ledger.trouble().map(|trouble| format!("warning: evidence is lost: {trouble}"));
        let not_accepted = (self.proxy.not_accepted() > 0).then(|| {
            "warning: clients' connections could not be accepted; is the limit of open files (`ulimit -n`) too low?"
                .to_owned()
        });
        let trouble = self.steering.as_ref().and_then(|steering| steering.in_force().trouble.clone());
        let trouble = trouble.map(|trouble| format!("warning: the control file: {trouble}"));
        let crowded = self.ledger.connections().warnings();
        crowded.chain([lost, not_accepted, trouble, self.pacing.said()].into_iter().flatten()).collect()
    }

    /// Accepts no more clients, and ends when those it has are answered, or after `drain`, or once the operator
    /// `is_hurried`. `drain` outranks `[rollout]`. Out: the report.
    pub fn stop(self, drain: Option<Duration>, is_hurried: impl Fn() -> bool) -> Report {
        self.proxy.stop_unless(drain.unwrap_or(self.drain), &is_hurried);
        let waited = Instant::now();
        while !is_hurried() && waited.elapsed() < LAST_COPIES && !self.copies.is_idle() {
            thread::sleep(Duration::from_millis(10));
        }
        drop(self.mirror);
        Report::new(&self.ledger.end(), &[])
    }
}

/// The routes that evidence tells apart. The judge knows those of `[rollout]` by these names, so they come first.
fn routes(loaded: Option<&Loaded>) -> Vec<String> {
    let Some(loaded) = loaded else { return Vec::new() };
    let named = loaded.rollout.routes.iter().chain(&loaded.rollout.safe).map(ToString::to_string);
    let routes = loaded.project.routes.iter().map(|route| format!("{} {}", route.method, route.path));
    named.chain(routes).collect()
}

fn no_threads(error: io::Error) -> Failure {
    Failure::because("cannot start a thread", error)
}

fn cannot_use(address: &Address, error: io::Error) -> Failure {
    Failure::because(format!("cannot use {address}"), error)
}
