//! The Rust crates of a project's `.tierup/` workspace that no host needs to write for itself.

mod calls;
mod cli;
pub mod component;
mod core;
mod driver;
mod identified;
pub mod json;
mod lend;
mod library;
mod sandbox;
pub mod server;
mod workspace;

pub use self::core::{core, core_library};
pub use calls::{calls, is_direct};
pub use cli::cli;
pub use driver::{ALONE, driver, driver_program};
pub use identified::identified;
pub use library::Library;
pub use sandbox::{CALLS, CALLS_IN_SANDBOX, impossible as sandbox_impossible, precompiled, sandbox};
pub use workspace::{BASE, WasmRuntime, build_native, built_member, built_native, manifest, workspace};
