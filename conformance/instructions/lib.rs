//! `instructions.rs` has the benchmarks: `cargo bench` in this folder.
