//! The companion that is generated with a program, from outside: it is built once, started, and asked over its socket.

#![cfg(unix)]

#[path = "sample/build.rs"]
mod build;
#[path = "companion/life.rs"]
mod life;
#[path = "companion/process.rs"]
mod process;
#[path = "sample/project.rs"]
mod project;
#[path = "companion/shadow.rs"]
mod shadow;
#[path = "companion/starts.rs"]
mod starts;
