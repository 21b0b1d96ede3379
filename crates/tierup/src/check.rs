//! The rows of a project, built and handed to `tierup-check`.

use std::{sync::Arc, time::Duration};

use tierup_build::{CheckedRows, Choice, build_alone, checked_rows, hold, rows};
use tierup_check::{Asked, Check, HostRows, Report};
use tierup_codegen::{Host, HostSettings, Row};
use tierup_project::Loaded;
use tierup_subject::Started;

use crate::{console::Console, failure::Result};

/// How long a server may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// Compares every variant and every tier's server of a project. `again` is `tierup check PROJECT`.
pub(crate) fn check_project(
    check: &Check,
    loaded: &Arc<Loaded>,
    hosts: &[&'static dyn Host],
    choice: &Choice,
    again: &str,
    console: &mut Console,
) -> Result<Report> {
    let planned = check.plan(loaded, console)?;
    let rows = checked_rows(loaded, hosts, choice, planned.asks_servers(), console)?;
    let alone = planned.calls_functions().then(|| build_alone(loaded, console)).transpose()?;
    // Other builds wait meanwhile, so that all rows are asked as they were built.
    let _held = hold(loaded, console)?;
    let rows = rows.into_iter().map(|rows| host_rows(loaded, rows)).collect();
    planned.compare(rows, alone, again, console)
}

fn host_rows<'a>(loaded: &Arc<Loaded>, rows: CheckedRows<'a>) -> HostRows<'a> {
    let CheckedRows { host, settings, called, served, left_out } = rows;
    let served = served.into_iter().map(|row| asked(loaded, host, settings, row)).collect();
    let left_out = left_out.into_iter().map(|(variant, reason)| (format!("{} {variant}", host.name()), reason));
    HostRows { host, settings, called, served, left_out: left_out.collect() }
}

/// The row's server.
fn asked(loaded: &Arc<Loaded>, host: &'static dyn Host, settings: &HostSettings, row: Row) -> Asked {
    let (owned, settings) = (Arc::clone(loaded), settings.clone());
    let label = format!("{} {row}", host.name());
    let again = format!("--hosts {} --tiers {row}", host.name());
    let command = move |port| rows::command(&owned, host, &settings, &row, port).map_err(|failure| failure.to_string());
    Asked { label, subject: Box::new(Started::new(command, loaded.folder.clone(), GRACE)), again }
}
