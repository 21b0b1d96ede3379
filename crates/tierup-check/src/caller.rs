//! Calls functions through a driver, and returns observations.
//!
//! A function that takes a count, such as `text.repeat(count)`, gets counts of every size, so a call may use any amount
//! of time and memory. Therefore generated inputs have a budget at each row.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    time::{Duration, Instant},
};

use tierup_codegen::{Command, abi::Value};
use tierup_diagnostic::{Failure, Result};
use tierup_model::{Function, Interface};
use tierup_parity::{Call, Observation, Outcome, Seen, Silence};
use tierup_runner::{Call as DriverCall, CallEnding, Error, Interrupts};

use super::inputs::Input;

pub(crate) struct Caller<'a> {
    calls: tierup_runner::Caller,
    /// The driver of the last row with an alternative: the environment selects it when the process starts.
    apart: Option<(String, tierup_runner::Caller)>,
    command: Command,
    root: PathBuf,
    pub(crate) interface: &'a Interface,
    interrupts: &'a Interrupts,
    /// Number of calls in a row without an answer.
    lost: usize,
    /// What the row's generated inputs have used so far.
    budget: Budget,
}

/// The time limit of one call.
const PATIENCE: Duration = Duration::from_secs(10);
/// After this many calls without an answer, the row gets no more calls.
const MOST_LOST: usize = 5;

impl<'a> Caller<'a> {
    pub(crate) fn new(command: Command, root: PathBuf, interface: &'a Interface, interrupts: &'a Interrupts) -> Self {
        let calls = tierup_runner::Caller::new(at(command.clone(), ""), root.clone());
        Caller { calls, apart: None, command, root, interface, interrupts, lost: 0, budget: Budget::default() }
    }

    /// A copy with a driver of its own.
    pub(crate) fn another(&self) -> Self {
        Caller::new(self.command.clone(), self.root.clone(), self.interface, self.interrupts)
    }

    /// Resets the counters for the next row.
    pub(crate) fn next_row(&mut self) {
        self.lost = 0;
        self.budget = Budget::default();
    }

    /// Calls the input's function. Skips a generated input if earlier ones used up the budget.
    pub(crate) fn ask(&mut self, row: &str, input: &Input) -> Result<Observation> {
        let skipped = |why| Ok(Observation::new(Seen::Skipped(why)));
        if !input.origin.is_generated() {
            return self.call(row, input.function, &input.encoded);
        }
        if let Some(why) = self.budget.over(input.function) {
            return skipped(why);
        }
        let began = Instant::now();
        let seen = self.call(row, input.function, &input.encoded)?;
        let length = seen.body().map_or(0, <[u8]>::len);
        match self.budget.spend(input.function, began.elapsed(), length) {
            Some(why) => skipped(why),
            None => Ok(seen),
        }
    }

    /// Makes one call.
    pub(crate) fn call(&mut self, row: &str, function: usize, encoded: &[u8]) -> Result<Observation> {
        if self.lost >= MOST_LOST {
            return Ok(Observation::new(Seen::Skipped(format!("skipped after {MOST_LOST} calls that did not return"))));
        }
        let calls = if row.contains('#') {
            if self.apart.as_ref().is_none_or(|(of, _)| of != row) {
                let calls = tierup_runner::Caller::new(at(self.command.clone(), row), self.root.clone());
                self.apart = Some((row.to_owned(), calls));
            }
            self.apart.as_mut().map_or(&mut self.calls, |(_, calls)| calls)
        } else {
            &mut self.calls
        };
        calls.start()?;
        let asked = DriverCall { row, function: function as u32, repeat: 1, arguments: encoded, patience: PATIENCE };
        let signature = &self.interface.functions[function];
        match calls.call(&asked, self.interrupts) {
            Ok(answer) => {
                self.lost = 0;
                let outcome = outcome(answer.ending, signature, self.interface);
                let seen = Seen::Call(Call::new(outcome, &signature.output, self.interface));
                Ok(Observation { took: Some(answer.elapsed), ..Observation::new(seen) })
            }
            Err(Error::Interrupted) => Err(Failure::Interrupted),
            Err(error) => {
                self.lost += 1;
                Ok(Observation::new(Seen::Nothing(Silence::CallLost(error.to_string()))))
            }
        }
    }
}

/// The driver's command for a row with an alternative; an empty `row` means no alternative.
fn at(mut command: Command, row: &str) -> Command {
    command.environment.push(("TIERUP_TIER".to_owned(), row.to_owned()));
    command
}

/// The outcome of a function's call, with its answer decoded.
pub fn outcome(ending: CallEnding, function: &Function, interface: &Interface) -> Outcome {
    match ending {
        CallEnding::Ok(bytes) => match function.output.ty.as_ref() {
            None => Outcome::Ok(None),
            Some(ty) => match Value::decode(ty, interface, &bytes) {
                Ok(value) => Outcome::Ok(Some(value)),
                Err(error) => Outcome::Lost(format!("its answer does not have the function's type: {error}")),
            },
        },
        CallEnding::Error(message) => Outcome::Error(message),
        CallEnding::Panic(message) => Outcome::Panic(message),
        CallEnding::Refused(message) => Outcome::Refused(message),
        CallEnding::Lost(message) => Outcome::Lost(message),
    }
}

/// The time limit for all generated calls of one function at one row.
const MOST_TIME: Duration = Duration::from_secs(60);
/// The size limit for all their answers. The check keeps the answers of all rows, and each more than once.
const MOST_BYTES: usize = 32 << 20;

/// What each function has used at a row so far.
#[derive(Debug, Default)]
struct Budget {
    spent: BTreeMap<usize, Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    time: Duration,
    bytes: usize,
}

impl Budget {
    /// The reason to skip a call of this function, or `None`.
    pub(crate) fn over(&self, function: usize) -> Option<String> {
        let spent = self.spent.get(&function).filter(|spent| spent.time > MOST_TIME)?;
        let (most, took) = (MOST_TIME.as_secs(), spent.time.as_secs());
        Some(format!("the function's generated calls may take {most} s together, and those before took {took} s"))
    }

    /// Counts a call. Returns the reason to drop its answer, or `None`.
    pub(crate) fn spend(&mut self, function: usize, time: Duration, bytes: usize) -> Option<String> {
        let spent = self.spent.entry(function).or_default();
        spent.time += time;
        if spent.bytes + bytes > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Some(format!("answers to the function's generated calls may have {most} MiB together"));
        }
        spent.bytes += bytes;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_has_its_own_budget() {
        let mut budget = Budget::default();
        let second = Duration::from_secs(1);
        for _ in 0..60 {
            assert_eq!((budget.over(0), budget.spend(0, second, 1)), (None, None));
        }
        budget.spend(0, second, 1);
        let expected = "the function's generated calls may take 60 s together, and those before took 61 s";
        assert_eq!(budget.over(0).as_deref(), Some(expected));
        assert_eq!(budget.over(1), None);
        // A large answer is dropped; the small ones after it are kept.
        assert!(budget.spend(1, second, 33 << 20).is_some_and(|why| why.contains("32 MiB")));
        assert_eq!(budget.spend(1, second, 32 << 20), None);
        assert!(budget.spend(1, second, 1).is_some());
    }
}
