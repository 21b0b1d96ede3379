//! `tierup bench`: every tier of a server side by side, or any servers by their addresses.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use tierup_codegen::Row;
use tierup_rows::standing_rows;

use crate::{
    console::Console,
    failure::Result,
    hosts::{self, open},
    measure::{Bench, InProcess, Method, ProjectRows, Shown, Tiers},
    project_page::ChapterOf,
};

/// Measure every tier side by side and say which one pays
///
/// Builds what is missing, checks that all rows answer alike, measures, and writes report.html, report.md and
/// report.json. Exits with 1 if a row failed, and with 130 if Ctrl-C stopped it; the report then has what
/// was measured. docs/method.md explains the method.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".", conflicts_with = "url")]
    project: PathBuf,
    /// Only these hosts, e.g. `node,python`, or `all` [default: the project's first]
    #[arg(long, value_delimiter = ',', value_name = "HOST,…", conflicts_with = "url")]
    hosts: Vec<String>,
    /// `all`, or these rows, e.g. `0,0:free,2:core,4` [default: the baselines, 0:free and one variant per tier]
    #[arg(long, value_delimiter = ',', value_name = "TIER,…", conflicts_with = "url")]
    tiers: Vec<Tiers>,
    /// The row that all others are compared with
    #[arg(long, value_name = "ROW", default_value = "0", conflicts_with = "url")]
    reference: Row,
    /// Measure a running server at this address; its path is the request if --requests is not given
    #[arg(long)]
    url: Option<String>,
    /// Process ID of --url's server, to measure its CPU and memory, children included
    #[arg(long, requires = "url")]
    pid: Option<u32>,
    /// The address of another running server, to compare with --url's
    #[arg(long, requires = "url", value_name = "URL")]
    vs: Option<String>,
    /// Process ID of --vs's server
    #[arg(long, requires = "vs", value_name = "PID")]
    vs_pid: Option<u32>,
    /// Time calls in the host's process, without HTTP: the cost of one call at each variant
    #[arg(long, conflicts_with_all = ["url", "connections", "rate", "timeout", "duration", "load_threads", "cpuset", "threshold", "skew"])]
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
        false => Bench::of_project(rows, "bench", ChapterOf::Bench, format).run(&arguments.method, console),
    }
}
