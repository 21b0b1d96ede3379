//! The repository's own tasks.
//!
//! `cargo xtask test [STAGE…]` runs what CI runs, in order, and says at the end how much passed and failed.
//! `cargo xtask deny` checks licences and advisories of the dependencies.

mod stages;
mod step;
mod tools;

use std::{env, process::ExitCode};

use crate::step::Report;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut report = Report::default();
    match &words[..] {
        ["test"] => stages::ALL.iter().for_each(|stage| report.stage(stage)),
        ["test", names @ ..] if names.iter().all(|name| stages::find(name).is_some()) => {
            names.iter().filter_map(|name| stages::find(name)).for_each(|stage| report.stage(stage));
        }
        ["deny"] => report.stage(&stages::DENY),
        _ => {
            let names: Vec<_> = stages::ALL.iter().map(|stage| stage.name).collect();
            eprintln!("usage: cargo xtask test [STAGE…]\n       cargo xtask deny\nstages: {}", names.join(", "));
            return ExitCode::from(2);
        }
    }
    report.close()
}
