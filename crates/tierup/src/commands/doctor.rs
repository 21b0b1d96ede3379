//! `tierup doctor`: lists the programs that tierup needs, and the commands that install missing ones.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};
use tierup_report::text::aligned;
use tierup_rows::{Requirement, requirements, stub};
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
};

/// Check the tools that tierup needs
#[derive(Args)]
pub struct Arguments {
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

/// The test `without_rust` runs these.
const WITHOUT_RUST: &str =
    "these work without Rust: profile, ceiling, init, bench --url, check --url, shadow, ramp, report, serve --tier 0";

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let findings = requirements(&hosts::all());
    console.data(&if arguments.json { as_json(&findings) } else { as_table(&findings) })?;

    // Without a readable project, only the tools count.
    let project = hosts::open(Path::new(".")).ok();
    let advice = project.and_then(|loaded| stub::advice(&loaded, loaded.hosts.iter().map(|(host, _)| *host)));
    if let Some(advice) = advice {
        console.note(&advice);
    }
    let bad: Vec<_> = findings.iter().filter(|finding| finding.counts && !finding.fine).collect();
    if bad.is_empty() {
        return Ok(());
    }
    if bad.iter().any(|finding| finding.whom == "rust" && finding.what == "rustc") {
        console.note(WITHOUT_RUST);
    }
    let commands: Vec<_> = bad.iter().map(|finding| format!("{}: {}", finding.what, finding.install)).collect();
    let names: Vec<_> = bad.iter().map(|finding| finding.what.as_str()).collect();
    Err(Failure::no(format!("not ready: {}", names.join(", "))).hint(commands.join("\n      ")))
}

fn as_table(findings: &[Requirement]) -> String {
    let rows: Vec<_> = findings
        .iter()
        .map(|finding| {
            let state = match (&finding.version, finding.fine) {
                (_, true) => "ok",
                (Some(_), false) => "too old",
                (None, false) if finding.counts => "missing",
                (None, false) => "not here",
            };
            let state = if finding.what == "disk space" && !finding.fine { "too little" } else { state };
            let version = finding.version.clone().unwrap_or_default();
            // A missing optional tool is no error, so its install command is shown in the table.
            let purpose = match (finding.fine, finding.counts) {
                (false, false) => format!("{}: {}", finding.purpose, finding.install),
                _ => finding.purpose.into(),
            };
            [finding.whom.into(), finding.what.clone(), state.into(), version, finding.minimum.into(), purpose]
        })
        .collect();
    aligned(["for", "tool", "", "found", "needed", "purpose"], &rows)
}

fn as_json(findings: &[Requirement]) -> String {
    let all: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({
                "for": finding.whom,
                "what": finding.what,
                "ok": finding.fine,
                "version": finding.version,
                "minimum": finding.minimum,
                "purpose": finding.purpose,
                "install": finding.install,
            })
        })
        .collect();
    format!("{:#}", json!({ "ok": findings.iter().all(|finding| finding.fine || !finding.counts), "findings": all }))
}
