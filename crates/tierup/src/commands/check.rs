//! `tierup check`: proves that all tiers give the same answers, or shows where they differ.

mod watch;

use std::{path::PathBuf, sync::Arc};

use clap::{Args, ValueEnum};
use tierup_check::{Check, OfAddresses, Only as Half, Report, keep, statuses_text};
use tierup_parity::{Methods, Verdict};
use tierup_project::{CheckSettings, FILE, shown};
use tierup_rows::{addresses, check_project};
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::{self, open},
    measure::{Tiers, command_line, quoted, seed, show},
    project_page::{self, ChapterOf},
};

/// The part to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Calls through every variant
    Functions,
    /// Requests to every tier's server
    Servers,
}

/// Send the same calls and requests to every tier and compare the answers with tier 0's
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Only these hosts, e.g. `node,python`, or `all`
    #[arg(long, value_delimiter = ',', value_name = "HOST,…")]
    hosts: Vec<String>,
    /// Only these rows, e.g. `3,2:core,0:tuned`; tier 0 is always the control [default: all]
    #[arg(long, value_delimiter = ',', value_name = "ROW,…")]
    tiers: Vec<Tiers>,
    /// Check only the functions, or only the servers
    #[arg(long, value_enum)]
    only: Option<Only>,
    /// The address of a running server: the control
    #[arg(long, requires = "vs", conflicts_with_all = ["hosts", "tiers", "only"])]
    url: Option<String>,
    /// The address of another running server, to compare with --url's
    #[arg(long, requires = "url")]
    vs: Option<String>,
    /// Requests file, .http or .har [default: requests.http or requests.har of the project]
    #[arg(long, value_name = "FILE")]
    requests: Option<PathBuf>,
    /// Number of random calls, in addition to edge values
    #[arg(long, value_name = "N", default_value_t = 1000)]
    cases: usize,
    /// Maximum number of hostile requests made from the good ones [default: 1000; none with --url]
    #[arg(long, value_name = "N")]
    hostile: Option<usize>,
    /// Also send hostile requests with methods that may change data: DELETE, PUT, PATCH, and POST instead of GET
    #[arg(long)]
    hostile_methods: bool,
    /// Seed for random choices, to repeat a run [default: from the clock]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Number of mismatches to show, smallest first
    #[arg(long, value_name = "N", default_value_t = 5)]
    show: usize,
    /// Check only this saved input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["requests", "keep"])]
    case: Option<PathBuf>,
    /// Save the shown mismatches in the project's corpus/, which every run checks
    #[arg(long, conflicts_with = "url")]
    keep: bool,
    /// After each save, compare the function in Rust with tier 0, until Ctrl-C; builds no variant and asks no server
    #[arg(long, conflicts_with_all = ["url", "tiers", "keep", "case"])]
    watch: bool,
    /// Print the report as JSON, by the schema of `tierup schema check`; with --watch, one line for each
    #[arg(long)]
    json: bool,
}

/// The default of `--hostile` for servers that tierup starts itself.
const HOSTILE: usize = 1000;

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    if arguments.watch && arguments.only == Some(Only::Servers) {
        return Err(Failure::usage("--watch compares functions: it asks no server").hint("leave out --only servers"));
    }
    let check = Check {
        only: match arguments.only {
            Some(Only::Functions) => Some(Half::Functions),
            Some(Only::Servers) => Some(Half::Servers),
            None => arguments.watch.then_some(Half::Functions),
        },
        cases: arguments.cases,
        hostile: arguments.hostile.unwrap_or(if arguments.url.is_some() { 0 } else { HOSTILE }),
        methods: if arguments.hostile_methods { Methods::Any } else { Methods::Safe },
        seed: arguments.seed.unwrap_or_else(seed),
        show: arguments.show,
        requests: arguments.requests.clone(),
        case: arguments.case.clone(),
        command: command_line(),
    };
    if arguments.watch {
        return watch::watch(arguments, &check, console);
    }
    let mut report = match (&arguments.url, &arguments.vs) {
        (Some(url), Some(vs)) => of_addresses(arguments, &check, url, vs, console)?,
        _ => of_project(arguments, &check, console)?,
    };
    if arguments.url.is_some() && arguments.hostile.is_none() && arguments.case.is_none() {
        report
            .notes
            .push("no hostile requests were sent to servers that tierup did not start; --hostile N sends them".into());
    }
    let shown = show(&report, arguments.json, console);
    // The exit code reports rows that differ, even if the reader has closed standard output (`| grep -q DIFFERS`).
    verdict(&report).and(shown)
}

