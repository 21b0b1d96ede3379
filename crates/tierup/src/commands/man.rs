//! `tierup man`: a manual page for each command.

use std::{fs, path::PathBuf};

use clap::Args;
use clap_mangen::generate_to;

use crate::failure::{Failure, Result};

/// Write the manual pages of all commands to a folder, e.g. `tierup man ~/.local/share/man/man1`
#[derive(Args)]
pub struct Arguments {
    folder: PathBuf,
}

/// `program` has all commands and flags.
pub(crate) fn run(arguments: &Arguments, program: clap::Command) -> Result<()> {
    let folder = &arguments.folder;
    let written = fs::create_dir_all(folder).and_then(|()| generate_to(program, folder));
    written.map_err(|error| Failure::because(format!("cannot write manual pages to `{}`", folder.display()), error))
}
