//! The cargo workspace of `.tierup/`: its manifest, and the manifests of its members.

use tierup_model::Interface;

use crate::{Files, Project};

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
strip = true
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
