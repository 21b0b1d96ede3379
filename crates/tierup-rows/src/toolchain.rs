//! The Rust toolchain that is active for the user's crate, and the wasm target in it.

use std::{env, fs::File, path::Path};

use tierup_codegen::Command;
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{Error, Observer, Workshop, capture, capture_with, run};

use crate::needs;

/// The target of tier 2.
pub const WASM_TARGET: &str = "wasm32-unknown-unknown";

/// Variables that make cargo in `.tierup/` the same as in the crate's own folder.
pub(crate) struct Toolchain {
    pub(crate) environment: Vec<(String, String)>,
    /// The target triple of this machine.
    pub(crate) this_machine: String,
    has_rustup: bool,
}

impl Toolchain {
    /// No toolchain: it builds nothing.
    pub(crate) fn none() -> Toolchain {
        Toolchain { environment: Vec::new(), this_machine: String::new(), has_rustup: false }
    }
}

/// Finds the toolchain of the crate's folder, which a `rust-toolchain.toml` there may choose.
pub(crate) fn find(crate_folder: &Path) -> Result<Toolchain> {
    // This comes first, as it makes rustup install a missing toolchain that the crate names.
    let rustc = capture(&Command::new("rustc", ["-vV"]), crate_folder)?;
    let this_machine = rustc.lines().find_map(|line| line.strip_prefix("host: "));
    let this_machine = this_machine.ok_or_else(|| Failure::new("`rustc -vV` does not name its host"))?.to_owned();
    if let Some(version) = needs::version(&rustc)
        && !needs::is_enough(version, needs::MINIMUM_RUST)
    {
        let message = format!("this crate is built by Rust {version}; tierup needs {} or newer", needs::MINIMUM_RUST);
        return Err(Failure::new(message).hint("run `rustup update`, or raise the channel in rust-toolchain.toml"));
    }
    match capture(&Command::new("rustup", ["show", "active-toolchain"]), crate_folder) {
        Ok(active) => {
            let name = active.split_whitespace().next().unwrap_or_default().to_owned();
            Ok(Toolchain { environment: vec![("RUSTUP_TOOLCHAIN".into(), name)], this_machine, has_rustup: true })
        }
        // Rust may come from a distribution, without rustup.
        Err(Error::Missing { .. }) => Ok(Toolchain { environment: Vec::new(), this_machine, has_rustup: false }),
        Err(error) => Err(error.into()),
    }
}

/// Adds a target if it is missing.
pub(crate) fn ensure_target(
    toolchain: &Toolchain,
    workshop: &Workshop,
    target: &str,
    observer: &mut dyn Observer,
) -> Result<()> {
    let is_here = || has_library(target, &workshop.root, &toolchain.environment);
    if is_here() {
        return Ok(());
    }
    if !toolchain.has_rustup {
        return Err(Failure::new(format!(
            "the target {target} is not installed, and rustup is not available to add it"
        ))
        .hint("install your distribution's package for it, or build without tier 2: --tiers 1,3,4"));
    }
    let _alone = lock_rustup();
    if is_here() {
        return Ok(());
    }
    let add = Command::new("rustup", ["target", "add", target]);
    observer.started(&add.to_string());
    let added = run(&add, &workshop.root, &workshop.environment, observer);
    observer.finished();
    Ok(added?)
}

/// Waits until no other tierup adds a target: two rustups that install the same one at once fail ("detected conflict").
/// `None` if no file can be locked; then rustup runs without the lock.
fn lock_rustup() -> Option<File> {
    let path = env::temp_dir().join("tierup-rustup.lock");
    let file = File::options().create(true).truncate(false).write(true).open(path).ok()?;
    file.lock().ok()?;
    Some(file)
}

/// Whether the active toolchain in `folder` has the standard library for Wasm.
pub fn has_target(folder: &Path, environment: &[(String, String)]) -> bool {
    has_library(WASM_TARGET, folder, environment)
}

fn has_library(target: &str, folder: &Path, environment: &[(String, String)]) -> bool {
    let print = Command::new("rustc", ["--print", "target-libdir", "--target", target]);
    capture_with(&print, folder, environment).is_ok_and(|path| Path::new(path.trim()).is_dir())
}
