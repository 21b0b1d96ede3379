//! Measures servers side by side: load, what the servers' processes cost, and what follows from it.
//!
//! In: rows (servers that can be started, or an address), requests, and how long it may take. Out: a [`record::Record`]
//! of raw results, from which [`analysis`] derives figures and verdicts and [`report`] lays them out. It knows servers
//! to start and stop, an address and a process, never a tier: `tierup bench --url` measures servers of anybody's.

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
