//! `tierup schema`: the JSON schema of `tierup.toml`, for editors.

use clap::Args;

use crate::{console::Console, failure::Result, hosts};

/// Print the JSON schema of tierup.toml, which `tierup build` also writes to .tierup/schema.json
#[derive(Args)]
pub struct Arguments {}

pub(crate) fn run(_: &Arguments, console: &mut Console) -> Result<()> {
    let names: Vec<_> = hosts::all().iter().map(|host| host.name()).collect();
    console.data(&format!("{:#}", tierup_project::schema(&names)))
}
