//! `tierup shadow report`: what the evidence in a state folder comes to, of all proxies that wrote there.

use std::path::{Path, PathBuf};

use clap::Args;
use tierup_project::{FILE, shown};
use tierup_runner::{Observer as _, private};
use tierup_shadow::{Report, State, case};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
    measure::Shown,
};

/// Show the evidence of a state folder: coverage, mismatches, noise, CPU and latency, and the weights over time
#[derive(Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// The project, or the state folder that --state named
    #[arg(default_value = ".", value_name = "PROJECT|STATE")]
    folder: PathBuf,
    #[command(flatten)]
    shown: Shown,
    /// Write the smallest mismatch as a .http file that repeats it
    #[arg(long, value_name = "FILE")]
    case: Option<PathBuf>,
    /// Of this route only: `GET /orders/*`
    #[arg(long, value_name = "ROUTE", requires = "case")]
    route: Option<String>,
    /// Of this kind only, as the report has it: `$.items[*].id`
    #[arg(long, value_name = "KIND", requires = "case")]
    kind: Option<String>,
}

pub(super) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let folder = state(&arguments.folder)?;
    let state =
        State::read(&folder).map_err(|error| Failure::because(format!("cannot read `{}`", shown(&folder)), error))?;
    if state.files == 0 {
        return Err(Failure::usage(format!("there is no evidence in `{}`", shown(&folder)))
            .hint("`tierup shadow` writes it for a project, or where --state names a folder"));
    }
    if state.lost + state.broken > 0 {
        console.note(&format!(
            "warning: {} lines of evidence are missing and {} cannot be read; the figures are without them",
            state.lost, state.broken
        ));
    }
    let report = Report::new(&state.summary, &state.decisions);
    match &arguments.case {
        Some(file) => write_case(&report, file, arguments, console),
        None => arguments.shown.format().print(&report, console),
    }
}

/// The state folder of a project, or the folder itself.
fn state(folder: &Path) -> Result<PathBuf> {
    match folder.join(FILE).is_file() {
        true => Ok(open(folder)?.work.join("rollout")),
        false => Ok(folder.to_owned()),
    }
}

fn write_case(report: &Report, file: &Path, arguments: &Arguments, console: &Console) -> Result<()> {
    let is = |asked: &Option<String>, found: &str| asked.as_deref().is_none_or(|asked| asked == found);
    let mut why_not = None;
    for (route, kind, example) in report.examples() {
        if !is(&arguments.route, route) || !is(&arguments.kind, kind) {
            continue;
        }
        match case(example) {
            Ok(text) => {
                private::write(file, text.as_bytes())
                    .map_err(|error| Failure::because(format!("cannot write `{}`", shown(file)), error))?;
                console.note(&format!("wrote `{}`: {}, {}", shown(file), example.request, example.difference));
                return Ok(());
            }
            Err(why) => why_not = why_not.or(Some((example.request.clone(), why))),
        }
    }
    Err(match why_not {
        Some((request, why)) => Failure::no(format!("no such mismatch can be repeated; of `{request}`: {why}"))
            .hint("evidence has neither bodies nor credentials; write the request by hand"),
        None => Failure::no("there is no such mismatch".to_owned()),
    })
}
