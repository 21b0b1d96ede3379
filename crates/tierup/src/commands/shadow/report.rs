//! `tierup shadow report`: sums up the evidence in a state folder, from all proxies that wrote there.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use tierup_check::{Inside, keep};
use tierup_project::{FILE, Loaded, shown};
use tierup_runner::{Observer as _, private};
use tierup_shadow::{Report, State, case};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
    measure::{Format, Shown, show},
};

/// Show the evidence of a state folder: coverage, mismatches, noise, CPU and latency, and the weights over time
#[derive(Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// The project, or the state folder that --state named
    #[arg(default_value = ".", value_name = "PROJECT|STATE")]
    folder: PathBuf,
    /// Show what a rollout inside processes has found instead: the control file that TIERUP_ROLLOUT names
    #[arg(long, value_name = "FILE", conflicts_with_all = ["case", "route", "kind"])]
    inside: Option<PathBuf>,
    /// Also add the mismatches to the project's corpus/, so that `tierup check` repeats them
    #[arg(long, conflicts_with = "case")]
    keep_cases: bool,
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
    if let Some(file) = &arguments.inside {
        return inside(file, arguments, console);
    }
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
    if let Some(file) = &arguments.case {
        return write_case(&report, file, arguments, console);
    }
    if arguments.keep_cases {
        let texts = report.examples().into_iter().filter_map(|(_, _, example)| case(example).ok());
        keep_cases(&open(&arguments.folder)?, console, |folder| {
            let folder = folder.join("requests");
            fs::create_dir_all(&folder).map_err(|error| unwritten(&folder, error))?;
            texts.enumerate().try_for_each(|(number, text)| write(&folder.join(format!("{number}.http")), &text))
        })?;
    }
    arguments.shown.format().print(&report, console)
}

/// Adds the cases that `write` puts into a folder to the project's corpus.
fn keep_cases(loaded: &Loaded, console: &Console, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let folder = loaded.work.join("evidence");
    // Cases of an earlier run, which may no longer be wanted.
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(unwritten(&folder, error)),
        _ => {}
    }
    write(&folder)?;
    let kept = keep(&folder, &loaded.folder.join("corpus"))?;
    kept.iter().for_each(|file| console.note(&format!("kept: {}", shown(file))));
    console.note(match kept.is_empty() {
        true => "nothing new to keep",
        false => "these files say what your users sent: read them before you commit them",
    });
    Ok(())
}

fn write(file: &Path, text: &str) -> Result<()> {
    private::write(file, text.as_bytes()).map_err(|error| unwritten(file, error))
}

fn unwritten(path: &Path, error: io::Error) -> Failure {
    Failure::because(format!("cannot write `{}`", shown(path)), error)
}

/// The evidence beside a control file, or in a folder.
fn inside(file: &Path, arguments: &Arguments, console: &Console) -> Result<()> {
    let as_json = match arguments.shown.format() {
        Format::Text => false,
        Format::Json => true,
        _ => return Err(Failure::usage("--inside is shown as text or JSON")),
    };
    let loaded = open(&arguments.folder)?;
    let inside = found_inside(file, &loaded)?;
    if arguments.keep_cases {
        keep_cases(&loaded, console, |folder| inside.write_cases(folder, &loaded))?;
    }
    show(&inside, as_json, console)?;
    inside.verdict()
}

/// The folder where processes write evidence, for a control file.
pub(in crate::commands) fn evidence_inside(file: &Path) -> PathBuf {
    let mut folder = file.as_os_str().to_owned();
    folder.push(".evidence");
    folder.into()
}

/// The evidence of a control file's processes, or of those that wrote to a folder.
pub(in crate::commands) fn found_inside(file: &Path, loaded: &Loaded) -> Result<Inside> {
    let folder = if file.is_dir() { file.to_owned() } else { evidence_inside(file) };
    let cannot = |path: &Path, error: io::Error| Failure::because(format!("cannot read `{}`", shown(path)), error);
    let entries = fs::read_dir(&folder).map_err(|error| {
        cannot(&folder, error).hint("a server writes there that runs with TIERUP_ROLLOUT and takes calls")
    })?;
    let (mut files, mut deaths) = (Vec::new(), 0);
    for path in entries.flatten().map(|entry| entry.path()) {
        match path.extension().and_then(|ending| ending.to_str()) {
            // Reading a pipe would block.
            Some("jsonl") if path.is_file() => {
                let bytes = match fs::read(&path) {
                    // A new process may have removed the file to make room.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                    bytes => bytes.map_err(|error| cannot(&path, error))?,
                };
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                // A full disk may have cut the text inside a character.
                files.push((name, String::from_utf8_lossy(&bytes).into_owned()));
            }
            Some("died") => deaths += 1,
            _ => {}
        }
    }
    Ok(Inside::read(&files, deaths, loaded))
}

/// A project's state folder, or the folder itself.
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
                write(file, &text)?;
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
