//! `tierup brief`: writes one page with all that is known about a function, for whoever ports it.

use std::path::PathBuf;

use clap::Args;
use tierup_check::{BaselineSource, BriefOrder, brief};
use tierup_codegen::{Host, HostSettings, Row, ServerFolder as _};
use tierup_diagnostic::nearest;
use tierup_project::{Loaded, relative, shown};
use tierup_rows::Described;
use tierup_runner::{Observer as _, write_file};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
};

/// Write one Markdown page about a function, for a colleague or a coding agent who ports it to Rust
///
/// It has the signature, the present code, the arguments of the project's requests and corpus, the golden call, edge values, the rules by
/// which answers are compared, and the commands that prove a port right. Secrets are masked. Nothing is built or called.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The function [default: the only one]
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// The host whose present code is shown [default: the first with present code]
    #[arg(long)]
    host: Option<String>,
    /// Requests file, .http or .har [default: requests.http or requests.har of the project]
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// Write the page to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let loaded = open(&arguments.project)?;
    let function = function(&loaded, arguments.function.as_deref())?;
    let (host, settings) = host(&loaded, arguments.host.as_deref(), console)?;
    let baselines = baselines(&loaded, host, settings);
    let order = BriefOrder { function, host, baselines, requests: arguments.requests.clone() };
    let page = brief(&loaded, &order, console)?;
    let Some(out) = &arguments.out else { return console.data(page.trim_end()) };
    write_file(out, page.as_bytes())?;
    console.note(&format!("wrote {}", shown(out)));
    Ok(())
}

/// The number of the function.
fn function(loaded: &Loaded, name: Option<&str>) -> Result<usize> {
    let interface = &loaded.project.interface;
    let names = || interface.functions.iter().map(|function| function.name.as_str());
    let list = || names().collect::<Vec<_>>().join(", ");
    match name {
        None if interface.functions.len() == 1 => Ok(0),
        None => Err(Failure::usage("this project has several functions")
            .hint(format!("choose one with --function: {}", list()))),
        Some(name) => names().position(|known| known == name).ok_or_else(|| {
            let hint = match nearest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it has: {}", list()),
            };
            Failure::usage(format!("`{name}` is not a function of this project")).hint(hint)
        }),
    }
}

/// The named host, or the first one with present code.
fn host<'a>(
    loaded: &'a Loaded,
    name: Option<&str>,
    console: &Console,
) -> Result<(&'static dyn Host, &'a HostSettings)> {
    if let Some(name) = name {
        return loaded.asked_host(name);
    }
    let all = || loaded.hosts.iter().map(|(host, settings)| (*host, settings));
    let found = all().find(|(_, settings)| !settings.baselines.is_empty()).or_else(|| all().next());
    let (host, settings) = found.ok_or_else(|| {
        Failure::usage("this project has no host").hint("add `[host.NAME]` with the server that calls the function")
    })?;
    if loaded.hosts.len() > 1 {
        console.note(&format!("showing the present code of {}; --host chooses another host", host.title()));
    }
    Ok((host, settings))
}

/// The present code. Of several rows in one file, the first shows the file.
fn baselines(loaded: &Loaded, host: &dyn Host, settings: &HostSettings) -> Vec<BaselineSource> {
    let folder = Described(settings);
    let mut shown: Vec<BaselineSource> = Vec::new();
    for (label, name) in &settings.baselines {
        let files = host.baseline_files(&folder, name).into_iter();
        let file = files.filter_map(|file| folder.read(&file).map(|text| (file, text))).next();
        let file = file.map(|(file, text)| (relative(&loaded.folder, &settings.folder.join(file)), text));
        let is_shown = file.is_some() && shown.iter().any(|other| other.file == file);
        if !is_shown {
            shown.push(BaselineSource { row: Row::Baseline(label.clone()).to_string(), name: name.clone(), file });
        }
    }
    shown
}
