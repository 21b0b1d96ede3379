//! Builds programs that belong to no host: the driver of the functions alone, and the server of tier 4 with symbols.

use std::path::PathBuf;

use tierup_codegen::shims;
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{Observer, carry_out};

use crate::{
    assemble::CommonShim,
    packages::{generate, lock, workshop},
    toolchain,
};

/// The driver of the functions alone, which `bench --in-process` compares crossings with.
///
/// # Errors
/// The driver cannot be built.
pub fn build_alone(loaded: &Loaded, observer: &mut dyn Observer) -> Result<PathBuf> {
    let _lock = lock(loaded, observer)?;
    let toolchain = toolchain::find(&loaded.project.crate_folder)?;
    let (plan, left_out) = generate(loaded, &loaded.workspace_root, &toolchain, observer)?;
    observer.note("building the functions without a host");
    let (workshop, _shared) = workshop(loaded, &toolchain);
    for step in plan.shared(CommonShim::Alone) {
        if let Some(reason) = step.commands().into_iter().find_map(|command| left_out.reason(command)) {
            return Err(Failure::new(format!("the functions alone cannot be built: {reason}")));
        }
        carry_out(&step, &workshop, observer)?;
    }
    Ok(loaded.work.join(shims::driver_program()))
}

/// The server of tier 4 with symbols, for a profiler. The row must be built already, as its files are used.
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
