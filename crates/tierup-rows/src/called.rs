//! A row that makes calls. Each row has its own driver process, so that rows share neither a heap nor a compiler's
//! cache.

use std::{path::Path, sync::Arc, time::Duration};

use tierup_bench::calls::{
    Callable, Called, PlannedRow, Refusal,
    record::{Answers, CallsRow},
};
use tierup_build::CalledRow;
use tierup_codegen::{Command, Row, abi::content, shims};
use tierup_project::{FunctionArguments, Loaded};
use tierup_runner::{Call, CallEnding, Error, Interrupts};

/// The time limit of one request's calls.
const PATIENCE: Duration = Duration::from_secs(60);

/// The calls, shared by all rows.
pub struct Calls {
    functions: Vec<FunctionArguments>,
    interrupts: Arc<Interrupts>,
}

impl Calls {
    pub fn new(functions: Vec<FunctionArguments>, interrupts: &Arc<Interrupts>) -> Calls {
        Calls { functions, interrupts: Arc::clone(interrupts) }
    }
}

/// The function alone first, then all rows.
pub fn planned_calls(
    loaded: &Arc<Loaded>,
    chosen: Vec<CalledRow>,
    alone: &Path,
    calls: &Arc<Calls>,
) -> Vec<PlannedRow> {
    let row =
        CallsRow { label: shims::ALONE.to_owned(), group: String::new(), is_reference: false, answers: Answers::Alike };
    let command = Command::new(&alone.display().to_string(), []);
    let first = planned(loaded, row, command, calls);
    let others = chosen.into_iter().filter_map(|one| {
        let settings = loaded.host(one.host.name())?;
        let (_, command) = one.host.driver(&loaded.project, settings);
        let answers = match one.row {
            Row::Baseline(_) | Row::Free | Row::Wrapped(_) => Answers::Own,
            Row::Tier(_) | Row::Variant(_) | Row::Alternative(..) => Answers::Alike,
        };
        let (label, group) = (one.row.to_string(), one.group.to_owned());
        let row = CallsRow { label, group, is_reference: one.is_reference, answers };
        Some(planned(loaded, row, command, calls))
    });
    std::iter::once(first).chain(others).collect()
}

fn planned(loaded: &Arc<Loaded>, row: CallsRow, command: Command, calls: &Arc<Calls>) -> PlannedRow {
    let (loaded, calls, label) = (Arc::clone(loaded), Arc::clone(calls), row.label.clone());
    let start = move || -> Result<Box<dyn Callable>, Refusal> {
        let mut driver = tierup_runner::Caller::new(command.clone(), loaded.work.clone());
        driver.start().map_err(refusal)?;
        let (loaded, calls, label) = (Arc::clone(&loaded), Arc::clone(&calls), label.clone());
        Ok(Box::new(RowCaller { driver, label, loaded, calls }))
    };
    PlannedRow { row, start: Box::new(start) }
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
