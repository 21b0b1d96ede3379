//! Generates and compiles everything that the rows of a project need, and puts it into the packages.
//!
//! In: a project, and what of it to build. Out: a built `.tierup/`, what became of each variant, and the command that starts
//! the server at a row. Progress goes to an observer; programs are run by `tierup-runner`.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - the command that builds the user's own server before it starts (`prepare`): `src/prepare.rs`
//! - what installs a server's dependencies: the host's `fn install`, run by `src/install.rs`; which manager a server
//!   uses: `hosts/node/src/manager.rs`, `hosts/python/src/manager.rs`
//! - the build folder that all projects of a user share: `src/build_folder.rs`
//! - which generated crates are left out, and why: `src/resolve.rs`
//! - whether a server depends on its package: `src/depends.rs`
//! - the package that is committed, for clones in which nothing is built: `src/stub.rs`, and the host's `fn stub`
//! - what `doctor` looks for: `src/readiness.rs`
//! - how a path in a server's files counts as a dependency: `src/server_folder.rs`

mod alone;
mod assemble;
mod build_folder;
mod builder;
mod cache;
mod called;
mod checked;
mod choice;
pub mod depends;
mod ejected;
mod install;
mod lock_file;
mod locked;
pub mod needs;
mod packages;
mod patches;
mod path;
mod prepare;
mod profile;
mod project_rows;
mod readiness;
pub mod reference;
mod resolve;
pub mod rows;
mod server_folder;
pub mod stub;
mod support;
mod toolchain;
mod wanted;
mod wasm;
mod with_symbols;

pub use alone::build_alone;
pub use called::{CalledRow, called_rows};
pub use checked::{CheckedRows, checked_rows};
pub use choice::Choice;
pub use ejected::with_users_versions;
pub use locked::hold;
pub use needs::versions;
pub use packages::{build, build_packages, build_server, build_server_with};
pub use project_rows::ProjectRows;
pub use readiness::{Requirement, requirements};
pub use server_folder::{Described, OnDisk};
pub use support::impossible;
pub use toolchain::{WASM_TARGET, has_target};
pub use wanted::{BuildResult, Mode, VariantOutcome, Wanted};
pub use with_symbols::build_with_symbols;
