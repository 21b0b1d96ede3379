//! The cargo workspace of `.tierup/`: its manifest, and the manifests of its members.

use std::path::PathBuf;

use tierup_model::Interface;

use crate::{Command, Files, Machine, Project};

const WASM: &str = "wasm32-unknown-unknown";

/// The workspace's own manifest, for members in these folders.
///
/// It is a separate workspace, so that it builds inside any repository.
pub fn workspace(_project: &Project, members: &[String]) -> Files {
    // Optimises tierup's part of a call more, for a second of compile time. Cargo warns about profiles for packages
    // that are not members.
    let own = match members.iter().any(|member| member == "sandbox") {
        true => "\n[profile.sandbox.package.tierup-sandbox]\ncodegen-units = 1\nopt-level = 3\n",
        false => "",
    };
    let members: String = members.iter().map(|member| format!("    {member:?},\n")).collect();
    let manifest = format!(
        r#"# Made by tierup; changes here are lost at the next build.
[workspace]
resolver = "3"
members = [
{members}]

[profile.release]
codegen-units = 1
lto = "fat"
panic = "unwind"
# Not all: wasm-bindgen reads the section that names the module's features.
strip = "debuginfo"

# For libraries that embed a Wasm runtime. Linked as one, the runtime would be compiled anew with each change of yours.
[profile.sandbox]
inherits = "release"
codegen-units = 16
lto = "off"
opt-level = 2
{own}"#
    );
    Files::new().with("Cargo.toml", manifest)
}

/// The members that others build on, by their folders.
pub const BASE: &[&str] = &["calls", "json"];

/// The folder of the member that a command builds, if it builds one. A member's package is named after its folder:
/// [`manifest`].
pub fn built_member(command: &Command) -> Option<&str> {
    let package = command.arguments.iter().skip_while(|argument| *argument != "--package").nth(1)?;
    package.strip_prefix("tierup-").filter(|_| command.program == "cargo")
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

/// Builds one member for a machine, into [`built_native`]. Panics unwind: the command line sets this, so that
/// no profile or configuration of the user's can override it.
pub fn build_native(package: &str, machine: &Machine) -> Command {
    let unwind = r#"profile.release.panic="unwind""#;
    cargo_build(&["--release", "--package", package, "--target", machine.target(), "--config", unwind])
}

/// Builds one member that embeds a Wasm runtime for a machine, into [`built_sandboxed`]. Panics of the runtime unwind.
pub(super) fn build_sandboxed(package: &str, machine: &Machine) -> Command {
    let unwind = r#"profile.sandbox.panic="unwind""#;
    cargo_build(&["--profile", "sandbox", "--package", package, "--target", machine.target(), "--config", unwind])
}

/// Where [`build_sandboxed`] leaves a file.
pub(super) fn built_sandboxed(file: &str, machine: &Machine) -> PathBuf {
    ["target", machine.target(), "sandbox", file].iter().collect()
}

/// Where [`build_native`] leaves a file.
pub fn built_native(file: &str, machine: &Machine) -> PathBuf {
    ["target", machine.target(), "release", file].iter().collect()
}

/// The runtime that a Wasm module is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WasmRuntime {
    /// Compiles a module to machine code, with 128-bit vectors (WebAssembly 2.0): V8 since 9.1 (Node 16.4), wasmtime
    /// and wazero by default.
    MachineCode,
    /// Compiles a module to Java bytecode, without vectors: <https://github.com/dylibso/chicory/issues/791>.
    Bytecode,
}

impl WasmRuntime {
    /// Builds for different runtimes have different flags; in a shared folder, each would overwrite the other.
    fn target_folder(self) -> &'static str {
        match self {
            WasmRuntime::MachineCode => "target",
            WasmRuntime::Bytecode => "target/bytecode",
        }
    }

    fn flag(self) -> &'static str {
        match self {
            WasmRuntime::MachineCode => "-Ctarget-feature=+simd128",
            // Each instruction counts for twelve when the compiler decides what to inline. HotSpot never compiles
            // methods of more than 8,000 bytes. Inlining all functions that are called once soon makes a larger one,
            // and a call then takes ten times as long (`docs/decisions/0011`).
            WasmRuntime::Bytecode => "-Cllvm-args=-inline-instr-cost=60",
        }
    }
}

/// Builds one member as a Wasm module, into [`built_wasm`]. Wasm cannot unwind: a panic stores its message and then
/// traps. This changes settings of the release profile: for a profile of its own, cargo would compile macros once more.
///
/// The runtime's flag joins those that the user's configuration has for this target; the variable `RUSTFLAGS`, where
/// it is set, replaces all of them.
pub(super) fn build_wasm(package: &str, runtime: WasmRuntime) -> Command {
    let flags = format!("target.{WASM}.rustflags=[{:?}]", runtime.flag());
    let abort = r#"profile.release.panic="abort""#;
    cargo_build_into(
        runtime.target_folder(),
        &["--release", "--package", package, "--target", WASM, "--config", abort, "--config", &flags],
    )
}

/// Where [`build_wasm`] leaves a file.
pub(super) fn built_wasm(file: &str, runtime: WasmRuntime) -> PathBuf {
    [runtime.target_folder(), WASM, "release", file].iter().collect()
}

/// `cargo build`, into this workspace's own `target/` whatever the environment says.
fn cargo_build(arguments: &[&str]) -> Command {
    cargo_build_into("target", arguments)
}

fn cargo_build_into(folder: &str, arguments: &[&str]) -> Command {
    Command::new("cargo", ["build", "--target-dir", folder].iter().chain(arguments).copied())
}
