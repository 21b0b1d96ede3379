//! A rollout in a real Postgres: several judges, many proxies.

#[path = "../common/mod.rs"]
mod common;

mod address;
mod evidence;
mod lease;
mod proxy;
