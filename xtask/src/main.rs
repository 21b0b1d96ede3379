//! The repository's own tasks.
//!
//! `cargo xtask test [STAGE…]` runs the stages of CI, in order, and prints at the end how much passed and failed.
//! `cargo xtask test quick` runs only what the changes since `main` affect.
//! `cargo xtask deny` checks licences and advisories of the dependencies.
//! `cargo xtask host-cost` prints how large each host is, and which shared files name it.

mod changes;
mod evidence;
mod host_cost;
mod hosts;
mod packages;
mod stages;
mod step;
mod tools;

use std::{env, process::ExitCode};

use crate::step::Report;

const USAGE: &str = "\
Usage: cargo xtask test             everything that CI runs
       cargo xtask test STAGE…      only these stages
       cargo xtask test quick       what the changes since main reach: format, clippy and unit tests of the crates
                                    that changed and of those that depend on them, and conformance of the hosts
                                    that changed; it names what it leaves to the full run
       cargo xtask deny             licences and advisories of the dependencies
       cargo xtask host-cost        how many lines each host has, and which shared files name it
A missing tool is installed where that is possible, and fails the run otherwise.";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut report = Report::default();
    match &words[..] {
        ["test"] => stages::ALL.iter().for_each(|stage| report.stage(stage)),
        ["test", names @ ..] if names.iter().all(|name| stages::find(name).is_some()) => {
            names.iter().filter_map(|name| stages::find(name)).for_each(|stage| report.stage(stage));
        }
        ["test", "quick"] => report.stage(&stages::QUICK),
        ["deny"] => report.stage(&stages::DENY),
        ["host-cost"] => {
            print!("{}", host_cost::table());
            return ExitCode::SUCCESS;
        }
        _ => {
            let names: Vec<_> = stages::ALL.iter().map(|stage| stage.name).collect();
            let usage = format!("{USAGE}\nStages: {}", names.join(", "));
            return match words[..] {
                ["--help" | "-h" | "help"] | ["test", "--help" | "-h"] => {
                    println!("{usage}");
                    ExitCode::SUCCESS
                }
                _ => {
                    eprintln!("{usage}");
                    ExitCode::from(2)
                }
            };
        }
    }
    report.close()
}
