//! The hot crate as `cargo metadata` describes it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tierup_codegen::Command;
use tierup_diagnostic::{Failure, Result};
use tierup_model::CrateInfo;

use crate::{lock, shown};

/// A crate, and the workspace that it belongs to.
pub(crate) struct Crate {
    pub(crate) info: CrateInfo,
    pub(crate) workspace_root: PathBuf,
    /// Its functions may wait for an async runtime, because it depends on tokio, directly or through other crates.
    pub(crate) blocks: bool,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    /// `dev` or `build`.
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

/// Asks cargo about the crate in `folder`. Nothing is downloaded.
pub(crate) fn read_crate(folder: &Path) -> Result<Crate> {
    let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1"];
    let output = tierup_runner::capture(&Command::new("cargo", arguments), folder)?;
    let metadata: Metadata = serde_json::from_str(&output)
        .map_err(|error| Failure::new(format!("cargo's metadata of `{}` cannot be read: {error}", shown(folder))))?;
    let manifest = folder.join("Cargo.toml");
    let package = metadata.packages.into_iter().find(|package| package.manifest_path == manifest).ok_or_else(|| {
        Failure::usage(format!("`{}` contains a workspace but no package", shown(folder)))
            .hint("set `crate` in tierup.toml to the folder of the package with the function")
    })?;
    let is_library = |target: &&Target| target.kind.iter().any(|kind| matches!(kind.as_str(), "lib" | "rlib"));
    let library = package.targets.iter().find(is_library).ok_or_else(|| {
        Failure::usage(format!("package `{}` has no library that other crates can use", package.name))
            .hint("put the function into src/lib.rs, and leave `crate-type` out of `[lib]`")
    })?;
    let root = library.src_path.strip_prefix(folder).unwrap_or(&library.src_path);
    let info = CrateInfo {
        library: library.name.replace('-', "_"),
        package: package.name,
        version: package.version,
        root: root.to_string_lossy().replace('\\', "/"),
    };
    let direct = package.dependencies.iter().filter(|dependency| dependency.kind.is_none());
    let lock = tierup_runner::read_text(&metadata.workspace_root.join("Cargo.lock"))?.unwrap_or_default();
    let blocks = lock::reaches(&lock, direct.map(|dependency| dependency.name.as_str()), "tokio");
    Ok(Crate { info, workspace_root: metadata.workspace_root, blocks })
}
