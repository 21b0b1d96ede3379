//! `tierup shadow`: a proxy that answers by the control, and compares a candidate's answers to copies of the requests.

mod evidence;
mod report;
mod sharing;
mod sides;

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use clap::{Args, Subcommand};
use ipnet::IpNet;
use tierup_check::Comparison;
use tierup_parity::{Finding, Place};
use tierup_project::{CheckSettings, Loaded, RolloutSettings};
use tierup_runner::{Interrupts, Observer as _};
use tierup_shadow::{
    Address, Candidate, Compare, Copies, Descriptors, Effects, Ledger, Limits, Mirror, Pacing, Port, Proxy, Report,
    Sampled, Settings, Share, bind, handed_over,
};

use tierup_subject::open_files;

use self::sides::effects::{self, Plan};
use self::sides::{Rows, Servers, Side, start};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::{self, open},
    measure::show,
};

/// Answer clients by one server, and compare another server's answers to copies of the requests
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Option<Other>,
    /// The folder that holds tierup.toml: its rows can be control and candidate, and its [check] says how answers are
    /// compared [default: the current folder for rows; none for addresses, which are compared byte for byte]
    project: Option<PathBuf>,
    /// The host of the rows; required only if the project has several
    #[arg(long)]
    host: Option<String>,
    /// The server that answers: a row (`0`, `0:tuned`) or an address (`http://127.0.0.1:3000`)
    #[arg(long, value_name = "ROW|URL", default_value = "0")]
    control: Side,
    /// The server that gets copies of GET and HEAD requests: a row (`4`, `3:native`) or an address
    #[arg(long, value_name = "ROW|URL", required = true)]
    candidate: Option<Side>,
    #[command(flatten)]
    sharing: sharing::Flags,
    /// The address to listen on, unless systemd hands over a socket (LISTEN_FDS)
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Let another proxy listen on the same address: start a new one with this flag, too, then stop the old one
    #[arg(long)]
    reuse_port: bool,
    /// The part of the requests that is copied, from 0 to 1 [default: `sample` of [rollout], or 1]
    #[arg(long, value_name = "PART")]
    sample: Option<f64>,
    /// Paths that are never copied, beside those of [rollout], e.g. `/logout,/once/*`
    #[arg(long, value_delimiter = ',', value_name = "PATH,…")]
    deny: Vec<String>,
    /// Proxies in front of this one, whose X-Forwarded-For is believed, e.g. `10.0.0.0/8`
    #[arg(long, value_delimiter = ',', value_name = "NET,…")]
    trusted_proxies: Vec<IpNet>,
    /// Copies under way at a time; more requests of the sample are not copied
    #[arg(long, value_name = "N", default_value_t = 64)]
    copies: usize,
    /// The part of one processor that comparing may take, from 0.01 to 1
    #[arg(long, value_name = "PART", default_value_t = 0.5)]
    compare_share: f64,
    /// Threads that serve clients [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// What requests in flight have after Ctrl-C, in seconds; a second Ctrl-C ends them [default: `drain` of [rollout], or 30]
    #[arg(long, value_name = "SECONDS")]
    drain: Option<u64>,
    #[command(flatten)]
    evidence: evidence::Flags,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// What to do other than to answer clients.
#[derive(Subcommand)]
enum Other {
    Report(report::Arguments),
}

