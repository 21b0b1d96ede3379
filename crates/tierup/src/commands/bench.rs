//! `tierup bench`: every tier of a server side by side, or any servers by their addresses.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use tierup_codegen::Row;

use crate::{
    console::Console,
    failure::Result,
    hosts,
    measure::{Bench, InProcess, Method, ProjectRows, Shown, Tiers, standing_rows},
    project::open,
};

/// Measure every tier side by side and say which one pays
///
/// Builds what is missing, checks that all rows answer alike, measures, and leaves report.html, report.md and
/// report.json. Exits with 1 where a row failed, and with 130 where Ctrl-C cut it short: the report then has what
/// was measured. docs/method.md says how it measures.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".", conflicts_with = "url")]
    project: PathBuf,
    /// Only these hosts, e.g. `node,python`; by default the project's first
    #[arg(long, value_delimiter = ',', value_name = "HOST,…", conflicts_with = "url")]
    hosts: Vec<String>,
    /// `all` variants, or these rows, e.g. `0,0:free,2:core,4`; by default the baselines, 0:free and one variant a tier
    #[arg(long, value_delimiter = ',', value_name = "TIER,…", conflicts_with = "url")]
    tiers: Vec<Tiers>,
    /// The row that all others are compared with
    #[arg(long, value_name = "ROW", default_value = "0", conflicts_with = "url")]
    reference: Row,
    /// Measure a server that runs already, at this address; its path is the request where no --requests are given
    #[arg(long)]
    url: Option<String>,
    /// The process of --url's server: its CPU and memory, and those of its children, are measured
    #[arg(long, requires = "url")]
    pid: Option<u32>,
    /// Another server, to be compared with --url's
    #[arg(long, requires = "url", value_name = "URL")]
    vs: Option<String>,
    /// The process of --vs's server
    #[arg(long, requires = "vs", value_name = "PID")]
    vs_pid: Option<u32>,
    /// Time calls in the host's own process, without HTTP: what crossing into each variant costs
    #[arg(long, conflicts_with_all = ["url", "connections", "rate", "timeout", "duration", "load_threads", "cpuset", "threshold"])]
    in_process: bool,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    method: Method,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let format = arguments.shown.format();
    if let Some(url) = &arguments.url {
        let (rows, target) = standing_rows(url, arguments.pid, arguments.vs.as_deref(), arguments.vs_pid)?;
        return Bench::of_standing(rows, target, format).run(&arguments.method, console);
    }
    let loaded = Arc::new(open(&arguments.project)?);
    let hosts = hosts::measured(&loaded, &arguments.hosts, console)?;
    let (choice, reference) = (Tiers::choice(&arguments.tiers), arguments.reference.clone());
    let rows = ProjectRows { loaded, hosts, choice, reference };
    match arguments.in_process {
        true => InProcess { rows, format }.run(&arguments.method, console),
        false => Bench::of_project(rows, "bench", format).run(&arguments.method, console),
    }
}
