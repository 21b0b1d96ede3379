//! A shadow of two servers, put together from its parts.
//!
//! In: the servers ([`Sides`]), a project's declarations ([`Declared`]), and the command line's settings ([`Setup`]).
//! Out: a [`Shadow`], which answers clients until it is stopped, and then gives its report.

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
use tierup_parity::Path;
use tierup_rollout::{
    Part, Side, Sticky,
    evidence::{AGAIN_AFTER, Event},
};

use crate::{
    collector::Collector,
    copy::{Copies, MEMORY},
    descriptors::Descriptors,
    evidence_file::EvidenceFile,
    hidden::{Hidden, Show},
    in_force::Mirrored,
    lanes::{ControlLanes, Doubles},
    ledger::Ledger,
    listening::Port,
    mirror::{Candidate, Compare, Mirror, Share},
    pacing::Pacing,
    page_server::{PageServer, pages},
    processor_time::processor_time,
    proxy::Proxy,
    report::Report,
    routes::Routes,
    sample::{Effects, Safe, Sampled},
    settings::{Address, Limits, Settings, Sharing},
    steer::Steering,
};

/// How long a candidate may take for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait for the last copies.
const LAST_COPIES: Duration = Duration::from_secs(5);

/// The servers behind a shadow.
#[derive(Debug)]
pub struct Sides {
    pub control: Address,
    pub candidate: Address,
    pub twin: Option<Address>,
    /// The lanes, if the servers call another service.
    pub lanes: Option<Lanes>,
    /// Processes whose time is counted, and their sides.
    pub processes: Vec<(Side, u32)>,
}

/// Keeps the servers' calls to another service apart.
#[derive(Debug, Clone)]
pub struct Lanes {
    pub control: ControlLanes,
    pub candidate: Doubles,
    pub twin: Option<Doubles>,
}

impl Sides {
    /// The servers that can answer clients.
    fn all(&self) -> impl Iterator<Item = (Side, &Address)> {
        let twin = self.twin.iter().map(|twin| (Side::Twin, twin));
        [(Side::Control, &self.control), (Side::Candidate, &self.candidate)].into_iter().chain(twin)
    }

    /// The descriptors that a proxy in front of them may need.
    pub fn descriptors(&self, threads: usize, copies: usize) -> Descriptors<'_> {
        let lanes = self.lanes.as_ref();
        Descriptors {
            sides: self.all().count(),
            threads,
            copies,
            lanes: lanes.map(|lanes| &lanes.control),
            doubles: [lanes.map(|lanes| &lanes.candidate), lanes.and_then(|lanes| lanes.twin.as_ref())],
        }
    }
}

/// A project's declarations about its requests, and how its answers are compared.
pub struct Declared {
    /// The routes that evidence tells apart.
    pub named: Vec<String>,
    /// Requests other than GET and HEAD that change nothing.
    pub safe: Vec<String>,
    /// Whether the candidate's data is separate from control's.
    pub is_isolated: bool,
    /// Fields of bodies that reach the evidence only as hashes.
    pub hide: Vec<Path>,
    /// The part of the copies that a second control process gets.
    pub second: Part,
    pub compare: Box<Compare>,
}

/// The parts and settings of a shadow.
pub struct Setup {
    pub sides: Sides,
    pub declared: Declared,
    /// The socket for clients.
    pub listener: TcpListener,
    pub port: Port,
    pub threads: usize,
    pub limits: Limits,
    pub trusted_proxies: Vec<IpNet>,
    /// The safe requests that are copied.
    pub sampled: Sampled,
    /// Requests that are not safe, and are copied and shared anyway.
    pub routes: Routes,
    /// The words that evidence shows from the first client on.
    pub show: Show,
    /// The part of the safe requests that is copied while no control file sets another.
    pub sample: Part,
    /// The most copies under way.
    pub copies: usize,
    /// Whether a load balancer only mirrors its requests to this shadow. Then nobody needs control's answer, and control
    /// is asked only for copies.
    pub is_mirrored: bool,
    /// The most memory of all copies and comparisons together, in bytes.
    pub memory: usize,
    /// The part of a processor that comparing may use.
    pub share: Share,
    /// What identifies a request's client.
    pub sticky: Option<Sticky>,
    /// The folder that proxies and the judge share.
    pub state: Option<PathBuf>,
    /// The size limit of all evidence files in the state folder, in bytes.
    pub evidence_limit: u64,
    /// The socket for Prometheus, and for an orchestrator's probes.
    pub metrics: Option<TcpListener>,
    /// How long requests in flight may take once it is stopped.
    pub drain: Duration,
}

/// A running shadow.
pub struct Shadow {
    proxy: Proxy,
    mirror: Mirror,
    copies: Copies,
    pacing: Pacing,
    steering: Option<Arc<Steering>>,
    ledger: Ledger,
    drain: Duration,
    metrics: Option<PageServer>,
}

impl Shadow {
    /// The default memory limit of all copies and comparisons together, in bytes.
    pub const MEMORY: usize = MEMORY;