/// How long a candidate may take for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to wait for the last copies.
const LAST_COPIES: Duration = Duration::from_secs(5);
/// The time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    if let Some(Other::Report(arguments)) = &arguments.command {
        return report::run(arguments, console);
    }
    let Some(candidate) = &arguments.candidate else {
        return Err(Failure::new("there is no candidate").hint("name one with --candidate".to_owned()));
    };
    let interrupts = Interrupts::watch();
    sampled(arguments, None)?;
    let share =
        Share::new(arguments.compare_share).map_err(|error| Failure::new(format!("--compare-share: {error}")))?;
    let (listener, port) = listener(arguments)?;
    let twin = arguments.sharing.twin(&arguments.control);
    let sides: Vec<&Side> = [&arguments.control, candidate].into_iter().chain(&twin).collect();
    if let (true, Some(row)) = (arguments.reuse_port, sides.iter().find(|side| matches!(side, Side::Row(_)))) {
        return Err(Failure::new(format!(
            "--reuse-port is for servers at addresses: `{row}` is a row, whose server would end with this proxy"
        ))
        .hint("start the servers with `tierup serve`, and give their addresses".to_owned()));
    }
    let loaded = project(arguments, &sides)?;
    let rows = match &loaded {
        Some(loaded) if sides.iter().any(|side| matches!(side, Side::Row(_))) => {
            let (host, settings) = hosts::only(loaded, arguments.host.as_deref())?;
            Some(Rows { loaded: Arc::clone(loaded), host, settings: settings.clone() })
        }
        _ => None,
    };
    let plan = Plan::new(loaded.as_deref(), &arguments.control, candidate)?;
    let (routes, note) = effects::routes(loaded.as_deref(), plan.as_ref(), rows.is_some())?;
    note.iter().for_each(|note| console.note(note));
    let how = if plan.is_some() { Effects::Recorded } else { Effects::Isolated };
    let sampled = sampled(arguments, loaded.as_deref())?.with(routes.clone(), how);
    let mut servers = start(&arguments.control, candidate, twin.as_ref(), rows.as_ref(), plan.as_ref(), console)?;
    let Servers { control, candidate, twin, effects, .. } = &servers;

    let sampled = Arc::new(sampled);
    let chosen = Arc::clone(&sampled);
    let (copies, copied) = Copies::new(arguments.copies, Arc::new(move |head, by| chosen.pair(head, by)));
    let copies = effects.iter().fold(copies, |copies, effects| copies.in_lanes(effects.lanes.clone()));
    let under_way = copies.clone();
    let state = arguments.sharing.state(loaded.as_deref());
    let (collector, ledger) = arguments.evidence.start(loaded.as_deref(), state.as_deref(), &servers)?;
    let _metrics = arguments.evidence.serve_metrics(&ledger, console)?;
    let twin = twin.as_ref().map(|twin| &twin.address);
    let asked = Candidate {
        address: candidate.address.clone(),
        twin: twin.cloned(),
        control: Some(control.address.clone()),
        patience: PATIENCE,
        answer_bytes: Limits::default().copy_bytes,
        doubles: effects.as_ref().map(|effects| effects.doubles.clone()),
        twin_doubles: effects.as_ref().and_then(|effects| effects.twin_doubles.clone()),
    };
    let mirror = Mirror::start(
        asked,
        copied,
        compare(loaded.as_deref()),
        share,
        &collector,
        evidence::hidden(loaded.as_deref()),
    )
    .map_err(|error| cannot_use(&candidate.address, &error))?;
    // Where calls are recorded, only a twin with doubles may have copies.
    let second = twin.filter(|_| effects.as_ref().is_none_or(|effects| effects.of_twin.is_some()));
    let mirrored = arguments.sharing.mirrored(loaded.as_deref(), arguments.sample, second);
    let pacing = Pacing::new(sampled, mirrored, &collector);
    ledger.pace(pacing.clone());
    let live = [Some(&candidate.address), twin];
    let sharing = arguments.sharing.sharing(loaded.as_deref(), live, routes, pacing.clone())?;
    let steering = sharing.as_ref().map(|sharing| Arc::clone(&sharing.steering));
    let threads = arguments.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let descriptors = Descriptors {
        sides: 1 + sharing.iter().flat_map(|sharing| [&sharing.candidate, &sharing.twin]).flatten().count(),
        threads,
        copies: arguments.copies,
        lanes: effects.as_ref().map(|effects| &effects.lanes),
        doubles: [
            effects.as_ref().map(|effects| &effects.doubles),
            effects.as_ref().and_then(|effects| effects.twin_doubles.as_ref()),
        ],
    };
    let limits = limits(&descriptors, console);
    let settings = Settings {
        control: control.address.clone(),
        sharing,
        trusted_proxies: arguments.trusted_proxies.clone(),
        limits,
        port,
        threads,
    };
    let proxy = Proxy::start(listener, &settings, Some(copies), &collector)
        .map_err(|error| cannot_use(&control.address, &error))?;
    console.note(&format!(
        "listening on http://{}: {} answers, {} gets copies (Ctrl-C stops it)",
        proxy.address(),
        control.label,
        candidate.label
    ));
    plan.iter().for_each(|plan| console.note(&plan.note()));
    watch(&interrupts, &proxy, &mut servers, &ledger, console, || {
        let trouble = steering.as_ref().and_then(|steering| steering.in_force().trouble.clone());
        let trouble = trouble.map(|trouble| format!("warning: the control file: {trouble}"));
        [trouble, pacing.said()].into_iter().flatten().for_each(|said| console.note_once(&said));
    });

    console.status("stopping: no new connections");
    let before = interrupts.count();
    let drain = loaded.as_ref().map_or_else(RolloutSettings::default, |loaded| loaded.rollout.clone()).drain;
    let drain = arguments.drain.map_or(drain, Duration::from_secs);
    let is_hurried = || interrupts.count() > before;
    proxy.stop_unless(drain, is_hurried);
    let waited = Instant::now();
    while !is_hurried() && waited.elapsed() < LAST_COPIES && !under_way.is_idle() {
        thread::sleep(Duration::from_millis(10));
    }
    console.done();
    drop(mirror);
    let report = Report::new(&ledger.end(), &[]);
    show(&report, arguments.json, console)
}

