//! `tierup init`: a project inside an existing server's repository. Nothing that is there is changed.

use std::path::PathBuf;

use clap::Args;
use tierup_codegen::{Files, Host};

use super::starter::{find_host, hot_crate, names_in, server_file, settings, write_new};
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
    project::open,
};

/// Make a project inside an existing server's repository
#[derive(Args)]
pub struct Arguments {
    /// The server's folder
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The host of the server; by default found by its files
    #[arg(long)]
    host: Option<String>,
}

/// The hot crate's folder and name.
const HOT: &str = "hot";

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let folder = &arguments.folder;
    let names = names_in(folder);
    let host = match &arguments.host {
        Some(name) => find_host(name)?,
        None => detect(&names)?,
    };
    let mut files = Files::new().with("tierup.toml", settings(HOT, &host_table(host, &names)));
    files.extend_below(HOT, hot_crate(HOT));
    write_new(&files, folder)?;
    let loaded = open(folder)?;
    let shown = folder.display();
    console.note(&format!("made tierup.toml and {HOT}/ in {shown} for {}", host.title()));
    console
        .note(&format!("put your function into {HOT}/src/lib.rs and its name into tierup.toml, check `start` there,"));
    console.note("and change the server as follows:\n");
    console.data(host.adoption_hint(&loaded.project).trim_end())?;
    console.note(&format!("\nthen: tierup serve {shown} --tier 3"));
    Ok(())
}

fn detect(names: &[String]) -> Result<&'static dyn Host> {
    let found: Vec<_> = hosts::all().into_iter().filter(|host| host.detects(names)).collect();
    let list = |hosts: &[&dyn Host]| hosts.iter().map(|host| host.name()).collect::<Vec<_>>().join(", ");
    match &found[..] {
        [host] => Ok(*host),
        [] => Err(Failure::new("no server that tierup knows was found here")
            .hint(format!("say what it runs on with --host: {}", list(&hosts::all())))),
        several => {
            Err(Failure::new("more than one host was found here")
                .hint(format!("say which with --host: {}", list(several))))
        }
    }
}

/// `[host.NAME]` with a guess at how the server is started: a file whose name says that it is the server.
fn host_table(host: &dyn Host, names: &[String]) -> String {
    let program = host.tools().first().map(|tool| tool.program).unwrap_or_default();
    let usual = server_file(host, HOT).unwrap_or_default();
    let kind = usual.rsplit_once('.').map_or("", |(_, kind)| kind);
    let candidates = ["server", "index", "app", "main"].map(|name| format!("{name}.{kind}"));
    let file = candidates.into_iter().find(|candidate| names.contains(candidate)).unwrap_or(usual);
    format!("[host.{}]\nfolder = \".\"\nstart = [{program:?}, {file:?}]\n", host.name())
}
