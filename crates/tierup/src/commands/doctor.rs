//! `tierup doctor`: which of the programs that tierup needs are here, and the command that gets each of the others.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};
use tierup_build::{WASM_TARGET, has_target, needs};
use tierup_codegen::{Command, Host, Tool};
use tierup_report::text::aligned;
use tierup_runner::capture;

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

/// A build of every variant takes about this much, with a large dependency or two.
const DISK: u64 = 3 << 30;

/// A tool or a resource, as it was found.
struct Finding {
    what: String,
    whom: &'static str,
    version: Option<String>,
    minimum: &'static str,
    fine: bool,
    /// Whether tierup is not ready without it.
    counts: bool,
    /// What it is for, and the command that gets it.
    purpose: &'static str,
    install: String,
}

impl Finding {
    fn is_missing(&self) -> bool {
        !self.fine && self.version.is_none()
    }
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let mut findings: Vec<_> = needs::rust().iter().map(|tool| tool_finding("rust", tool)).collect();
    findings.insert(3, wasm_target());
    findings.extend(disk());
    findings.extend(of_hosts());
    console.data(&if arguments.json { as_json(&findings) } else { as_table(&findings) })?;

    let bad: Vec<_> = findings.iter().filter(|finding| finding.counts && !finding.fine).collect();
    if bad.is_empty() {
        return Ok(());
    }
    let commands: Vec<_> = bad.iter().map(|finding| format!("{}: {}", finding.what, finding.install)).collect();
    let names: Vec<_> = bad.iter().map(|finding| finding.what.as_str()).collect();
    Err(Failure::new(format!("not ready: {}", names.join(", "))).hint(commands.join("\n      ")))
}

/// Nobody needs every host: where one is ready, a host without any of its tools here counts as unused.
fn of_hosts() -> Vec<Finding> {
    let of_host = |host: &dyn Host| host.tools().iter().map(|tool| tool_finding(host.name(), tool)).collect::<Vec<_>>();
    let mut hosts: Vec<_> = hosts::all().into_iter().map(of_host).collect();
    if hosts.iter().any(|findings| findings.iter().all(|finding| finding.fine)) {
        let unused = |findings: &&mut Vec<Finding>| findings.iter().all(Finding::is_missing);
        for finding in hosts.iter_mut().filter(unused).flatten() {
            finding.counts = false;
        }
    }
    hosts.into_iter().flatten().collect()
}

fn tool_finding(whom: &'static str, tool: &Tool) -> Finding {
    let command = Command::new(tool.program, tool.version_arguments.iter().copied());
    let output = capture(&command, Path::new("."));
    let version = output.as_ref().ok().and_then(|output| needs::version(output)).map(str::to_owned);
    let fine = match (&output, &version) {
        (Err(_), _) => false,
        (Ok(_), Some(version)) => needs::is_enough(version, tool.minimum),
        // It runs, but does not print a version.
        (Ok(_), None) => true,
    };
    Finding {
        what: [Some(tool.program), tool.part].into_iter().flatten().collect::<Vec<_>>().join(" "),
        whom,
        version,
        minimum: tool.minimum,
        fine,
        counts: true,
        purpose: tool.purpose,
        install: tool.install.to_owned(),
    }
}

fn wasm_target() -> Finding {
    let fine = has_target(Path::new("."), &[]);
    Finding {
        what: WASM_TARGET.to_owned(),
        whom: "rust",
        version: fine.then(|| "installed".to_owned()),
        minimum: "",
        fine,
        counts: true,
        purpose: "builds tier 2; `tierup build` adds it",
        install: format!("rustup target add {WASM_TARGET}"),
    }
}

fn disk() -> Option<Finding> {
    let free = tierup_runner::free_space(Path::new("."))?;
    Some(Finding {
        what: "disk space".to_owned(),
        whom: "rust",
        version: Some(format!("{} GiB", free >> 30)),
        minimum: "3 GiB",
        fine: free >= DISK,
        counts: true,
        purpose: "for build output, in this folder",
        install: "free some disk space, e.g. with `cargo clean` in unused projects".to_owned(),
    })
}

fn as_table(findings: &[Finding]) -> String {
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
            [
                finding.whom.into(),
                finding.what.clone(),
                state.into(),
                version,
                finding.minimum.into(),
                finding.purpose.into(),
            ]
        })
        .collect();
    aligned(["for", "tool", "", "found", "needed", "purpose"], &rows)
}

fn as_json(findings: &[Finding]) -> String {
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