/// The socket that this process was started with, or a new one.
fn listener(arguments: &Arguments) -> Result<(TcpListener, Port)> {
    let handed =
        handed_over().map_err(|error| Failure::new(format!("cannot use the socket of LISTEN_FDS: {error}")))?;
    if let Some(listener) = handed {
        return Ok((listener, Port::Alone));
    }
    let port = if arguments.reuse_port { Port::Shared } else { Port::Alone };
    let listener = bind(arguments.listen, port).map_err(|error| {
        Failure::new(format!("cannot listen on {}: {error}", arguments.listen))
            .hint("choose another address with --listen".to_owned())
    })?;
    Ok((listener, port))
}

/// The most clients that the limit of open files allows.
fn limits(descriptors: &Descriptors<'_>, console: &Console) -> Limits {
    let limits = Limits::default();
    let Err(few) = open_files::reserve(descriptors.of(limits.connections)) else { return limits };
    let connections = descriptors.clients(usize::try_from(few.most_connections()).unwrap_or(usize::MAX));
    console.note(&format!(
        "at most {connections} clients at a time: this process may open {} files (`ulimit -n`)",
        few.limit
    ));
    Limits { connections, ..limits }
}

/// The project whose rows or rules are needed.
fn project(arguments: &Arguments, sides: &[&Side]) -> Result<Option<Arc<Loaded>>> {
    let has_row = sides.iter().any(|side| matches!(side, Side::Row(_)));
    let folder = arguments.project.as_deref().or(has_row.then_some(Path::new(".")));
    let loaded = folder.map(open).transpose()?.map(Arc::new);
    Ok(loaded)
}

/// Which requests are copied.
fn sampled(arguments: &Arguments, loaded: Option<&Loaded>) -> Result<Sampled> {
    let deny = loaded.map(|loaded| &loaded.rollout.deny[..]).unwrap_or_default();
    let deny = [&arguments.deny[..], deny].concat();
    Sampled::new(arguments.sample.unwrap_or(1.0), &deny).map_err(|error| Failure::new(error.to_string()))
}

/// Compares by the project's rules, or byte for byte.
fn compare(loaded: Option<&Loaded>) -> Box<Compare> {
    let (check, folder) = match loaded {
        Some(loaded) => (effects::with_order(loaded), loaded.folder.clone()),
        None => (CheckSettings::default(), PathBuf::new()),
    };
    let mut comparison = Comparison::new(check, folder);
    Box::new(move |target, control, candidate| {
        let mut finding = comparison.find(Some(target), control, candidate);
        if let Finding::Mismatch(found) = &mut finding {
            // A call that was refused may be why the answer differs: it comes first.
            found.list.sort_by_key(|difference| !matches!(difference.place, Place::Downstream { .. }));
        }
        finding
    })
}

fn cannot_use(address: &Address, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot use {address}: {error}"))
}

/// Shows progress until the user ends it.
fn watch(
    interrupts: &Interrupts,
    proxy: &Proxy,
    servers: &mut Servers,
    ledger: &Ledger,
    console: &Console,
    rollout: impl Fn(),
) {
    let mut said = Instant::now();
    while !interrupts.arrived() {
        thread::sleep(Duration::from_millis(50));
        if said.elapsed() >= PROGRESS {
            said = Instant::now();
            console.status(&Report::new(&ledger.summary(), &[]).line());
        }
        if let Some(trouble) = ledger.trouble() {
            console.note_once(&format!("warning: evidence is lost: {trouble}"));
        }
        if proxy.not_accepted() > 0 {
            console.note_once(
                "warning: clients' connections could not be accepted; is the limit of open files (`ulimit -n`) too low?",
            );
        }
        rollout();
        for server in servers.all() {
            if let Some(how) = server.ended() {
                console.note_once(&format!("warning: the server at {} ended: {how}", server.label));
            }
        }
    }
}
