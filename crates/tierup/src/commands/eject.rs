//! `tierup eject server`: makes the generated server a crate of the user's own.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use tierup_codegen::{Server, shims};
use tierup_rows::with_users_versions;
use tierup_runner::Observer as _;

use super::starter::write_new;
use tierup_project::{FILE, Loaded, edit, relative};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
};

/// Turn generated code into code of your own
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// The server of tier 4, as a crate to change as you like
    Server {
        /// The folder that holds tierup.toml
        #[arg(default_value = ".")]
        project: PathBuf,
        /// The crate's folder, relative to the project
        #[arg(long, default_value = "server")]
        to: PathBuf,
    },
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let What::Server { project, to } = &arguments.what;
    let loaded = open(project)?;
    match &loaded.project.server {
        Server::Generated => eject(&loaded, to, console),
        Server::Own { folder } => {
            Err(Failure::usage(format!("the server is already your own crate, in `{}`", loaded.shown(folder))))
        }
        Server::None => Err(Failure::usage("there is no server to eject: tierup.toml has no [[route]]")
            .hint("add a [[route]]; docs/first-function.md shows one")),
    }
}

fn eject(loaded: &Loaded, to: &Path, console: &mut Console) -> Result<()> {
    let folder = loaded.folder.join(to);
    let name = format!("{}-server", loaded.project.interface.package);
    let hot_crate = relative(&folder, &loaded.project.crate_folder);
    let files = shims::server::eject(&loaded.project, &name, &hot_crate).map_err(Failure::usage)?;
    write_new(&with_users_versions(&files, loaded, &folder)?, &folder)?;
    let file = loaded.folder.join(FILE);
    let text = tierup_runner::read_text(&file)?.unwrap_or_default();
    let crate_folder = to.to_string_lossy().replace('\\', "/");
    let changed = edit::with_server(&text, &crate_folder)?;
    tierup_runner::write_file(&file, changed.as_bytes())?;
    console.note(&format!("made the crate {name} in {}", loaded.shown(&folder)));
    console.note(&format!("{FILE} now has `[server] crate = {crate_folder:?}`; tier 4 is built from there"));
    Ok(())
}
