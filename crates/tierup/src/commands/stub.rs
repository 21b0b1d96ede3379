//! `tierup stub`: writes the package to commit, so that clones work without a build.

use std::{path::PathBuf, sync::Arc};

use clap::Args;
use tierup_codegen::Host;
use tierup_rows::{ProjectHost, stub};
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
};

/// Write the package that you commit, so that clones without tierup run your own code
///
/// It is in tierup/NAME. It loads the variants that `tierup build` has built; without them, it runs at tier 0 and says so. Run this
/// command again when the signature changes.
#[derive(Args)]
pub struct Arguments {
    /// Only for this host [default: each host of the project that has such a package]
    host: Option<String>,
    /// The folder that holds tierup.toml
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    project: PathBuf,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let loaded = Arc::new(open(&arguments.project)?);
    let hosts: Vec<_> = match &arguments.host {
        Some(name) => vec![loaded.asked_host(name)?],
        None => loaded.hosts.iter().map(|(host, settings)| (*host, settings)).collect(),
    };
    let (mut written, mut reasons) = (Vec::new(), Vec::new());
    for (host, settings) in hosts {
        match stub::make(&loaded, host) {
            Ok(_) => written.push((host, settings)),
            Err(reason) => reasons.push(reason),
        }
    }
    if written.is_empty() {
        return Err(Failure::usage(reasons.join("; ")));
    }
    let hosts: Vec<_> = written.iter().map(|(host, _)| *host as &dyn Host).collect();
    stub::write(&loaded, &hosts)?;
    let titles: Vec<_> = hosts.iter().map(|host| host.title()).collect();
    let inside = loaded.shown(&loaded.folder.join(stub::folder(&loaded.project.interface.package)));
    console.note(&format!("wrote {inside} for {}: commit it", titles.join(" and ")));
    reasons.iter().for_each(|reason| console.note(reason));
    for (host, settings) in written {
        if let Some(command) = (ProjectHost { loaded: &loaded, host, settings }).missing_stub() {
            console.note(&command);
        }
    }
    Ok(())
}
