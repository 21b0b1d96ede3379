//! The format of a report on standard output. In: the user's choice, and a record. Out: the report in this format.

use std::io::IsTerminal as _;

use clap::{Args, ValueEnum};
use tierup_bench::{
    analysis::{Analysis, analyse},
    record::Record,
    report::{CallsReport, RunReport, SideBySide},
};
use tierup_report::{
    Exporter, Html, Json, Markdown, Text,
    text::{Colour, Style},
};

use crate::{console::Console, failure::Result};

/// A format on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table for a terminal
    Text,
    Markdown,
    Html,
    /// Raw results and everything derived from them
    Json,
}

/// The options for the format on standard output.
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

/// An exporter for runs of calls.
pub(super) type CallsExporter = Box<dyn for<'a> Exporter<CallsReport<'a>>>;

impl Format {
    /// The exporter for a document that every format supports.
    fn exporter<Document>(self, console: &Console) -> Box<dyn Exporter<Document>>
    where
        Text: Exporter<Document>,
        Markdown: Exporter<Document>,
        Html: Exporter<Document>,
        Json: Exporter<Document>,
    {
        match self {
            Format::Text => Box::new(Text(style(console))),
            Format::Markdown => Box::new(Markdown),
            Format::Html => Box::new(Html),
            Format::Json => Box::new(Json),
        }
    }

    /// The exporter for runs of calls; `None` if this format has no such report.
    pub(super) fn exporter_of_calls(self, console: &Console) -> Option<CallsExporter> {
        match self {
            Format::Text => Some(Box::new(Text(style(console)))),
            Format::Markdown => Some(Box::new(Markdown)),
            Format::Json => Some(Box::new(Json)),
            Format::Html => None,
        }
    }

    /// Prints a document that every format supports.
    pub(crate) fn print<Document>(self, document: &Document, console: &Console) -> Result<()>
    where
        Text: Exporter<Document>,
        Markdown: Exporter<Document>,
        Html: Exporter<Document>,
        Json: Exporter<Document>,
    {
        console.data(self.exporter(console).export(document).trim_end())
    }

    /// Prints a run.
    pub(crate) fn show(self, record: &Record, console: &Console) -> Result<()> {
        let record = &record.masked(&|text| console.masked(text));
        let analysis = analyse(record);
        let run = RunReport::new(record, &analysis);
        console.data(self.exporter(console).export(&run).trim_end())
    }

    /// Prints several runs side by side.
    pub(crate) fn compare(self, records: &[Record], console: &Console) -> Result<()> {
        let analyses: Vec<Analysis> = records.iter().map(analyse).collect();
        let runs: Vec<RunReport<'_>> =
            records.iter().zip(&analyses).map(|(record, analysis)| RunReport::new(record, analysis)).collect();
        console.data(self.exporter(console).export(&SideBySide { runs: &runs }).trim_end())
    }
}

/// Prints a report as text, or as JSON for scripts.
pub(crate) fn show<Document>(report: &Document, as_json: bool, console: &Console) -> Result<()>
where
    Text: Exporter<Document>,
    Json: Exporter<Document>,
{
    let text = if as_json { Json.export(report) } else { Text(style(console)).export(report) };
    console.data(text.trim_end())
}

/// The terminal's width, and colours if it supports them; a file has neither.
fn style(console: &Console) -> Style {
    let terminal = std::io::stdout().is_terminal();
    let width = console.width().filter(|_| terminal);
    Style { width, colour: if terminal && console.color() { Colour::Ansi } else { Colour::Plain } }
}
