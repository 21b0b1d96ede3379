//! `tierup shadow`: a proxy that answers by control, and compares a candidate's answers to copies of requests.

mod evidence;
mod report;
mod sharing;

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use clap::{Args, Subcommand};
use ipnet::IpNet;
use tierup_project::{Loaded, RolloutSettings};
use tierup_ramp::Courier;
use tierup_rollout::Part;
use tierup_rows::sides::{
    Servers, Side, declared,
    effects::{self, Plan},
    start,
};
use tierup_runner::{Interrupts, Observer as _};
use tierup_shadow::{
    Limits, Sampled, Setup, Shadow, Share, Show, Sides,
    listening::{Port, bind, handed_over},
};
use tierup_subject::open_files::{self, TooFew};

pub(super) use report::{evidence_inside, found_inside};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::{self, open},
    measure::show,
    metrics,
    project_page::{self, ChapterOf},
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
    /// For a load balancer that mirrors requests to this address and ignores the answers: ask the control only for
    /// those that are compared, one request more for each
    #[arg(long, requires = "sample")]
    mirrored: bool,
    /// Paths that are never copied, beside those of [rollout], e.g. `/logout,/once/*`
    #[arg(long, value_delimiter = ',', value_name = "PATH,…")]
    deny: Vec<String>,
    /// Path segments, and parameters whose values evidence shows even if few clients sent them, in addition to those of
    /// [rollout]; `*` for all
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    show: Vec<String>,
    /// Proxies in front of this one, whose X-Forwarded-For is believed, e.g. `10.0.0.0/8`
    #[arg(long, value_delimiter = ',', value_name = "NET,…")]
    trusted_proxies: Vec<IpNet>,
    /// Maximum number of client connections; a new one beyond them closes the one idle for longest [default: as many as
    /// the limit of open files allows, at most 4096]
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    connections: Option<usize>,
    /// Maximum number of copies at a time; requests beyond it are not copied
    #[arg(long, value_name = "N", default_value_t = 64)]
    copies: usize,
    /// The memory that all copies and their comparison may take, in MiB; what does not fit is not compared
    // A request that is recorded in a lane takes 1 MiB and a little.
    #[arg(long, value_name = "MIB", default_value_t = Shadow::MEMORY >> 20,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..))]
    compare_memory: usize,
    /// The part of one processor that comparing may take, from 0.01 to 1
    #[arg(long, value_name = "PART", default_value_t = 0.5)]
    compare_share: f64,
    /// Threads that serve clients [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Seconds for requests in flight after Ctrl-C; a second Ctrl-C ends them [default: `drain` of [rollout], or 30]
    #[arg(long, value_name = "SECONDS")]
    drain: Option<u64>,
    #[command(flatten)]
    evidence: evidence::Flags,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// Commands other than to answer clients.
#[derive(Subcommand)]
enum Other {
    Report(report::Arguments),
}

/// The time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    if let Some(Other::Report(arguments)) = &arguments.command {
        return report::run(arguments, console);
    }
    let Some(candidate) = &arguments.candidate else {
        return Err(Failure::usage("there is no candidate").hint("name one with --candidate"));
    };
    let interrupts = Interrupts::watch();
    sampled(arguments, None)?;
    let share =
        Share::new(arguments.compare_share).map_err(|error| Failure::usage(format!("--compare-share: {error}")))?;
    let (listener, port) = listener(arguments)?;
    let twin = arguments.sharing.twin(&arguments.control);
    let sides: Vec<&Side> = [&arguments.control, candidate].into_iter().chain(&twin).collect();
    if let (true, Some(row)) = (arguments.reuse_port, sides.iter().find(|side| matches!(side, Side::Row(_)))) {
        return Err(Failure::usage(format!(
            "--reuse-port is for servers at addresses: `{row}` is a row, whose server would end with this proxy"
        ))
        .hint("start the servers with `tierup serve`, and give their addresses"));
    }
    let loaded = project(arguments, &sides)?;
    let rows = match &loaded {
        Some(loaded) if sides.iter().any(|side| matches!(side, Side::Row(_))) => {
            Some(hosts::only(loaded, arguments.host.as_deref())?)
        }
        _ => None,
    };
    let plan = Plan::new(loaded.as_deref(), &arguments.control, candidate)?;
    let (routes, note) = effects::routes(loaded.as_deref(), plan.as_ref(), rows.is_some())?;
    let undeclared = loaded.as_deref().and_then(Loaded::undeclared);
    note.iter().chain(&undeclared).for_each(|note| console.note(note));
    let sampled = sampled(arguments, loaded.as_deref())?;
    let metrics = arguments.evidence.metrics()?;
    let courier = arguments.sharing.courier(loaded.as_deref())?;
    let mut servers = start(&arguments.control, candidate, twin.as_ref(), rows, plan.as_ref(), console)?;
    let threads = arguments.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from));
    let mut sides = servers.sides();
    sides.processes.extend(arguments.evidence.processes());
    let RolloutSettings { sample, sticky, drain, .. } = rollout(loaded.as_deref());
    let shadow = Shadow::start(Setup {
        listener,
        port,
        threads,
        limits: limits(&sides, threads, arguments, console)?,
        sides,
        declared: declared(loaded.as_deref()),
        trusted_proxies: arguments.trusted_proxies.clone(),
        sampled,
        routes,
        show: shown_at_once(arguments, loaded.as_deref()),
        sample: if arguments.sample.is_some() { Part::ALL } else { sample },
        copies: arguments.copies,
        is_mirrored: arguments.mirrored,
        memory: arguments.compare_memory.saturating_mul(1 << 20),
        share,
        sticky: arguments.sharing.sticky.clone().or(sticky),
        state: arguments.sharing.state(loaded.as_deref()),
        evidence_limit: arguments.evidence.bytes(),
        metrics,
        drain: arguments.drain.map_or(drain, Duration::from_secs),
    })?;
    shadow.metrics().iter().for_each(|address| metrics::say_where(*address, "name your routes", console));
    let (address, control, candidate) = (shadow.address(), &servers.control.label, &servers.candidate.label);
    console.note(&match arguments.mirrored {
        true => format!(
            "listening on http://{address} for mirrored requests: {control} and {candidate} are asked for at most {} % of \
             those that change nothing (Ctrl-C stops it)",
            arguments.sample.unwrap_or(1.0) * 100.0
        ),
        false => format!("listening on http://{address}: {control} answers, {candidate} gets copies (Ctrl-C stops it)"),
    });
    plan.iter().for_each(|plan| console.note(&plan.note()));
    watch(&interrupts, &shadow, courier.as_ref(), &mut servers, console);

    console.status("stopping: no new connections");
    let before = interrupts.count();
    let report = shadow.stop(|| interrupts.count() > before);
    // It sends what the shadow wrote last.
    drop(courier);
    console.done();
    if let Some(loaded) = &loaded {
        project_page::keep(loaded, ChapterOf::Shadow, report.page(), Vec::new(), console);
    }
    show(&report, arguments.json, console)
}