fn of_project(arguments: &Arguments, check: &Check, console: &mut Console) -> Result<Report> {
    let loaded = Arc::new(open(&arguments.project)?);
    let hosts = hosts::of_project(&loaded, &arguments.hosts, console)?;
    let again = format!("tierup check {}", quoted(&shown(&loaded.folder)));
    let choice = Tiers::choice(&arguments.tiers);
    let report = check_project(check, &loaded, &hosts, &choice, &again, console)?;
    if arguments.case.is_none() {
        project_page::keep(&loaded, ChapterOf::Check, report.page(), Vec::new(), console);
    }
    if arguments.keep {
        let kept = keep(&loaded.work.join("check"), &loaded.folder.join("corpus"))?;
        for file in &kept {
            console.note(&format!("kept: {}", shown(file)));
        }
        if kept.is_empty() {
            console.note("nothing new to keep");
        }
    }
    Ok(report)
}

fn of_addresses(arguments: &Arguments, check: &Check, url: &str, vs: &str, console: &mut Console) -> Result<Report> {
    let (control, candidate, target) = addresses(url, vs)?;
    // Two servers need no project; but if there is one, its rules apply.
    let loaded = match arguments.project.join(FILE).is_file() {
        true => Some(open(&arguments.project)?),
        false if arguments.project.as_os_str() == "." => None,
        false => return Err(Failure::usage(format!("there is no {FILE} in `{}`", shown(&arguments.project)))),
    };
    let mut again = "tierup check".to_owned();
    if loaded.is_some() {
        again.push_str(&format!(" {}", quoted(&shown(&arguments.project))));
    }
    again.push_str(&format!(" --url {} --vs {}", quoted(url), quoted(vs)));
    let (settings, folder, cases) = match &loaded {
        Some(loaded) => (loaded.check.clone(), loaded.folder.clone(), loaded.work.join("check")),
        None => (CheckSettings::default(), PathBuf::from("."), PathBuf::from("tierup-report/check")),
    };
    check.addresses(&OfAddresses { control, candidate, target, settings, folder, cases, again }, console)
}

/// The reason for the exit code.
fn verdict(report: &Report) -> Result<()> {
    if report.is_clean() {
        return Ok(());
    }
    // It is a result if a row fails where control answers, but not if control fails.
    let is_no = report
        .parts
        .iter()
        .any(|part| part.noise.inputs == 0 && part.rows.iter().any(|row| row.verdict == Verdict::Failed));
    if !report.compared() && !is_no {
        return Err(Failure::new("nothing was compared")
            .hint("add a function with arguments, or requests that the servers answer"));
    }
    let has_errors = |verdict| [Verdict::Alike, Verdict::OnlyErrors].contains(&verdict);
    if let Some(part) = report.parts.iter().find(|part| part.only_errors)
        && report.rows().all(|row| has_errors(row.verdict))
    {
        let message = format!(
            "nothing but errors was compared: {} answers no request of the file with success: {}",
            part.control,
            statuses_text(part)
        );
        let hint = "start what the server needs (a database, credentials), or name other requests with --requests";
        return Err(Failure::new(message).hint(hint));
    }
    let mut rows: Vec<&str> =
        report.rows().filter(|row| row.verdict != Verdict::Alike).map(|row| row.label.as_str()).collect();
    rows.dedup();
    Err(Failure::no(format!("not alike: {}", rows.join(", "))))
}
