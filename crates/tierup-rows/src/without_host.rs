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

/// What a build is optimized for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Optimized {
    /// Fast calls, as in the variants.
    ForCalls,
    /// A short build after each change. The semantics are those of the release profile: numbers wrap around as they do
    /// there.
    ForBuilds,
}

/// The settings of [`Optimized::ForBuilds`]. Linking everything as one (`lto`) takes most of a small crate's build.
const FOR_BUILDS: [(&str, &str); 4] = [
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_INCREMENTAL", "true"),
];

/// The driver of the functions alone, which `bench --in-process` compares crossings with.
///
/// # Errors
/// The driver cannot be built.
pub fn build_alone(loaded: &Loaded, optimized: Optimized, observer: &mut dyn Observer) -> Result<PathBuf> {
    let _lock = lock(loaded, observer)?;
    let toolchain = toolchain::find(&loaded.project.crate_folder)?;
    let (plan, left_out) = generate(loaded, &loaded.workspace_root, &toolchain, observer)?;
    observer.note("building the functions without a host");
    let (mut workshop, _shared) = workshop(loaded, &toolchain);
    if optimized == Optimized::ForBuilds {
        workshop.environment.extend(FOR_BUILDS.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
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
