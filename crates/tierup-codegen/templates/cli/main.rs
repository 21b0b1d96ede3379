//! Your functions as a program: for people, for a host that runs one per call, and for a host that keeps it running.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

mod arguments;
mod call;
#[cfg(unix)]
mod candidate;
#[cfg(unix)]
mod companion;
#[cfg(unix)]
mod evidence;
#[cfg(unix)]
mod handover;
mod human;
mod inherited;
#[cfg(unix)]
mod listen;
#[cfg(unix)]
mod pipes;
#[cfg(unix)]
mod shadow;
#[cfg(unix)]
mod start;
#[cfg(unix)]
mod starts;
mod worker;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next().as_deref().and_then(|first| first.to_str()) {
        Some("--tierup-call") => call::run(arguments),
        Some("--tierup-worker") => worker::run(arguments, worker::Way::Pipes),
        #[cfg(unix)]
        Some("--tierup-connection") => worker::run(arguments, worker::Way::Connection),
        #[cfg(unix)]
        Some("--tierup-companion") => listen::companion(arguments),
        #[cfg(unix)]
        Some("--tierup-listen") => listen::run(arguments),
        #[cfg(unix)]
        Some("--tierup-start") => listen::start(arguments),
        #[cfg(unix)]
        Some("--tierup-background") => listen::background(arguments),
        // Packages try the program by it, so it works whatever the function's own options are.
        Some("--version") if arguments.len() == 0 => human::version(),
        _ => human::run(),
    }
}
