//! The code that all hosts share: the terms (tier, variant, host), generated output as data (files, steps, recipes),
//! the byte ABI, and the shims that no host needs to write for itself (CLI, core Wasm, component, server).
//!
//! In: an [`Interface`](tierup_model::Interface) and the project's settings. Out: [`Recipe`]s, which
//! `tierup-runner` carries out. Nothing here reads, writes or starts anything.
//!
//! # What `tierup build` makes
//!
//! `.tierup/` in the user's project is a cargo workspace of its own, seeded with the user's lock file, so that it
//! builds inside any repository. Its crates, in build order:
//!
//! - `calls` (`src/shims/calls`): reads arguments, calls the user's functions, writes answers; asserts every
//!   signature; catches panics. All other shims except `component` and `sandbox` depend on it
//! - `json` (`src/shims/json`): reads and writes the same types as JSON, for people and for HTTP
//! - `cli` (`src/shims/cli`): one binary: a command line for people, a single call for `1:spawn`, a worker for
//!   `1:pool`
//! - `core` (`src/shims/core`): the byte ABI as Wasm exports, for any runtime: `2:core`. Each host builds it with
//!   the Wasm features that its runtime supports
//! - `sandbox` (`src/shims/sandbox`): `2:core` for hosts without a Wasm runtime: wasmtime and the `core` module
//!   as machine code, with the entry points of `calls`. Only in projects with such a host
//! - `component` (`src/shims/component`): WIT from the signatures, and the guest: `2:component`
//! - `driver` (`src/shims/driver`): times the functions without any host: the reference of `bench --in-process`
//! - `server` (`src/shims/server`): an axum server from the routes: `4:server`
//! - `node-native`, `node-bindgen` (`hosts/node`): the napi-rs addon and the wasm-bindgen module
//! - `python-native` (`hosts/python`): the PyO3 extension module
//! - `go-native` (`hosts/go`): the functions as C functions, for cgo
//! - `beam-native` (`hosts/beam`): the NIF library, by rustler
//! - `java-native` (`hosts/java`): the same for Java, with exports for FFM and for JNI
//! - `php-native`, `php-core` (`hosts/php`): extensions of PHP: C glue over the C interface of `src/c_interface`,
//!   with `calls` or `sandbox`
//! - `ruby-native`, `ruby-core` (`hosts/ruby`): extensions of Ruby: C glue over the C interface of
//!   `src/c_interface`, with `calls` or `sandbox`
//!
//! Beside them are the packages that the server imports: `.tierup/node/` (npm package), `.tierup/python/` (Python
//! package), `.tierup/go/` (Go module), `.tierup/java/` (Maven artifact), `.tierup/ruby/` (gem), `.tierup/php/`
//! (Composer package) and `.tierup/beam/` (mix project). Each has a `built.json` that lists the built variants. An
//! entry is there only while its variant is completely built, so an interrupted build never looks complete.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - what `0:memo` keeps, its bounds, its counts; when its hit rate counts: the host's templates, for instance
//!   `hosts/node/templates/package/lib/kept.js`; `crates/tierup-rows/src/memo.rs`;
//!   `crates/tierup-bench/src/analysis/kept.rs`
//! - a reserved word of a host's language: the host's `src/names/reserved.rs`, for instance
//!   `hosts/java/src/names/reserved.rs` (in Python and Ruby, names of the standard library: `standard.rs`);
//!   how names are spelled: its `src/names.rs`
//! - `1:pool`: when a call starts a worker, also after one has ended, its time-out and its queue (with the same
//!   limits in all hosts): the host's pool, for instance `hosts/node/templates/package/lib/variants/pool.js` and
//!   `hosts/go/templates/package/internal/pool/`; how a worker's process is started: `templates/cli/companion.rs`; the
//!   pauses between failed starts: `templates/cli/starts.rs`
//! - what the generated Rust server answers and limits: `templates/server/`, `src/shims/server.rs`
//! - whose code a frame of a profile is; who owns a package; a profile's format: the host's `src/frames.rs`, for
//!   instance `hosts/node/src/frames.rs`, applied by `crates/tierup-profile/src/naming.rs`;
//!   `crates/tierup-profile/src/rank/ownership.rs`; `crates/tierup-profile/src/read/`
//! - the C interface that extensions written in C stand on: `src/c_interface.rs`, `templates/c/`
//! - the syntax of a route: `src/project.rs`
//! - the text that the ABI hash covers: `src/abi/describe.rs`
//! - the Rust that runs inside the user's process: `templates/`, and the folder `templates/native` of a host
//! - the interface as one language names it: `src/named.rs`, with the host's `src/names.rs`
//! - the writer of generated source, and the filling of templates: `src/source.rs`
//! - what is built, and for which machine: `src/artifact.rs`, `src/machine.rs`
//! - what a package for other machines is made of (`tierup package`): `src/target.rs`, `src/host/publishable.rs`
//! - which virtual environment a Python server runs in: `hosts/python/src/environment.rs`
//! - what runs a function in a sandbox, and its tests: `templates/sandbox/`, `crates/tierup/tests/sandbox/`
//! - how CI tests a host: `ci.toml` in its folder, read by `xtask/src/hosts.rs`; what hosts' own tests make packages
//!   of: `conformance/project.rs`

#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

pub mod abi;
mod artifact;
pub mod brackets;
mod c_interface;
pub mod camel_case;
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
mod stub;
mod target;
mod tier;
mod wasm_tool;
pub mod wire;
mod witness;

pub use artifact::Artifact;
pub use c_interface::c_interface;
pub use declared::{Declared, DeclaredType};
pub use files::Files;
pub use frames::{FrameKind, FramePart, FrameRule, KnownCost, Owner, PackageEnds, Pattern};
pub use host::{
    About, Add, BuiltFor, ByPath, Crossing, Dependency, Depends, EmptyFolder, Forge, Host, HostSettings, Identity,
    Image, Install, InstallBy, IsThere, Pack, Packaging, Parts, Pipeline, Profiling, Publishable, Scaffold,
    ServerFolder, Support, System, Tool, Version, healthcheck, pinned,
};
pub use machine::{Libc, Machine, Os};
pub use project::{Body, Health, Keys, Project, Route, RouteMessages, Server};
pub use recipe::{Command, Converter, Recipe, Step, THIS_MACHINE, quoted};
pub use sensor::{
    Allocations, Code, Executable, LIMIT, MAP, MODULES, OUTPUT, PID, PIDS, ProfileFormat, SOCKET, SampledTime,
    Sampling, Sensor, SymbolNames, Symbols, THE_SENSOR, ThreadRule, Variable, perf,
};
pub use stub::Stub;
pub use target::Target;
pub use tier::{ParseRowError, Row, Tier, Variant, Wrapping, is_plain_word};
pub use wasm_tool::{ToolProgram, WasmTool};
pub use witness::{Spelling, Types, Watch, Watched, Witness};
