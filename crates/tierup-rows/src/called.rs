//! The rows of a project that a driver calls without a server. Each row has its own driver process, so that rows share
//! neither a heap nor a compiler's cache.

use std::{path::Path, sync::Arc, time::Duration};

use tierup_bench::calls::{
    Callable, Called, PlannedCalls, Refusal,
    record::{Answers, CallsRow},
};
use tierup_codegen::{Command, Row, Tier, Variant, Wrapping, abi::content, shims};
use tierup_diagnostic::Failure;
use tierup_project::{FunctionArguments, Loaded};
use tierup_runner::{Call, CallEnding, Error, Interrupts, Observer};

use crate::{BuiltRow, Choice, ProjectRows, build_server};

/// The time limit for the calls of one request to the driver.
const PATIENCE: Duration = Duration::from_secs(60);

/// The calls that all rows make.
pub struct Calls {
    functions: Vec<FunctionArguments>,
    interrupts: Arc<Interrupts>,
}

impl Calls {
    pub fn new(functions: Vec<FunctionArguments>, interrupts: &Arc<Interrupts>) -> Calls {
        Calls { functions, interrupts: Arc::clone(interrupts) }
    }
}

/// Builds the rows. Returns each with its presentation in a benchmark; `notes` get the rows that were left out.
///
/// # Errors
/// The reference, or a row that the user named, is not available.
pub fn called_rows(
    wanted: &ProjectRows,
    notes: &mut Vec<String>,
    observer: &mut dyn Observer,
) -> Result<Vec<(BuiltRow, CallsRow)>, Failure> {
    let mut all = Vec::new();
    for at in wanted.hosts() {
        let rows = match &wanted.choice {
            Choice::These(rows) => {
                let one = |row| in_process(row).and_then(|row| at.build_row(row.clone(), observer));
                let rows = rows.iter().map(one).collect::<Result<Vec<_>, _>>()?;
                build_server(at.loaded, at.settings, observer)?;
                rows
            }
            Choice::Default | Choice::All => {
                let called: Vec<Variant> =
                    Variant::ALL.into_iter().filter(|variant| *variant != Variant::Server).collect();
                let (built, left_out) = at.build_possible(&called, observer)?;
                notes.extend(left_out.iter().map(|(variant, reason)| format!("skipping {variant}: {reason}")));
                let baselines = at.settings.baselines.iter().map(|(label, _)| Row::Baseline(label.clone()));
                baselines.chain(built.into_iter().map(Row::Variant)).map(|row| at.row(row)).collect()
            }
        };
        // Without a baseline, a project has no code of its own to compare with.
        let must_have = !at.settings.baselines.is_empty() || wanted.reference != Row::Baseline(None);
        let place = rows.iter().position(|one| wanted.is_reference(&one.row));
        if must_have && place.is_none() {
            return Err(wanted.missing(at.host, rows.iter().map(|one| one.row.to_string())));
        }
        all.extend(rows.into_iter().enumerate().map(|(index, one)| {
            let answers = match one.row {
                Row::Baseline(_) | Row::Free | Row::Wrapped(_) => Answers::Own,
                Row::Tier(_) | Row::Variant(_) | Row::Alternative(..) => Answers::Alike,
            };
            let (label, group) = (one.row.to_string(), wanted.group(at.host));
            (one, CallsRow { label, group, is_reference: place == Some(index), answers })
        }));
    }
    if all.is_empty() {
        return Err(Failure::usage("there is nothing to call").hint("`tierup hosts` says what each host can do"));
    }
    Ok(all)
}

/// The function alone, followed by all rows.
pub fn planned_calls(
    loaded: &Arc<Loaded>,
    chosen: Vec<(BuiltRow, CallsRow)>,
    alone: &Path,
    calls: &Arc<Calls>,
) -> Vec<PlannedCalls> {
    let row =
        CallsRow { label: shims::ALONE.to_owned(), group: String::new(), is_reference: false, answers: Answers::Alike };
    let command = Command::new(&alone.display().to_string(), []);
    let others = chosen.into_iter().map(|(one, row)| planned(loaded, row, one.driver(), calls));
    std::iter::once(planned(loaded, row, command, calls)).chain(others).collect()
}

fn planned(loaded: &Arc<Loaded>, row: CallsRow, command: Command, calls: &Arc<Calls>) -> PlannedCalls {
    let (loaded, calls, label) = (Arc::clone(loaded), Arc::clone(calls), row.label.clone());
    let start = move || -> Result<Box<dyn Callable>, Refusal> {
        let mut driver = tierup_runner::Caller::new(command.clone(), loaded.work.clone());
        driver.start().map_err(refusal)?;
        let (loaded, calls, label) = (Arc::clone(&loaded), Arc::clone(&calls), label.clone());
        Ok(Box::new(RowCaller { driver, label, loaded, calls }))
    };
    PlannedCalls { row, start: Box::new(start) }
}

struct RowCaller {
    driver: tierup_runner::Caller,
    label: String,
    loaded: Arc<Loaded>,
    calls: Arc<Calls>,
}

impl Callable for RowCaller {
    fn call(&mut self, function: usize, arguments: usize, repeat: u32) -> Result<Called, Refusal> {
        let FunctionArguments { function, lists, .. } = &self.calls.functions[function];
        let call = Call {
            row: &self.label,
            function: *function as u32,
            repeat,
            arguments: &lists[arguments],
            patience: PATIENCE,
        };
        let answer = self.driver.call(&call, &self.calls.interrupts).map_err(refusal)?;
        match answer.ending {
            CallEnding::Ok(encoded) => {
                let output = &self.loaded.project.interface.functions[*function].output.ty;
                Ok(Called { elapsed: answer.elapsed, answer: content(&encoded, output.as_ref()).to_vec() })
            }
            CallEnding::Error(why) => Err(Refusal::Call(format!("a call fails: {why}"))),
            CallEnding::Panic(why) => Err(Refusal::Call(format!("a call panics: {why}"))),
            CallEnding::Refused(why) => Err(Refusal::Call(format!("the host refused the arguments: {why}"))),
            CallEnding::Lost(why) => Err(Refusal::Call(why)),
        }
    }
}

fn refusal(error: Error) -> Refusal {
    match error {
        Error::Interrupted => Refusal::Interrupted,
        other => Refusal::Process(other.to_string()),
    }
}

/// Refuses rows that a driver cannot call or time.
fn in_process(row: &Row) -> Result<&Row, Failure> {
    match row {
        Row::Tier(Tier::Server) | Row::Variant(Variant::Server) => {
            Err(Failure::usage(format!("{row} is a separate server: no host calls the function there"))
                .hint("leave out --in-process to measure servers"))
        }
        Row::Alternative(..) => Err(Failure::usage(format!(
            "{row} is not timed in-process: the row `rust`, which a crossing is compared with, calls the exported function"
        ))
        .hint("leave out --in-process to measure servers")),
        Row::Wrapped(Wrapping::Memo) => Err(Failure::usage(
            "0:memo would answer every timed call from its cache, because a call is repeated to be timed",
        )
        .hint("leave out --in-process to measure servers")),
        _ => Ok(row),
    }
}
