//! Builds the functions without any host: the driver that `bench --in-process` compares crossings with.

use std::path::PathBuf;

use tierup_codegen::shims;
use tierup_runner::{Lock, carry_out};

use super::{assemble::Shared, generate, lock_file, toolchain, workshop};
use crate::{console::Console, failure::Result, project::Loaded};

/// The built program.
pub(crate) fn build_alone(loaded: &Loaded, console: &mut Console) -> Result<PathBuf> {
    let _lock = Lock::take(&loaded.work.join("lock"), || {
        console.note("another tierup builds this project; waiting until it is done");
    })?;
    let toolchain = toolchain::find(&loaded.project.crate_folder)?;
    let plan = generate(loaded)?;
    lock_file::seed(&loaded.workspace_root, &loaded.work)?;
    console.note("building the functions alone");
    let workshop = workshop(loaded, &toolchain);
    for step in plan.shared(Shared::Alone) {
        carry_out(&step, &workshop, console)?;
    }
    Ok(loaded.work.join(shims::driver_program()))
}
