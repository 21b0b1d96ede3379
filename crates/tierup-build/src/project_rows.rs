//! The rows of a project that a measurement compares: which, and each of them built.

use std::sync::Arc;

use tierup_codegen::{Host, HostSettings, Row};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{Interrupts, Observer};

use crate::{Choice, build_server, reference, rows};

/// Rows to measure.
pub struct ProjectRows {
    pub loaded: Arc<Loaded>,
    pub hosts: Vec<&'static dyn Host>,
    pub choice: Choice,
    /// The row that all others of its host are compared with.
    pub reference: Row,
}

impl ProjectRows {
    /// A host's rows, each of them built. A row that cannot be had is noted and left out, unless the user named it. `first` is
    /// the host whose group has the rows that belong to no host.
    ///
    /// # Errors
    /// Where a row that the user named, or the reference, cannot be built.
    pub fn built(
        &self,
        host: &'static dyn Host,
        settings: &HostSettings,
        first: bool,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Row>> {
        // Sees an interrupt between two steps of a build, which watch only while they run.
        let interrupts = Interrupts::watch();
        let mut wanted = self.choice.rows(&self.loaded, host, settings, first);
        wanted.retain(|row| rows::is_for(row, &self.loaded, host, &self.hosts, observer));
        // A tier is built as the variant that the user wants to compare with.
        wanted.iter_mut().filter(|row| reference::may_become(row, &self.reference)).for_each(|row| {
            row.clone_from(&self.reference);
        });
        // Before anything is built, so that nobody waits for minutes to be told.
        if !wanted.iter().any(|row| reference::is(&self.reference, row)) {
            return Err(reference::missing(&self.reference, host, &wanted));
        }
        rows::require_dependency(&self.loaded, host, settings, &wanted, observer)?;
        let mut rows = Vec::new();
        for row in wanted {
            let built = rows::build_row(&self.loaded, host, settings, row.clone(), observer);
            if interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            match built {
                Ok(built) => rows.push(built),
                // Why the reference cannot be built says more than that it is missing.
                Err(failure) if reference::is(&self.reference, &row) => return Err(failure),
                Err(failure) if self.choice == Choice::Default => {
                    observer.note(&format!("skipping {row}: {}", observer.shown(&failure)));
                }
                Err(failure) => return Err(failure),
            }
        }
        let server = build_server(&self.loaded, settings, observer);
        if interrupts.arrived() {
            return Err(Failure::Interrupted);
        }
        server.map(|()| rows)
    }
}
