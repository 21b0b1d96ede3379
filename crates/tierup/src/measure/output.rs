//! Where reports go: three files in a folder, and one form of them on standard output.

use std::{
    fs,
    io::IsTerminal as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::{Args, ValueEnum};
use tierup_bench::{
    analysis::{Analysis, analyse},
    record::Record,
    report::{
        html, markdown,
        text::{self, Colour, Style},
    },
};
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    private::{self, Place, make_folder},
    project::shown,
};

/// The form on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table for a terminal
    Text,
    Markdown,
    Html,
    /// Raw results and everything derived from them
    Json,
}

/// The form on standard output, as it is asked for.
#[derive(Args, Debug)]
pub(crate) struct Shown {
    /// The form on standard output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl Shown {
    pub(crate) fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }
}

/// The folder of a run's reports.
#[derive(Debug)]
pub(crate) struct Output {
    folder: PathBuf,
    /// When they were last written.
    written: Option<Instant>,
    /// Why they could not be written the last time.
    trouble: Option<String>,
}

/// Between two reports of a run that goes on: each holds everything that was measured, so that to write one after every
/// slice would take time that grows with the square of theirs.
const APART: Duration = Duration::from_secs(5);

/// The names of the files.
const NAMES: [&str; 3] = ["report.json", "report.md", "report.html"];

impl Output {
    /// Makes the folder and writes into it, so that nobody measures for minutes to be told that there is no place for the
    /// report.
    pub(crate) fn new(folder: PathBuf, place: Place) -> Result<Output> {
        let probe = folder.join("report.part");
        make_folder(&folder, place)
            .and_then(|()| private::write(&probe, b"room?"))
            .and_then(|()| fs::remove_file(&probe))
            .map_err(|error| {
                Failure::new(format!("cannot create the folder for the report: {}: {error}", shown(&folder)))
            })?;
        Ok(Output { folder, written: None, trouble: None })
    }

    /// Writes all three.
    pub(crate) fn keep(&mut self, record: &Record, console: &Console) {
        let record = &record.masked(&|text| console.masked(text));
        let analysis = analyse(record);
        let contents = [json(record, &analysis), markdown::render(record, &analysis), html::render(record, &analysis)];
        self.write(NAMES.into_iter().zip(contents), console);
        self.written = Some(Instant::now());
    }

    /// Writes all three, unless that was a moment ago.
    pub(super) fn keep_now_and_then(&mut self, record: &Record, console: &Console) {
        if self.written.is_none_or(|written| written.elapsed() >= APART) {
            self.keep(record, console);
        }
    }

    /// Writes files for their owner's eyes. What is in the way is said when it was not there before, and ends no run.
    pub(super) fn write(&mut self, files: impl IntoIterator<Item = (&'static str, String)>, console: &Console) {
        let before = self.trouble.take();
        for (name, content) in files {
            let place = self.folder.join(name);
            if let Err(error) = private::write(&place, content.as_bytes()) {
                self.trouble = Some(format!("cannot write the report: {}: {error}", shown(&place)));
            }
        }
        if let Some(trouble) = self.trouble.as_ref().filter(|_| before.is_none()) {
            console.note(trouble);
        }
    }

    /// Says where the reports are, once all is written.
    ///
    /// # Errors
    /// Where it could not be: an older report may lie there.
    pub(crate) fn say_where(&self, name: &str, console: &Console) -> Result<()> {
        match &self.trouble {
            Some(trouble) => Err(Failure::new(trouble)),
            None => {
                console.note(&format!("the report: {}", shown(&self.folder.join(name))));
                Ok(())
            }
        }
    }
}

/// The record with what was derived from it, so that scripts need not do the statistics again.
fn json(record: &Record, analysis: &Analysis) -> String {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let (Some(object), Ok(analysis)) = (value.as_object_mut(), serde_json::to_value(analysis)) {
        object.insert("analysis".to_owned(), analysis);
    }
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

/// Reads what [`Output::keep`] has written.
pub(crate) fn read(file: &Path) -> Result<Record> {
    let name = shown(file);
    let text = tierup_runner::read_text(file)?.ok_or_else(|| Failure::new(format!("there is no file `{name}`")))?;
    let no_report = |why: String| {
        Failure::new(format!("`{name}` is not a tierup report: {why}"))
            .hint("give a report.json written by `tierup bench`".to_owned())
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| no_report(error.to_string()))?;
    let known = tierup_bench::record::FORMAT;
    match value.get("format").and_then(serde_json::Value::as_u64) {
        Some(format) if format == u64::from(known) => {}
        Some(format) => {
            return Err(no_report(format!("its format is {format}, but this version of tierup reads {known}")));
        }
        None => return Err(no_report("it has no `format`".to_owned())),
    }
    serde_json::from_value(value).map_err(|error| no_report(error.to_string()))
}

impl Format {
    /// Shows a run.
    pub(crate) fn show(self, record: &Record, console: &Console) -> Result<()> {
        let record = &record.masked(&|text| console.masked(text));
        let analysis = analyse(record);
        let shown = match self {
            Format::Text => text::render(record, &analysis, style(console)),
            Format::Markdown => markdown::render(record, &analysis),
            Format::Html => html::render(record, &analysis),
            Format::Json => json(record, &analysis),
        };
        console.data(shown.trim_end())
    }

    /// Shows several runs side by side.
    pub(crate) fn compare(self, records: &[Record], console: &Console) -> Result<()> {
        let analyses: Vec<Analysis> = records.iter().map(analyse).collect();
        let runs: Vec<_> = records.iter().zip(&analyses).collect();
        let shown = match self {
            Format::Text => text::compare(&runs, style(console)),
            Format::Markdown => markdown::compare(&runs),
            Format::Html => html::compare(&runs),
            Format::Json => {
                let all: Vec<serde_json::Value> = runs
                    .iter()
                    .filter_map(|(record, analysis)| serde_json::from_str(&json(record, analysis)).ok())
                    .collect();
                serde_json::to_string_pretty(&all).unwrap_or_default()
            }
        };
        console.data(shown.trim_end())
    }
}

/// As wide as the terminal, with colours where it takes them; a file gets neither.
pub(super) fn style(console: &Console) -> Style {
    let terminal = std::io::stdout().is_terminal();
    let width = console.width().filter(|_| terminal);
    Style { width, colour: if terminal && console.color() { Colour::Ansi } else { Colour::Plain } }
}
