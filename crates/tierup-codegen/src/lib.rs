//! What every host shares: the words (tier, variant, host), generated output as data (files, steps, recipes),
//! the byte ABI, and the shims that no host needs to write for itself (CLI, core Wasm, component, server).
//!
//! In: an [`Interface`](tierup_model::Interface) and the project's settings. Out: [`Recipe`]s, which
//! `tierup-runner` carries out. Nothing here reads, writes or starts anything.

pub mod abi;
pub mod camel_case;
mod files;
mod host;
pub mod names;
mod project;
mod recipe;
pub mod rust;
pub mod shims;
mod tier;

pub use files::Files;
pub use host::{Dependency, Host, HostSettings, Install, Support, Tool};
pub use project::{Body, Health, Keys, Project, Route, RouteMessages, Server};
pub use recipe::{Command, Converter, Recipe, Step, THIS_MACHINE};
pub use tier::{ParseRowError, Row, Tier, Variant};
