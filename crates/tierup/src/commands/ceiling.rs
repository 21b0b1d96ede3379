//! `tierup ceiling`: what no rewrite of the function can beat, before any Rust is written.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use tierup_codegen::Row;

use super::bench::hosts;
use crate::{
    console::Console,
    failure::Result,
    measure::{Bench, Choice, Format, Method, Source, project_rows},
    project::open,
};

/// Say what no rewrite of the function inside its server can beat
///
/// Measures the server as it is (0) and with the function's recorded answers replayed instead of its work (0:free).
/// For a server that takes its function from the generated package: `tierup init` says how, it takes one line.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Only these hosts, e.g. `node,python`; by default all of the project's
    #[arg(long, value_delimiter = ',', value_name = "HOST,…")]
    hosts: Vec<String>,
    /// The form on standard output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    #[command(flatten)]
    method: Method,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let format = if arguments.json { Format::Json } else { arguments.format };
    let loaded = Arc::new(open(&arguments.project)?);
    let hosts = hosts(&loaded, &arguments.hosts)?;
    let reference = Row::Baseline(None);
    let choice = Choice::These(vec![reference.clone(), Row::Free]);
    let rows = project_rows(&loaded, &hosts, &choice, &reference, console)?;
    let title = loaded.project.interface.package.clone();
    let source = Source::Project(loaded.folder.clone());
    let folder = loaded.work.join("ceiling");
    Bench { title, rows, source, loaded: Some(loaded), folder, format }.run(&arguments.method, console)
}
