//! Measures servers side by side: it loads them, counts what their processes cost, and derives verdicts.
//!
//! In: rows (servers that can be started, or an address), requests, and how long it may take. Out: a [`record::Record`]
//! of raw results, from which [`analysis`] derives figures and verdicts and [`report`] lays them out. It knows servers
//! to start and stop, an address and a process, never a tier: `tierup bench --url` measures any server.
//!
//! # How a benchmark runs
//!
//! `tierup bench` chooses and builds a project's rows (`crates/tierup-rows/src/choice.rs`), turns them into servers
//! that can be started (`crates/tierup-rows/src/benched.rs`), reads the requests file, and passes both to
//! `tierup-bench` as a `Plan`. `tierup-bench` checks every row's answers against the reference's (`run/verify.rs`),
//! then runs blocks (`run/block.rs`): fresh servers, warm-up, then slices in turns. A slice is load (`load/`: hyper
//! on our own threads) plus the counters of the server's processes before and after it (`processes.rs` in
//! `tierup-subject`). All raw data is kept in the `Record`, which is `report.json`. `analysis/` derives every figure
//! and verdict from the `Record` alone, and `report/` only lays out what `analysis/` decided, with an `Exporter` for
//! each format. `calls/` is the other experiment, `bench --in-process`: it times calls through a host's driver.
//! docs/method.md explains the method.
//!
//! # Where is what
//!
//! Paths are from this crate's folder, or from the repository's root.
//!
//! - a figure of the bench table, say p99: its value: `src/analysis/figures.rs`, from the histograms that `src/load/`
//!   fills; its title and unit: `src/analysis.rs`. How numbers are written:
//!   `crates/tierup-report/src/numbers.rs`
//! - the words of a verdict or the recommendation: `src/analysis/sentences.rs`, `src/analysis/recommendation.rs`
//! - a bench report's formats: a file each in `src/report/`, chosen by `crates/tierup/src/measure/format.rs`; the type of a new
//!   one: `crates/tierup-report/src/exporter.rs`
//! - what a row with Rust is compared with: `src/analysis/without.rs`
//! - how a run keeps to its time: `src/run/time.rs`

pub mod analysis;
pub mod calls;
pub mod examine;
pub mod histogram;
pub mod load;
pub mod loading;
mod machine;
pub mod observer;
pub mod plan;
pub mod record;
pub mod report;
pub mod run;
