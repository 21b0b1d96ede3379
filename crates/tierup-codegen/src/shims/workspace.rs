//! The cargo workspace of `.tierup/`: its manifest, and the manifests of its members.

use tierup_model::Interface;

use crate::{Command, Files, Project};

/// The workspace's own manifest, for members in these folders.
///
/// It is a workspace of its own, so that it builds inside anybody's repository.
pub fn workspace(_project: &Project, members: &[String]) -> Files {
    let members: String = members.iter().map(|member| format!("    {member:?},\n")).collect();
    let manifest = format!(
        r#"# Made by tierup; changes here are lost at the next build.
[workspace]
resolver = "3"
members = [
{members}]

[profile.release]
codegen-units = 1
lto = "thin"
panic = "unwind"
strip = "debuginfo"

# Wasm has no unwinding: a panic leaves its message and traps.
[profile.wasm]
inherits = "release"
lto = "fat"
panic = "abort"
# Not all: wasm-bindgen reads the section that names the module's features.
strip = "debuginfo"
"#
    );
    Files::new().with("Cargo.toml", manifest)
}

/// A member's manifest; `rest` is everything behind `[package]`.
pub fn manifest(interface: &Interface, name: &str, rest: &str) -> String {
    format!(
        "# Made by tierup; changes here are lost at the next build.\n[package]\nname = {name:?}\n\
         version = {:?}\nedition = \"2024\"\npublish = false\n\n{}\n",
        interface.version,
        rest.trim()
    )
}

/// Builds one member for this machine, into `target/release/`. Panics unwind: said here, on the command line,
/// where no profile or configuration of the user's can override it.
pub fn build_native(package: &str) -> Command {
    let unwind = r#"profile.release.panic="unwind""#;
    cargo_build(&["--release", "--package", package, "--config", unwind])
}

/// Builds one member as a Wasm module, into `target/wasm32-unknown-unknown/wasm/`.
pub fn build_wasm(package: &str) -> Command {
    cargo_build(&["--profile", "wasm", "--package", package, "--target", "wasm32-unknown-unknown"])
}

/// `cargo build`, into this workspace's own `target/` whatever the environment says.
fn cargo_build(arguments: &[&str]) -> Command {
    Command::new("cargo", ["build", "--target-dir", "target"].iter().chain(arguments).copied())
}
