//! `tierup report`: shows the report of an earlier run, or several side by side.

use std::path::PathBuf;

use clap::Args;

use crate::{
    console::Console,
    failure::Result,
    measure::{Shown, read_report},
};

/// Render a run's report.json again, or several side by side
#[derive(Args)]
pub struct Arguments {
    /// One or more report.json files written by `tierup bench`
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    shown: Shown,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let format = arguments.shown.format();
    let records = arguments.files.iter().map(|file| read_report(file)).collect::<Result<Vec<_>>>()?;
    match &records[..] {
        [record] => format.show(record, console),
        several => format.compare(several, console),
    }
}