    /// # Errors
    /// If a server's name has no address, or the system has no threads left.
    pub fn start(setup: Setup) -> Result<Shadow> {
        let Setup { sides, declared, limits, .. } = setup;
        let lanes = sides.lanes.as_ref();
        let how = if lanes.is_some() { Effects::Recorded } else { Effects::Isolated };
        let safe = Routes::new(&declared.safe).map_err(|error| Failure::usage(error.to_string()))?;
        // Control has handled a mirrored request already, and must not repeat its effects.
        let routes = if setup.is_mirrored { Routes::default() } else { setup.routes };
        let sampled = setup.sampled.with(routes.clone(), how).declaring(Safe(safe.clone()));
        let sampled = Arc::new(sampled);
        let chosen = Arc::clone(&sampled);
        let (copies, copied) = Copies::new(setup.copies, Arc::new(move |head, by| chosen.pair(head, by)));
        let copies = copies.within(setup.memory).declaring(Safe(safe.clone()));
        let copies = lanes.iter().fold(copies, |copies, lanes| copies.in_lanes(lanes.control.clone()));

        let (collector, notes) = Collector::showing(&declared.named, setup.show.clone());
        let file = setup.state.as_deref().map(|state| EvidenceFile::new(state, setup.evidence_limit));
        let processor = processor_time(sides.processes.iter().copied());
        let ledger = Ledger::start(&collector, notes, file, processor).map_err(no_threads)?;
        let addresses = sides.all().map(|(side, address)| (side, address.to_string()));
        collector.event(Event::Began { sides: addresses.collect() });

        let asked = Candidate {
            address: sides.candidate.clone(),
            twin: sides.twin.clone(),
            control: Some(sides.control.clone()),
            patience: PATIENCE,
            again_after: AGAIN_AFTER.map(Duration::from_secs),
            answer_bytes: limits.copy_bytes,
            doubles: lanes.map(|lanes| lanes.candidate.clone()),
            twin_doubles: lanes.and_then(|lanes| lanes.twin.clone()),
        };
        let hidden = Hidden::new(declared.hide, setup.show);
        let mirror = Mirror::start(asked, copied, declared.compare, setup.share, &collector, hidden)
            .map_err(|error| cannot_use(&sides.candidate, error))?;
        // If calls are recorded, only a twin with doubles may get copies.
        let has_second = sides.twin.is_some() && lanes.is_none_or(|lanes| lanes.twin.is_some());
        let mirrored = Mirrored {
            sample: setup.sample,
            second: if has_second { declared.second } else { Part::NONE },
            ..Mirrored::default()
        };
        let pacing = Pacing::new(sampled, mirrored, &collector);
        ledger.pace(pacing.clone());
        // If the candidate has its own data, the user would lose the changes that it makes.
        let shared = if declared.is_isolated { Routes::default() } else { routes }.and(safe);
        let follow = |state: PathBuf| Steering::follow(state.join("control"), setup.sticky, shared, pacing.clone());
        let steering = setup.state.map(follow).transpose();
        let steering =
            steering.map_err(|error| Failure::because("cannot follow the control file", error))?.map(Arc::new);
        // Clients of mirrored requests have been answered already, so only control answers here.
        let others = if setup.is_mirrored { (None, None) } else { (Some(sides.candidate.clone()), sides.twin.clone()) };
        let sharing = steering.clone().map(|steering| Sharing { candidate: others.0, twin: others.1, steering });
        let settings = Settings {
            control: sides.control.clone(),
            sharing,
            trusted_proxies: setup.trusted_proxies,
            limits,
            mirrored: setup.is_mirrored.then_some(setup.copies),
            port: setup.port,
            threads: setup.threads,
        };
        let proxy = Proxy::start(setup.listener, &settings, Some(copies.clone()), &collector)
            .map_err(|error| cannot_use(&sides.control, error))?;
        let serve = |listener| PageServer::start(listener, pages(ledger.view(), proxy.health()));
        let metrics = setup.metrics.map(serve).transpose().map_err(no_threads)?;
        Ok(Shadow { proxy, mirror, copies, pacing, steering, ledger, drain: setup.drain, metrics })
    }

    /// The address at which clients are answered.
    pub fn address(&self) -> SocketAddr {
        self.proxy.address()
    }

    /// The address of the metrics.
    pub fn metrics(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(PageServer::address)
    }

    /// The report until now.
    pub fn report(&self) -> Report {
        Report::new(&self.ledger.summary(), &[])
    }

    /// Notes for the operator about the current state.
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

    /// Accepts no more clients, and ends when the current ones are answered, or after `drain`, or once the operator
    /// `is_hurried`. Returns the report.
    pub fn stop(self, is_hurried: impl Fn() -> bool) -> Report {
        self.proxy.stop_unless(self.drain, &is_hurried);
        let waited = Instant::now();
        while !is_hurried() && waited.elapsed() < LAST_COPIES && !self.copies.is_idle() {
            thread::sleep(Duration::from_millis(10));
        }
        drop(self.mirror);
        Report::new(&self.ledger.end(), &[])
    }
}

fn no_threads(error: io::Error) -> Failure {
    Failure::because("cannot start a thread", error)
}

fn cannot_use(address: &Address, error: io::Error) -> Failure {
    Failure::because(format!("cannot use {address}"), error)
}
