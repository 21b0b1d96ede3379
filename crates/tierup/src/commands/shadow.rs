//! `tierup shadow`: a proxy that answers by the control, and compares what a candidate answers to copies of the requests.

use std::{
    net::{SocketAddr, TcpListener},
    sync::{Arc, atomic::Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use clap::Args;
use ipnet::IpNet;
use tierup_parity::{Policy, compare};
use tierup_runner::{Interrupts, Observer as _};
use tierup_shadow::{Address, Candidate, Copies, Limits, Mirror, Proxy, Report, Sampled, Settings};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// Answer clients by one server, and compare another server's answers to copies of the requests
#[derive(Args)]
pub struct Arguments {
    /// The address of the server that answers, e.g. `http://127.0.0.1:3000`
    #[arg(long, value_name = "URL")]
    control: Address,
    /// The address of the server that is compared with it; it gets copies of GET and HEAD requests
    #[arg(long, value_name = "URL")]
    candidate: Address,
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The part of the requests that is copied, from 0 to 1
    #[arg(long, value_name = "PART", default_value_t = 1.0)]
    sample: f64,
    /// Paths that are never copied, e.g. `/logout,/once/*`
    #[arg(long, value_delimiter = ',', value_name = "PATH,…")]
    deny: Vec<String>,
    /// Proxies in front of this one, whose X-Forwarded-For is believed, e.g. `10.0.0.0/8`
    #[arg(long, value_delimiter = ',', value_name = "NET,…")]
    trusted_proxies: Vec<IpNet>,
    /// Copies under way at a time; more requests of the sample are not copied
    #[arg(long, value_name = "N", default_value_t = 64)]
    copies: usize,
    /// The part of one processor that comparing may take, from 0 to 1
    #[arg(long, value_name = "PART", default_value_t = 0.5)]
    compare_share: f64,
    /// Threads that serve clients [default: one for each processor]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// What requests in flight have after Ctrl-C, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 15)]
    drain: u64,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// How long a candidate may take for an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long the last copies are waited for.
const LAST_COPIES: Duration = Duration::from_secs(5);
/// Between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let interrupts = Interrupts::watch();
    let sampled = Sampled::new(arguments.sample, &arguments.deny).map_err(|error| Failure::new(error.to_string()))?;
    let policy = Policy::default();
    let compare = Box::new(move |_: &str, control: &_, candidate: &_| compare(control, candidate, &policy));
    let limits = Limits::default();
    let settings = Settings {
        control: arguments.control.clone(),
        trusted_proxies: arguments.trusted_proxies.clone(),
        limits,
        threads: arguments.threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)),
    };
    let listener = TcpListener::bind(arguments.listen).map_err(|error| {
        Failure::new(format!("cannot listen on {}: {error}", arguments.listen))
            .hint("choose another address with --listen".to_owned())
    })?;
    let (copies, copied) = Copies::new(arguments.copies, Arc::new(move |head| sampled.takes(head)));
    let counts = copies.clone();
    let candidate =
        Candidate { address: arguments.candidate.clone(), patience: PATIENCE, answer_bytes: limits.copy_bytes };
    let cannot = |address: &Address| {
        let address = address.clone();
        move |error| Failure::new(format!("cannot use {address}: {error}"))
    };
    let mirror =
        Mirror::start(candidate, copied, compare, arguments.compare_share).map_err(cannot(&arguments.candidate))?;
    let proxy = Proxy::start(listener, &settings, Some(copies)).map_err(cannot(&arguments.control))?;
    console.note(&format!(
        "listening on http://{}: {} answers, {} gets copies (Ctrl-C stops it)",
        proxy.address(),
        arguments.control,
        arguments.candidate
    ));

    let mut said = Instant::now();
    while !interrupts.arrived() {
        thread::sleep(Duration::from_millis(50));
        if said.elapsed() >= PROGRESS {
            said = Instant::now();
            console.status(&Report::new(counts.counts(), mirror.evidence()).line());
        }
    }
    console.status("stopping: no new connections");
    proxy.stop(Duration::from_secs(arguments.drain));
    let waited = Instant::now();
    while waited.elapsed() < LAST_COPIES && mirror.evidence().answered() < counts.counts().copied.load(Relaxed) {
        thread::sleep(Duration::from_millis(10));
    }
    console.done();
    let report = Report::new(counts.counts(), mirror.evidence());
    if !arguments.json {
        return console.data(&report.text());
    }
    let json = serde_json::to_string_pretty(&report);
    console.data(&json.map_err(|error| Failure::new(format!("cannot write the report as JSON: {error}")))?)
}
