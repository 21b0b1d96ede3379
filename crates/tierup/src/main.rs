//! The program `tierup`: which tier of Rust adoption is worth it for this function, and how do I know?
//!
//! In: arguments and a project's folder. Out: data on standard output, progress on standard error, and an exit code
//! ([`tierup::Exit`]).

use std::process::ExitCode;

use clap::{ColorChoice, CommandFactory as _, Parser};
use mimalloc::MiMalloc;
use tierup::{Command, Console, Failure};

/// The proxy in front of a user's server allocates for every request (docs/decisions/0035-allocator.md).
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Measures how much Rust is worth it for one hot function of a server.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Program {
    #[command(subcommand)]
    command: Command,
    /// Colours on standard error
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,
    /// Print no progress on standard error, only errors
    #[arg(long, short, global = true)]
    quiet: bool,
}

fn main() -> ExitCode {
    let program = Program::parse();
    let mut console = Console::new(program.color, program.quiet);
    match program.command.run(Program::command(), &mut console) {
        Ok(()) | Err(Failure::Unread) => ExitCode::SUCCESS,
        Err(failure) => {
            console.failure(&failure);
            ExitCode::from(failure.exit().code())
        }
    }
}