/// The socket inherited by this process, or a new one.
fn listener(arguments: &Arguments) -> Result<(TcpListener, Port)> {
    let handed = handed_over().map_err(|error| Failure::because("cannot use the socket of LISTEN_FDS", error))?;
    if let Some(listener) = handed {
        return Ok((listener, Port::Alone));
    }
    let port = if arguments.reuse_port { Port::Shared } else { Port::Alone };
    let listener = bind(arguments.listen, port).map_err(|error| {
        Failure::because(format!("cannot listen on {}", arguments.listen), error)
            .hint("choose another address with --listen")
    })?;
    Ok((listener, port))
}

/// The requested number of clients, or as many as the limit of open files allows.
fn limits(sides: &Sides, threads: usize, arguments: &Arguments, console: &Console) -> Result<Limits> {
    let (limits, connections) = (Limits::default(), arguments.connections);
    let descriptors = sides.descriptors(threads, arguments.copies);
    let wanted = connections.unwrap_or(limits.connections);
    let Err(few) = open_files::reserve(descriptors.of(wanted)) else {
        return Ok(Limits { connections: wanted, ..limits });
    };
    let most = descriptors.clients(usize::try_from(few.most_connections()).unwrap_or(usize::MAX));
    let TooFew { needed, limit, .. } = few;
    if connections.is_some() {
        let what = format!("{wanted} clients need {needed} open files, but this process may open only {limit}");
        let hint = format!("give at most --connections {most}, or raise the limit: `ulimit -Hn`");
        return Err(Failure::usage(what).hint(hint));
    }
    console.note(&format!("at most {most} clients at a time: this process may open {limit} files (`ulimit -n`)"));
    Ok(Limits { connections: most, ..limits })
}

/// The project, if its rows or rules are needed.
fn project(arguments: &Arguments, sides: &[&Side]) -> Result<Option<Arc<Loaded>>> {
    let has_row = sides.iter().any(|side| matches!(side, Side::Row(_)));
    let folder = arguments.project.as_deref().or(has_row.then_some(Path::new(".")));
    let loaded = folder.map(open).transpose()?.map(Arc::new);
    Ok(loaded)
}

/// The settings of `[rollout]`, or their defaults.
fn rollout(loaded: Option<&Loaded>) -> RolloutSettings {
    loaded.map_or_else(RolloutSettings::default, |loaded| loaded.rollout.clone())
}

/// The selection of requests to copy.
fn sampled(arguments: &Arguments, loaded: Option<&Loaded>) -> Result<Sampled> {
    let deny = loaded.map(|loaded| &loaded.rollout.deny[..]).unwrap_or_default();
    let deny = [&arguments.deny[..], deny].concat();
    Sampled::new(arguments.sample.unwrap_or(1.0), &deny).map_err(|error| Failure::usage(error.to_string()))
}

/// The values that evidence shows. Parts of denied paths are among them, as the user wrote those paths.
fn shown_at_once(arguments: &Arguments, loaded: Option<&Loaded>) -> Show {
    let rollout = loaded.map(|loaded| &loaded.rollout);
    let show = arguments.show.iter().chain(rollout.into_iter().flat_map(|rollout| &rollout.show)).cloned();
    let denied = arguments.deny.iter().chain(rollout.into_iter().flat_map(|rollout| &rollout.deny));
    Show::new(show.collect()).and_parts_of(denied)
}

/// Shows progress until the user interrupts.
fn watch(
    interrupts: &Interrupts,
    shadow: &Shadow,
    courier: Option<&Courier>,
    servers: &mut Servers,
    console: &Console,
) {
    let mut said = Instant::now();
    while !interrupts.arrived() {
        thread::sleep(Duration::from_millis(50));
        if said.elapsed() >= PROGRESS {
            said = Instant::now();
            console.status(&shadow.report().line());
        }
        shadow.notes().iter().for_each(|note| console.note_once(note));
        let trouble = courier.and_then(Courier::trouble);
        trouble
            .iter()
            .for_each(|trouble| console.note_once(&format!("warning: {trouble}; evidence waits in its files")));
        for server in servers.all() {
            if let Some(how) = server.ended() {
                console.note_once(&format!("warning: the server at {} ended: {how}", server.label));
            }
        }
    }
}
