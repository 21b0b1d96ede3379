//! The server of a row to be profiled, with a recorder in the place of the service that it calls.

use std::sync::Arc;

use tierup_codegen::{Host, HostSettings, Row};
use tierup_diagnostic::Result;
use tierup_project::Loaded;
use tierup_subject::Started;

use crate::{benched::downstream, server::server};

/// The server of a built row, under a load that repeats. `program` stands in the place of its own.
///
/// # Errors
/// The recorder cannot start.
pub fn profiled(
    loaded: &Arc<Loaded>,
    host: &'static dyn Host,
    settings: &HostSettings,
    row: &Row,
    program: Option<String>,
) -> Result<Started> {
    let downstream = downstream(loaded)?;
    Ok(server(loaded, host, settings, row, move |command| {
        if let Some(program) = &program {
            command.program.clone_from(program);
        }
        command.environment.extend(downstream.iter().map(|downstream| downstream.environment()));
    }))
}
