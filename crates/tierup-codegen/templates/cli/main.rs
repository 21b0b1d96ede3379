//! Your functions as a program: for people, for a host that runs one per call, and for a host that keeps it running.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

mod arguments;
mod call;
mod human;
mod inherited;
mod listen;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(|first| first.to_str()) {
        Some("--tierup-call") => call::run(arguments),
        Some("--tierup-worker") => worker::run(arguments, worker::Frames::Plain),
        Some("--tierup-connection") => worker::run(arguments, worker::Frames::Numbered),
        Some("--tierup-listen") => listen::run(arguments),
        Some("--tierup-start") => listen::start(arguments),
        Some("--tierup-background") => listen::background(arguments),
        _ => human::run(),
    }
}
