//! What `tierup check` builds before it asks.

mod rows;

use std::sync::Arc;

use tierup_build::{Choice, build_alone, hold};
use tierup_check::{Check, Report};
use tierup_codegen::Host;
use tierup_project::Loaded;

use self::rows::host_rows;
use crate::{console::Console, failure::Result};

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
    let rows = host_rows(loaded, hosts, choice, planned.asks_servers(), console)?;
    let alone = planned.calls_functions().then(|| build_alone(loaded, console)).transpose()?;
    // All rows are asked as they were built: whoever builds meanwhile waits.
    let _held = hold(loaded, console)?;
    planned.compare(rows, alone, again, console)
}
