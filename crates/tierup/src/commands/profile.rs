//! `tierup profile`: ranks the functions of the user's own code by CPU, from a profile that it takes itself, or from
//! existing ones.

mod files;
mod next;
pub(super) mod taking;

use std::{
    io::IsTerminal as _,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use tierup_profile::{Comparison, FlamePage, MOST_BYTES, Profile, Report, collapsed, rank, speedscope};
use tierup_project::shown;
use tierup_report::{
    Exporter, Html, Json, Text,
    text::{Colour, Style},
};
use tierup_runner::{Observer as _, private};

use self::taking::{TakenHere, Taking};
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts, kept_bounds,
    project_page::{self, ChapterOf},
};

/// Profile a server and rank the hot functions of its own code
///
/// Starts the project's server at tier 0, with no change of it, and loads it with the project's requests. Or ranks
/// profiles that were taken before, for instance in production. docs/profile.md explains the numbers.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml; or profiles: .cpuprofile, pprof or collapsed stacks, which are added up
    #[arg(default_value = ".", value_name = "PROJECT|FILE", conflicts_with_all = ["command", "pid", "pprof"])]
    files: Vec<PathBuf>,
    /// Compare with this profile, taken before
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// The host of the server; required if the project has several [default: by the names in the profiles]
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// CPU of all the server's processes while the profiles were taken, in seconds
    #[arg(long, value_name = "SECONDS", value_parser = above_zero)]
    cpu: Option<f64>,
    /// What a sample stands for in collapsed stacks, in milliseconds (py-spy: 10)
    #[arg(long, value_name = "MS", value_parser = above_zero)]
    sample: Option<f64>,
    /// Count only functions and files that begin like this as your own code, e.g. `com.example.`; may be repeated
    /// [default: `own` of `[profile]` in tierup.toml]
    #[arg(long, value_name = "PREFIX")]
    own: Vec<String>,
    /// The form of the result
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    taking: Taking,
}

/// The form of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A ranking for a terminal
    Text,
    /// The ranking for scripts
    Json,
    /// Stacks for other tools, in milliseconds
    Collapsed,
    /// Stacks for speedscope.app
    Speedscope,
    /// The ranking and a flame graph, as one page that needs no network
    Html,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let host = arguments.host.as_deref().map(host).transpose()?;
    let seconds_per_sample = arguments.sample.map(|milliseconds| milliseconds / 1000.0);
    let TakenHere { profile, title, sensed, routes, project: of, ranking } = match arguments.project() {
        Some(project) => {
            if arguments.cpu.is_some() || arguments.sample.is_some() {
                return Err(Failure::usage(
                    "--cpu and --sample describe files with profiles, and this profile is taken here",
                )
                .hint("leave them out: tierup measures both"));
            }
            arguments.taking.take(project, arguments.host.as_deref(), &arguments.own, console)?
        }
        None => {
            let mut profile = files::read(&arguments.files, host, &arguments.own, seconds_per_sample)?;
            if let Some(seconds) = arguments.cpu {
                profile.set_whole_cpu(seconds);
            }
            let title = arguments.files.iter().map(|file| name(file)).collect::<Vec<_>>().join(", ");
            TakenHere { ranking: rank(&profile), profile, title, sensed: None, routes: None, project: None }
        }
    };
    let before = match &arguments.compare {
        Some(file) => {
            Some((name(file), files::read(std::slice::from_ref(file), host, &arguments.own, seconds_per_sample)?))
        }
        None => None,
    };
    let next = next::command(arguments, &ranking);
    let (next, sensed, routes) = (next.as_deref(), sensed.as_ref(), routes.as_ref());
    let report = Report { title: &title, ranking: &ranking, next, sensed, routes };
    let text = result(arguments, console, report, &profile, before.as_ref())?;
    if let Some(loaded) = &of {
        kept_bounds::keep(loaded, &ranking, console);
        let page = FlamePage { report, profile: &profile, comparison: None, tierup: env!("CARGO_PKG_VERSION") };
        project_page::keep(loaded, ChapterOf::Profile, page.page(), page.conclusions(), console);
    }
    match &arguments.output {
        None => console.data(text.trim_end()),
        Some(file) => {
            private::write(file, text.as_bytes())
                .map_err(|error| Failure::because(format!("cannot write {}", shown(file)), error))?;
            console.note(&format!("written: {}", shown(file)));
            Ok(())
        }
    }
}

impl Arguments {
    /// The folder of the project whose server is profiled; `None` if files are ranked.
    fn project(&self) -> Option<&Path> {
        match &self.files[..] {
            [folder] if self.taking.has_server() || folder.is_dir() => Some(folder),
            _ => None,
        }
    }
}

fn result(
    arguments: &Arguments,
    console: &Console,
    report: Report<'_>,
    profile: &Profile,
    before: Option<&(String, Profile)>,
) -> Result<String> {
    let style = style(arguments, console);
    let title = report.title;
    let comparison = before.map(|(before_title, before)| Comparison { title, profile, before_title, before });
    let format = if arguments.json { Format::Json } else { arguments.format };
    Ok(match (format, comparison) {
        (Format::Collapsed | Format::Speedscope, Some(_)) => {
            return Err(Failure::usage("this format has no comparison")
                .hint("leave --compare out, or choose --format text, json or html"));
        }
        (Format::Collapsed, None) => collapsed(profile),
        (Format::Speedscope, None) => speedscope(profile, title),
        (Format::Text, Some(comparison)) => Text(style).export(&comparison),
        (Format::Json, Some(comparison)) => Json.export(&comparison),
        (Format::Text, None) => Text(style).export(&report),
        (Format::Json, None) => Json.export(&report),
        (Format::Html, comparison) => {
            let tierup = env!("CARGO_PKG_VERSION");
            Html.export(&FlamePage { report, profile, comparison, tierup })
        }
    })
}

/// The style for the terminal. A file has no width limit and no colours.
fn style(arguments: &Arguments, console: &Console) -> Style {
    let terminal = std::io::stdout().is_terminal() && arguments.output.is_none();
    let colour = if terminal && console.color() { Colour::Ansi } else { Colour::Plain };
    Style { width: console.width().filter(|_| terminal), colour }
}

fn host(name: &str) -> Result<&'static dyn tierup_codegen::Host> {
    hosts::find(name).ok_or_else(|| {
        let names: Vec<_> = hosts::all().iter().map(|host| host.name()).collect();
        Failure::usage(format!("there is no host `{name}`")).hint(format!("the hosts are {}", names.join(", ")))
    })
}

fn name(file: &Path) -> String {
    file.file_name().map_or_else(|| shown(file), |name| name.to_string_lossy().into_owned())
}

/// The text of a source file or its source map, if it exists.
fn source_text(path: &str) -> Option<String> {
    let is_bearable = |file: &std::fs::Metadata| file.is_file() && file.len() <= MOST_BYTES as u64;
    std::fs::metadata(path).ok().filter(is_bearable)?;
    std::fs::read_to_string(path).ok()
}

fn above_zero(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("must be a number above 0, got `{text}`")),
    }
}
