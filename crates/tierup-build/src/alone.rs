//! Builds the functions without any host: the driver that `bench --in-process` compares crossings with.

use std::path::PathBuf;

use tierup_codegen::shims;
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{Observer, carry_out};

use crate::{
    assemble::Shared,
    locked::lock,
    packages::{generate, workshop},
    toolchain,
};

/// The built program.
///
/// # Errors
/// Where it cannot be built.
pub fn build_alone(loaded: &Loaded, observer: &mut dyn Observer) -> Result<PathBuf> {
    let _lock = lock(loaded, observer)?;
    let toolchain = toolchain::find(&loaded.project.crate_folder)?;
    let (plan, left_out) = generate(loaded, &toolchain, observer)?;
    observer.note("building the functions without a host");
    let (workshop, _shared) = workshop(loaded, &toolchain);
    for step in plan.shared(Shared::Alone) {
        if let Some(reason) = step.commands().into_iter().find_map(|command| left_out.reason(command)) {
            return Err(Failure::new(format!("the functions alone cannot be built: {reason}")));
        }
        carry_out(&step, &workshop, observer)?;
    }
    Ok(loaded.work.join(shims::driver_program()))
}
