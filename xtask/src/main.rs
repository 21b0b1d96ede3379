//! The repository's own tasks.
//!
//! `cargo xtask test [STAGE…]` runs the stages of CI in order, and then prints how many checks passed and failed.
//! `cargo xtask test quick` runs only what the changes since `main` affect.
//! `--timings` also records what rustc compiled, and prints each step's cost; `cargo xtask timings` repeats the table.
//! `cargo xtask docs` builds the documentation's site, and `cargo xtask new-decision TITLE` adds a page for a decision.
//! `cargo xtask release` builds the files of a release; `cargo xtask test release` also installs them.
//! `cargo xtask atlas` measures the functions of `atlas/`, and writes their pages.
//! `cargo xtask deny` checks licences of the dependencies, and security advisories.
//! `cargo xtask host-cost` prints the size of each host, and the shared files that name it.
//! `cargo xtask size` prints the size of the whole repository.

mod atlas;
mod cargo;
mod changes;
mod compiled;
mod decisions;
mod evidence;
mod hosts;
mod packages;
mod programs;
mod release;
mod repository;
mod size;
mod stages;
mod step;
mod timings;
mod tools;

use std::{env, process::ExitCode};

use crate::{step::Report, timings::Run};

const USAGE: &str = "\
Usage: cargo xtask test             everything that CI runs
       cargo xtask test STAGE…      only these stages
       cargo xtask test quick       what the changes since main reach: format, clippy and unit tests of the crates
                                    that changed and of those that depend on them, and conformance of the hosts
                                    that changed; it names what it leaves to the full run
       cargo xtask test --timings … the same; prints what each step cost and what rustc compiled
       cargo xtask timings          what the last run cost
       cargo xtask docs             the documentation as a site, in target/book
       cargo xtask new-decision TITLE
                                    the page of a decision, with the next number, and its line in docs/SUMMARY.md
       cargo xtask release [--out FOLDER] [--target TRIPLE]…
                                    archives, wheels, npm packages, a formula and checksums, in target/release-files;
                                    `cargo xtask test release` installs them as people do
       cargo xtask atlas [FUNCTION…] [--hosts HOST,…] [--sizes SIZE,…]
                                    measures functions of atlas/, all without a choice, and writes docs/atlas.md and
                                    docs/atlas-grid.html; `--page` only writes the pages
       cargo xtask deny             licences and advisories of the dependencies
       cargo xtask host-cost        how many lines each host has, and which shared files name it
       cargo xtask size             files, lines and functions of the repository
A missing tool is installed where that is possible, and fails the run otherwise.";

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args_os().skip(1).collect();
    if let Some(log) = env::var_os(compiled::LOG) {
        return compiled::instead_of_rustc(&arguments, &log);
    }
    let mut words: Vec<_> = arguments.iter().map(|word| word.to_string_lossy()).collect();
    let notes_crates = words.iter().position(|word| word == "--timings").map(|place| words.remove(place)).is_some();
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    let mut report = Report::new(notes_crates);
    match &words[..] {
        ["test"] => stages::run_all(&mut report),
        ["test", names @ ..] if names.iter().all(|name| stages::find(name).is_some()) => {
            names.iter().filter_map(|name| stages::find(name)).for_each(|stage| report.stage(stage));
        }
        ["test", "quick"] => report.stage(&stages::QUICK),
        ["deny"] => report.stage(&stages::DENY),
        ["docs"] => report.stage(&stages::DOCS),
        ["atlas", words @ ..] => atlas::run(&mut report, words),
        ["release", words @ ..] => drop(release::run(&mut report, words)),
        ["new-decision", title] if !title.is_empty() => {
            return match decisions::add(&repository::root(), title) {
                Ok(page) => {
                    println!("{}", page.display());
                    ExitCode::SUCCESS
                }
                Err(error) => {
                    eprintln!("cannot write the page: {error}");
                    ExitCode::FAILURE
                }
            };
        }
        ["timings"] => match Run::last() {
            Some(run) => {
                print!("{}", run.table());
                return ExitCode::SUCCESS;
            }
            None => {
                eprintln!("no run is kept; `cargo xtask test --timings` makes one");
                return ExitCode::FAILURE;
            }
        },
        ["size"] => {
            print!("{}", size::table());
            return ExitCode::SUCCESS;
        }
        ["host-cost"] => {
            print!("{}", size::of_hosts());
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
