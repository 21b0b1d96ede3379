//! The generated server, from outside: it is built once, started, and sent requests byte by byte.

#[path = "server/blocking.rs"]
mod blocking;
#[path = "server/bounds.rs"]
mod bounds;
#[path = "sample/build.rs"]
mod build;
#[path = "server/life.rs"]
mod life;
#[path = "server/process.rs"]
mod process;
#[path = "sample/project.rs"]
mod project;
#[path = "server/requests.rs"]
mod requests;
