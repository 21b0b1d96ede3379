//! `tierup eject server`: the generated server becomes a crate of the user's own.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use tierup_build::patches;
use tierup_codegen::{Files, Server, shims};
use tierup_runner::Observer as _;
use toml_edit::{DocumentMut, Item, Table, TomlError, value};

use super::starter::write_new;
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
    project::{FILE, Loaded, relative},
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
            Err(Failure::new(format!("the server is already your own crate, in `{}`", loaded.shown(folder))))
        }
        Server::None => Err(Failure::new("there is no server to eject: tierup.toml has no [[route]]")
            .hint("add a [[route]]; docs/first-function.md shows one".into())),
    }
}

fn eject(loaded: &Loaded, to: &Path, console: &mut Console) -> Result<()> {
    let folder = loaded.folder.join(to);
    let name = format!("{}-server", loaded.project.interface.package);
    let hot_crate = relative(&folder, &loaded.project.crate_folder);
    let files = shims::server::eject(&loaded.project, &name, &hot_crate).map_err(Failure::new)?;
    write_new(&like_the_users(files, loaded, &folder)?, &folder)?;
    let file = loaded.folder.join(FILE);
    let text = tierup_runner::read_text(&file)?.unwrap_or_default();
    let crate_folder = to.to_string_lossy().replace('\\', "/");
    let changed = with_server(&text, &crate_folder).map_err(|error| Failure::new(format!("{FILE}: {error}")))?;
    tierup_runner::write_file(&file, changed.as_bytes())?;
    console.note(&format!("made the crate {name} in {}", loaded.shown(&folder)));
    console.note(&format!("{FILE} now has `[server] crate = {crate_folder:?}`; tier 4 is built from there"));
    Ok(())
}

/// The new crate's files with the patches and the lock file of the user's workspace: the new crate is a workspace of its
/// own, and would else be built with other dependencies than the user tested. Cargo adds to the lock what is missing there.
fn like_the_users(files: Files, loaded: &Loaded, folder: &Path) -> Result<Files> {
    let root = &loaded.workspace_root;
    let mut all = Files::new();
    for (name, content) in files.iter() {
        let patched = if name == "Cargo.toml" {
            let mut own: DocumentMut = String::from_utf8_lossy(content)
                .parse()
                .map_err(|error: TomlError| Failure::new(format!("the generated manifest is broken: {error}")))?;
            patches::add(&mut own, &patches::users_manifest(root)?, root, |path| relative(folder, path));
            own.to_string().into_bytes()
        } else {
            content.to_vec()
        };
        all.add(name, patched);
    }
    if let Some(lock) = tierup_runner::read_text(&root.join("Cargo.lock"))? {
        all.add("Cargo.lock", lock);
    }
    Ok(all)
}

/// The user's `tierup.toml` with a `[server]`, everything else as it was.
fn with_server(text: &str, crate_folder: &str) -> std::result::Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let mut table = Table::new();
    table.insert("crate", value(crate_folder));
    document.insert("server", Item::Table(table));
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_order_stay() {
        let text = "# mine\n[function] # hot\ncrate = \".\"\n\n[health]\n# golden\nsha256 = \"x\"\n";
        let changed = with_server(text, "server").unwrap();
        assert_eq!(changed, format!("{text}\n[server]\ncrate = \"server\"\n"));
    }
}
