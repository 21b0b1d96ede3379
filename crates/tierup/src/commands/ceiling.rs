//! `tierup ceiling`: the limit that no rewrite of the function can beat, measured before any Rust is written.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use tierup_codegen::{Host, Row};

use crate::{
    console::Console,
    failure::Result,
    hosts::{self, open},
    kept_bounds,
    measure::{Bench, Choice, Method, ProjectRows, Shown},
    project_page::ChapterOf,
};

/// Measure the limit for any rewrite of the function inside its server
///
/// Measures the server as it is (0) and with the function's recorded answers replayed (0:free).
/// The server must take its function from the generated package; `tierup init` shows the one line to change.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Only these hosts, e.g. `node,python`, or `all` [default: the project's first]
    #[arg(long, value_delimiter = ',', value_name = "HOST,…")]
    hosts: Vec<String>,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    method: Method,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let format = arguments.shown.format();
    let loaded = Arc::new(open(&arguments.project)?);
    let hosts = hosts::measured(&loaded, &arguments.hosts, console)?;
    let reference = Row::Baseline(None);
    let choice = Choice::These(vec![reference.clone(), Row::Free]);
    let group = |host: &'static dyn Host| if hosts.len() > 1 { host.name() } else { "" };
    let estimates = hosts.iter().flat_map(|host| kept_bounds::estimates(&loaded, host.name(), group(*host))).collect();
    let rows = ProjectRows { loaded, hosts, choice, reference };
    Bench::of_project(rows, "ceiling", ChapterOf::Ceiling, format).beside(estimates).run(&arguments.method, console)
}
