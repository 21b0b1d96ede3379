//! `tierup schema`: the JSON schemas of `tierup.toml`, for editors, and of reports, for programs.

use clap::{Args, ValueEnum};

use crate::{console::Console, failure::Result, hosts};

/// What a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Of {
    /// tierup.toml
    Settings,
    /// The output of `tierup check --json`
    Check,
}

/// Print the JSON schema of tierup.toml, which `tierup build` also writes to .tierup/schema.json, or of a report
#[derive(Args)]
pub struct Arguments {
    /// What to describe
    #[arg(value_enum, default_value = "settings")]
    of: Of,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    match arguments.of {
        Of::Settings => {
            let names: Vec<_> = hosts::all().iter().map(|host| host.name()).collect();
            console.data(&format!("{:#}", tierup_project::schema(&names)))
        }
        Of::Check => console.data(tierup_check::SCHEMA.trim_end()),
    }
}
