//! `tierup bench --in-process`: times calls of the function at every row in the host's own process, without HTTP.
//!
//! In: a project, its rows, and its requests. Out: a table per function, and `in-process.{md,json}`.

use std::sync::Arc;

use tierup_bench::{
    calls::{
        Budget, Error, Plan, PlannedFunction,
        figures::Figures,
        record::{CallsRow, Record},
        run,
    },
    record::{Heading, named},
    report::CallsReport,
};
use tierup_codegen::{Row, Variant};
use tierup_project::{Arguments, Source};
use tierup_rows::{BuiltRow, Calls, Optimized, build_alone, called_rows, hold, planned_calls, versions};
use tierup_runner::{Interrupts, Observer as _, private::FolderOwner};

use super::{
    CallsExporter, Format, Method, Output, ProjectRows, Watcher,
    bench::{command_line, seed},
};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// The calls to time.
pub(crate) struct InProcess {
    pub(crate) rows: ProjectRows,
    pub(crate) format: Format,
}

impl InProcess {
    pub(crate) fn run(self, method: &Method, console: &mut Console) -> Result<()> {
        let InProcess { rows, format } = self;
        let loaded = &rows.loaded;
        let exporter = format.exporter_of_calls(console).ok_or_else(|| {
            Failure::usage("--in-process does not support HTML reports").hint("give --format text, markdown or json")
        })?;
        let method = method.with(&loaded.bench);
        let seed = method.seed.unwrap_or_else(seed);
        let source = match method.requests.clone() {
            Some(file) => Source::File(file),
            None => Source::Project(loaded.folder.clone()),
        };
        let arguments = Arguments::read(loaded, &source, seed, console)?;
        let mut output = match method.output.clone() {
            Some(folder) => Output::new(folder, FolderOwner::Named)?,
            None => Output::new(loaded.work.join("bench"), FolderOwner::Ours)?,
        };
        let mut notes = Vec::new();
        let chosen = called_rows(&rows, &mut notes, console)?;
        let alone = build_alone(loaded, Optimized::ForCalls, console)?;
        let _held = hold(loaded, console)?;

        let interrupts = Arc::new(Interrupts::watch());
        notes.splice(0..0, remarks(&chosen));
        notes.extend(arguments.notes);
        let functions = arguments.functions.iter().map(|function| PlannedFunction {
            name: loaded.project.interface.functions[function.function].name.clone(),
            arguments: function.lists.len(),
            source: function.source.clone(),
        });
        let title = loaded.project.interface.package.clone();
        let mut plan = Plan {
            heading: Heading { title, command: command_line(), versions: versions(loaded), estimates: Vec::new() },
            notes,
            functions: functions.collect(),
            rows: planned_calls(loaded, chosen, &alone, &Arc::new(Calls::new(arguments.functions, &interrupts))),
            budget: budget(&method),
            seed,
        };
        let record = {
            let mut watcher = Watcher { console, interrupts: &interrupts, output: &mut output };
            run(&mut plan, &mut watcher)
        };
        console.done();
        let record = record.map_err(failure)?;
        let shown = show(&record, &exporter, console);
        let kept = output.say_where("in-process.md", console);
        // A failed row takes precedence over a report that could not be shown.
        outcome(&record).and(kept).and(shown)
    }
}

/// Prints a run on standard output.
fn show(record: &Record, exporter: &CallsExporter, console: &Console) -> Result<()> {
    let record = &record.masked(&|text| console.masked(text));
    let figures = Figures::new(record);
    console.data(exporter.export(&CallsReport { record, figures: &figures }).trim_end())
}

fn budget(method: &Method) -> Budget {
    let base = if method.quick { Budget::quick() } else { Budget::default() };
    Budget { blocks: method.blocks.map_or(base.blocks, usize::from), ..base }
}

/// Notes for readers of these rows.
fn remarks(chosen: &[(BuiltRow, CallsRow)]) -> Vec<String> {
    let has = |wanted: &[Variant]| {
        chosen.iter().any(|(one, _)| matches!(&one.row, Row::Variant(variant) if wanted.contains(variant)))
    };
    let mut remarks = vec![
        "`rust` is the function called from Rust, with nothing to cross: what a row takes longer is what its crossing \
         costs, the host's own work for a call included."
            .to_owned(),
    ];
    if has(&[Variant::Core, Variant::Bindgen, Variant::Component]) {
        remarks.push(
            "In a Wasm row, the code itself is also slower: its difference to `rust` is the crossing plus slower code."
                .to_owned(),
        );
    }
    if has(&[Variant::Pool, Variant::Async]) {
        remarks.push(
            "Calls are made one at a time: run without --in-process to see what `1:pool` and `3:async` carry under load."
                .to_owned(),
        );
    }
    remarks
}

/// The reason for the exit code.
fn outcome(record: &Record) -> Result<()> {
    if record.provenance.interrupted {
        return Err(Failure::Interrupted);
    }
    let mut failed: Vec<String> = Vec::new();
    for function in record.functions.iter().filter(|function| !function.timed.is_empty()) {
        for (row, checked) in record.rows.iter().zip(&function.rows) {
            let name = named(&row.group, &row.label);
            if checked.trouble.is_some() && !failed.contains(&name) {
                failed.push(name);
            }
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(format!("these rows could not be timed: {}", failed.join(", ")))),
    }
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Interrupted => Failure::Interrupted,
        other => Failure::new(other.to_string()),
    }
}
