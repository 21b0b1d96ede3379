//! `tierup completions`: scripts with which a shell completes commands, flags and their values.

use clap::Args;
use clap_complete::{Shell, generate};

use crate::{console::Console, failure::Result};

/// Print the completions of a shell, e.g. `tierup completions bash > /etc/bash_completion.d/tierup`
#[derive(Args)]
pub struct Arguments {
    #[arg(value_enum)]
    shell: Shell,
}

/// `program` has all commands and flags.
pub(crate) fn run(arguments: &Arguments, mut program: clap::Command, console: &mut Console) -> Result<()> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut program, "tierup", &mut text);
    console.data(String::from_utf8_lossy(&text).trim_end())
}
