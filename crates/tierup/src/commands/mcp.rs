//! `tierup mcp`: serves some of the commands to a client of the Model Context Protocol, such as a coding agent.
//!
//! In: requests on standard input (Model Context Protocol, <https://modelcontextprotocol.io/specification>, over
//! stdio). Out: answers on standard output. A tool is a command of this program with some of its options
//! ([`tools`]); each call runs in a process of its own, within bounds ([`server`]).

mod server;
mod tools;

use std::{path::PathBuf, time::Duration};

use clap::Args;
use tierup_diagnostic::Failure;
use tierup_project::quantities::duration;
use tierup_runner::Observer as _;

use crate::{console::Console, failure::Result, hosts::open};

/// Let a coding agent profile, build, check and measure this project: a Model Context Protocol server on standard input and output
///
/// Its tools are the commands profile, brief, build, check and bench, for the project of this folder alone. They write
/// only inside `.tierup` and what the project's own builds write. docs/mcp.md has the settings of clients.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The longest that a call may take; then it is interrupted, and answers with what it has
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "30m")]
    timeout: Duration,
}

pub(crate) fn run(arguments: &Arguments, program: &clap::Command, console: &Console) -> Result<()> {
    // A client shows whatever comes later only in its log.
    let folder = open(&arguments.project)?.folder.clone();
    let tools = tools::tools(program);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::because("cannot wait for a client", error))?;
    console.note(&format!("serving {} to a client of the Model Context Protocol", folder.display()));
    let served = runtime.block_on(server::serve(tools, folder, arguments.timeout));
    // A thread may still read standard input, which nothing can end.
    runtime.shutdown_background();
    served
}
