//! The commands, one file each.

mod bench;
mod brief;
mod build;
mod ceiling;
mod check;
mod ci;
mod completions;
mod doctor;
mod eject;
mod health;
mod hosts;
mod init;
mod man;
mod mcp;
mod new;
mod package;
mod profile;
mod ramp;
mod report;
mod schema;
mod serve;
mod shadow;
mod starter;
mod stub;

use clap::Subcommand;

use crate::{console::Console, failure::Result};

/// What to do.
#[derive(Subcommand)]
pub enum Command {
    Build(build::Arguments),
    Bench(bench::Arguments),
    Brief(brief::Arguments),
    Check(check::Arguments),
    Ci(Box<ci::Arguments>),
    Ceiling(ceiling::Arguments),
    Profile(profile::Arguments),
    Mcp(mcp::Arguments),
    Report(report::Arguments),
    Serve(serve::Arguments),
    Shadow(Box<shadow::Arguments>),
    Ramp(ramp::Arguments),
    Health(health::Arguments),
    New(new::Arguments),
    Init(init::Arguments),
    Stub(stub::Arguments),
    Package(package::Arguments),
    Doctor(doctor::Arguments),
    Hosts(hosts::Arguments),
    Eject(eject::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Command {
    /// Runs the command. `program` is the definition of the whole command line.
    ///
    /// # Errors
    /// The command's failure, for the user.
    pub fn run(self, program: clap::Command, console: &mut Console) -> Result<()> {
        match self {
            Command::Bench(arguments) => bench::run(&arguments, console),
            Command::Brief(arguments) => brief::run(&arguments, console),
            Command::Check(arguments) => check::run(&arguments, console),
            Command::Ci(arguments) => ci::run(&arguments, console),
            Command::Ceiling(arguments) => ceiling::run(&arguments, console),
            Command::Profile(arguments) => profile::run(&arguments, console),
            Command::Mcp(arguments) => mcp::run(&arguments, &program, console),
            Command::Report(arguments) => report::run(&arguments, console),
            Command::Build(arguments) => build::run(&arguments, console),
            Command::Serve(arguments) => serve::run(&arguments, console),
            Command::Shadow(arguments) => shadow::run(&arguments, console),
            Command::Ramp(arguments) => ramp::run(&arguments, console),
            Command::Health(arguments) => health::run(&arguments, console),
            Command::New(arguments) => new::run(&arguments, console),
            Command::Init(arguments) => init::run(&arguments, console),
            Command::Stub(arguments) => stub::run(&arguments, console),
            Command::Package(arguments) => package::run(&arguments, console),
            Command::Doctor(arguments) => doctor::run(&arguments, console),
            Command::Hosts(arguments) => hosts::run(&arguments, console),
            Command::Eject(arguments) => eject::run(&arguments, console),
            Command::Schema(arguments) => schema::run(&arguments, console),
            Command::Completions(arguments) => completions::run(&arguments, program, console),
            Command::Man(arguments) => man::run(&arguments, program),
        }
    }
}
