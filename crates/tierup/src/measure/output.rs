//! The folder of a run's reports, with a file per kept format, which is rewritten during the run.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tierup_bench::{
    analysis::analyse,
    calls::{figures::Figures, record::Record as CallsRecord},
    record::Record,
    report::{CallsReport, RunReport},
};
use tierup_project::shown;
use tierup_report::{Exporter as _, Html, Json, Markdown};
use tierup_runner::{
    Observer as _,
    private::{self, FolderOwner, make_folder},
};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// The folder of a run's reports.
#[derive(Debug)]
pub(crate) struct Output {
    folder: PathBuf,
    /// The time of the last reports.
    written: Option<Instant>,
    /// Why the last reports could not be written.
    trouble: Option<String>,
}

/// The minimum time between two reports of a run. A report contains all measurements, so writing one after every slice
/// would take quadratic time.
const APART: Duration = Duration::from_secs(5);

impl Output {
    /// Creates the folder and writes to it, so that an unwritable folder fails at once rather than after minutes.
    pub(crate) fn new(folder: PathBuf, place: FolderOwner) -> Result<Output> {
        let probe = folder.join("report.part");
        make_folder(&folder, place)
            .and_then(|()| private::write(&probe, b"room?"))
            .and_then(|()| fs::remove_file(&probe))
            .map_err(|error| {
                Failure::because(format!("cannot create the folder for the report: {}", shown(&folder)), error)
            })?;
        Ok(Output { folder, written: None, trouble: None })
    }

    /// Writes the reports of a run of servers.
    pub(crate) fn keep(&mut self, record: &Record, console: &Console) {
        let record = &record.masked(&|text| console.masked(text));
        let analysis = analyse(record);
        let run = RunReport::new(record, &analysis);
        let files = [
            ("report.json", Json.export(&run)),
            ("report.md", Markdown.export(&run)),
            ("report.html", Html.export(&run)),
        ];
        self.write(files, console);
        self.written = Some(Instant::now());
    }

    /// Writes the reports, unless they were written a moment ago.
    pub(super) fn keep_now_and_then(&mut self, record: &Record, console: &Console) {
        if self.written.is_none_or(|written| written.elapsed() >= APART) {
            self.keep(record, console);
        }
    }

    /// Writes the reports of a run of calls.
    pub(super) fn keep_calls(&mut self, record: &CallsRecord, console: &Console) {
        let record = &record.masked(&|text| console.masked(text));
        let calls = CallsReport { record, figures: &Figures::new(record) };
        let files = [("in-process.json", Json.export(&calls)), ("in-process.md", Markdown.export(&calls))];
        self.write(files, console);
    }

    /// Writes files that only their owner can read. An error does not end the run; it is shown unless the
    /// last attempt failed, too.
    fn write(&mut self, files: impl IntoIterator<Item = (&'static str, String)>, console: &Console) {
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

    /// Writes a file beside the reports.
    ///
    /// # Errors
    /// The file, or one of the reports, could not be written.
    pub(crate) fn add(mut self, name: &'static str, content: &str, console: &Console) -> Result<()> {
        self.write([(name, content.to_owned())], console);
        self.say_where(name, console)
    }

    /// Says where the reports are.
    ///
    /// # Errors
    /// The last report could not be written, so the folder may hold an older one.
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

/// Reads a report that [`Output::keep`] wrote.
pub(crate) fn read(file: &Path) -> Result<Record> {
    let name = shown(file);
    let text = tierup_runner::read_text(file)?.ok_or_else(|| Failure::usage(format!("there is no file `{name}`")))?;
    Record::read(&text).map_err(|why| {
        Failure::usage(format!("`{name}` is not a tierup report: {why}"))
            .hint("give a report.json written by `tierup bench`")
    })
}
