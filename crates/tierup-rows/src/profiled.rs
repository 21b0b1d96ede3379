//! The server of a row to be profiled, with a recorder in the place of the service that it calls.

use std::sync::Arc;

use tierup_codegen::{Host, HostSettings, Row};
use tierup_diagnostic::Result;
use tierup_project::Loaded;
use tierup_subject::Started;

use crate::{benched::downstream, server::server};

/// The server of a built row, under a load that repeats.
///
/// # Errors
/// The recorder cannot start.
pub fn profiled(loaded: &Arc<Loaded>, host: &'static dyn Host, settings: &HostSettings, row: &Row) -> Result<Started> {
    let downstream = downstream(loaded)?;
    Ok(server(loaded, host, settings, row, move |command| {
        command.environment.extend(downstream.iter().map(|downstream| downstream.environment()));
    }))
}
