//! Builds the server of tier 4 once more, with symbols, for a profiler.

use std::path::PathBuf;

use tierup_codegen::shims;
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{Observer, carry_out};

use crate::{locked::lock, packages::workshop, toolchain};

/// The built program. The row itself must have been built: its files are there.
///
/// # Errors
/// The project has no tier 4, or it cannot be built.
pub fn build_with_symbols(loaded: &Loaded, observer: &mut dyn Observer) -> Result<PathBuf> {
    let (steps, program) = shims::server::with_symbols(&loaded.project)
        .ok_or_else(|| Failure::usage("this project has no Rust server to profile"))?;
    let _lock = lock(loaded, observer)?;
    let toolchain = toolchain::find(&loaded.project.crate_folder)?;
    observer.note("building the Rust server with symbols");
    let (workshop, _shared) = workshop(loaded, &toolchain);
    for step in &steps {
        carry_out(step, &workshop, observer)?;
    }
    Ok(loaded.work.join(program))
}
