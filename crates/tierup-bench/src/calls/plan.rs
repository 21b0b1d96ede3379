//! The plan of a run of calls: functions, rows that can be started, and how the time is spent.

use std::time::Duration;

use super::record::CallsRow;
use crate::record::Heading;

/// Everything that a run needs to know beforehand.
pub struct Plan {
    pub heading: Heading,
    /// Notes for the reader about what was left out, and why.
    pub notes: Vec<String>,
    pub functions: Vec<PlannedFunction>,
    /// The first row calls the functions without any crossing. Its answers are the right ones.
    pub rows: Vec<PlannedCalls>,
    pub budget: Budget,
    pub seed: u64,
}

/// A function, and how many argument lists there are for it.
#[derive(Debug, Clone)]
pub struct PlannedFunction {
    pub name: String,
    pub arguments: usize,
    /// Where the argument lists come from, for people.
    pub source: String,
}

/// A row to measure. It is started anew for every block.
pub struct PlannedCalls {
    pub row: CallsRow,
    pub start: Box<dyn FnMut() -> Result<Box<dyn Callable>, Refusal>>,
}

/// A process that makes calls. Dropping it ends it.
pub trait Callable: Send {
    /// Makes the call of a function with one of its argument lists `repeat` times in a row.
    ///
    /// # Errors
    /// There is no value.
    fn call(&mut self, function: usize, arguments: usize, repeat: u32) -> Result<Called, Refusal>;
}

/// Calls that were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The time of all repeats together, measured in the process that makes the calls.
    pub elapsed: Duration,
    /// The answer of the last call.
    pub answer: Vec<u8>,
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is none for these arguments: the function's own error, a panic, a failed check. Other calls continue.
    Call(String),
    /// The process is gone, or could not be started.
    Process(String),
    /// The user ended it.
    Interrupted,
}

/// How the time is spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    pub blocks: usize,
    /// Rounds of a block; every row has its turn in each.
    pub rounds: usize,
    /// The least length of a row's turn. It is longer if one call with each of the turn's argument lists takes longer.
    pub slice: Duration,
    /// Calls of a row and function before the first slice of a block.
    pub warm_up: Duration,
    /// The time that the slowest row may take for one call with each argument list. Lists beyond it are left out.
    pub pass: Duration,
    pub quick: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Budget {
            blocks: 5,
            rounds: 20,
            slice: Duration::from_millis(15),
            warm_up: Duration::from_millis(300),
            pass: Duration::from_secs(1),
            quick: false,
        }
    }
}

impl Budget {
    /// Three short blocks: intervals are wide, but the order of rows shows.
    pub fn quick() -> Self {
        Budget {
            blocks: 3,
            rounds: 9,
            warm_up: Duration::from_millis(150),
            pass: Duration::from_millis(300),
            quick: true,
            ..Budget::default()
        }
    }
}
