//! The check of a project: its rows, built and handed to `tierup-check`.

use std::sync::Arc;

use tierup_build::{CheckedRows, Choice, build_alone, checked_rows, hold};
use tierup_check::{Asked, Check, HostRows, Report};
use tierup_codegen::{Host, HostSettings, Row};
use tierup_diagnostic::Result;
use tierup_project::Loaded;
use tierup_runner::Observer;

use crate::server::server;

/// Compares every variant and every tier's server of a project. `again` is the command that repeats it.
///
/// # Errors
/// A build failed, or nothing could be asked.
pub fn check_project(
    check: &Check,
    loaded: &Arc<Loaded>,
    hosts: &[&'static dyn Host],
    choice: &Choice,
    again: &str,
    observer: &mut (dyn Observer + Sync),
) -> Result<Report> {
    let planned = check.plan(loaded, observer)?;
    let rows = checked_rows(loaded, hosts, choice, planned.asks_servers(), observer)?;
    let alone = planned.calls_functions().then(|| build_alone(loaded, observer)).transpose()?;
    // Other builds wait meanwhile, so that all rows are asked as they were built.
    let _held = hold(loaded, observer)?;
    let rows = rows.into_iter().map(|rows| host_rows(loaded, rows)).collect();
    planned.compare(rows, alone, again, observer)
}

/// One host's built rows, with the servers of those that have one.
fn host_rows<'a>(loaded: &Arc<Loaded>, rows: CheckedRows<'a>) -> HostRows<'a> {
    let CheckedRows { host, settings, called, served, left_out } = rows;
    let served = served.into_iter().map(|row| asked(loaded, host, settings, &row)).collect();
    let left_out = left_out.into_iter().map(|(variant, reason)| (format!("{} {variant}", host.name()), reason));
    HostRows { host, settings, called, served, left_out: left_out.collect() }
}

fn asked(loaded: &Arc<Loaded>, host: &'static dyn Host, settings: &HostSettings, row: &Row) -> Asked {
    let label = format!("{} {row}", host.name());
    let again = format!("--hosts {} --tiers {row}", host.name());
    Asked { label, subject: Box::new(server(loaded, host, settings, row, |_| {})), again }
}
