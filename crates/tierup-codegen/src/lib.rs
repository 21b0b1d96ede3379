//! The code that all hosts share: the terms (tier, variant, host), generated output as data (files, steps, recipes),
//! the byte ABI, and the shims that no host needs to write for itself (CLI, core Wasm, component, server).
//!
//! In: an [`Interface`](tierup_model::Interface) and the project's settings. Out: [`Recipe`]s, which
//! `tierup-runner` carries out. Nothing here reads, writes or starts anything.

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stdout, clippy::print_stderr)
)]

pub mod abi;
mod artifact;
pub mod brackets;
mod c_interface;
pub mod camel_case;
mod converter;
mod crossing;
mod declared;
mod files;
mod frames;
mod host;
mod machine;
pub mod named;
mod project;
mod recipe;
pub mod rust;
mod sensor;
pub mod shims;
pub mod source;
mod tier;
mod wasm_tool;
pub mod wire;
mod witness;

pub use artifact::Artifact;
pub use c_interface::c_interface;
pub use converter::Converter;
pub use crossing::Crossing;
pub use declared::{Declared, DeclaredType};
pub use files::Files;
pub use frames::{FrameKind, FramePart, FrameRule, KnownCost, Owner, PackageEnds, Pattern};
pub use host::{
    Add, ByPath, Dependency, Depends, EmptyFolder, Host, HostSettings, Install, InstallBy, IsThere, Scaffold,
    ServerFolder, Support, Tool,
};
pub use machine::{Libc, Machine, Os};
pub use project::{Body, Health, Keys, Project, Route, RouteMessages, Server};
pub use recipe::{Command, Recipe, Step, THIS_MACHINE, quoted};
pub use sensor::{
    Allocations, Code, Executable, LIMIT, MAP, MODULES, OUTPUT, PID, PIDS, ProfileFormat, SOCKET, SampledTime,
    Sampling, Sensor, SymbolNames, Symbols, THE_SENSOR, ThreadRule, Variable, perf,
};
pub use tier::{ParseRowError, Row, Tier, Variant, Wrapping, is_plain_word};
pub use wasm_tool::{ToolProgram, WasmTool};
pub use witness::{Spelling, Types, Watch, Watched, Witness};
