//! A project's rows: which ones exist, how each is built, and how it is measured, checked, profiled and rolled out.
//!
//! In: a project, and a choice of rows. Out: a built `.tierup/`, the result of each variant, and [`BuiltRow`]s: servers
//! to start, and functions to call. `tierup-bench`, `tierup-check` and `tierup-sampling` take these without knowing
//! projects: the [rows](planned) and [calls](planned_calls) of a benchmark, the [check](check_project) of a project,
//! the [hash](golden_hashes) of a golden call at every row. Running servers can be rows, too ([`standing_rows`]). A
//! rollout gets the [servers](sides) of both sides, and [golden calls](GoldenCalls) to them.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - the command that starts a row's server: `src/built_row.rs`
//! - the command that builds the user's own server before it starts (`prepare`), the variables and lock of a build:
//!   `src/packages.rs`
//! - what installs a server's dependencies: the host's `fn install`, run by `src/install.rs`; which manager a server
//!   uses: `hosts/node/src/manager.rs`, `hosts/python/src/manager.rs`
//! - the files of another commit (`tierup ci`): `src/commit.rs`
//! - the build folder that all projects of a user share: `src/build_folder.rs`
//! - which generated crates are left out, and why: `src/resolve.rs`
//! - whether a server depends on its package: `src/depends.rs`
//! - packages for other machines (`tierup package`): what compiles them `src/package/tools.rs`, what they need
//!   `src/package/read_back.rs`, their licences `src/package/about.rs`, how they are packed and
//!   tried `src/package/packed.rs`; what is in one: the host's `fn publishable`
//! - the package that is committed, for clones in which nothing is built: `src/stub.rs`, and the host's `fn stub`
//! - what `doctor` looks for: `src/readiness.rs`
//! - how a path in a server's files counts as a dependency: `src/server_folder.rs`

mod answers;
mod assemble;
mod benched;
mod build_folder;
mod builder;
mod built_row;
mod called;
mod checked;
mod choice;
mod commit;
mod depends;
mod golden;
mod golden_calls;
mod install;
mod memo;
pub mod needs;
mod package;
mod packages;
mod patches;
mod profile;
mod readiness;
mod resolve;
mod rows;
mod server_folder;
pub mod sides;
mod standing;
pub mod stub;
#[cfg(test)]
mod tests;
mod toolchain;
mod wasm;
mod without_host;

pub use answers::Answers;
pub use benched::{BASE_AGAIN, HEAD, planned, planned_commits};
pub use builder::{BuildResult, Mode, VariantOutcome, Wanted, impossible};
pub use built_row::BuiltRow;
pub use called::{Calls, called_rows, planned_calls};
pub use checked::{check_functions, check_project};
pub use choice::{Choice, ProjectRows};
pub use commit::Commit;
pub use golden::golden_hashes;
pub use golden_calls::GoldenCalls;
pub use needs::versions;
pub use package::{
    CrossTools, ImageOrder, PackageOrder, PackagedFile, PackagesMade, ReadBack, ServerImage, Tested, cross_cache,
    is_plain, package, package_server, this_target,
};
pub use packages::{build, build_packages, build_server, build_server_with, hold};
pub use patches::with_users_versions;
pub use readiness::{Requirement, requirements};
pub use rows::ProjectHost;
pub use server_folder::{Described, OTHERS, OnDisk};
pub use standing::{Labelled, addresses, standing_rows};
pub use toolchain::{WASM_TARGET, has_target};
pub use without_host::{Optimized, build_alone, build_with_symbols};
