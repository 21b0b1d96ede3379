//! What to time, and how long: functions, rows that can be started, and the budget.

use std::time::Duration;

use super::record::CallsRow;
use crate::record::Heading;

/// Everything that a run needs to know beforehand.
pub struct Plan {
    pub heading: Heading,
    /// What a reader must know beforehand: what was left out, and why.
    pub notes: Vec<String>,
    pub functions: Vec<PlannedFunction>,
    /// The first one calls the functions without any crossing; its answers are those that others must give.
    pub rows: Vec<PlannedCalls>,
    pub budget: Budget,
    pub seed: u64,
}

/// A function, and how many argument lists there are for it.
#[derive(Debug, Clone)]
pub struct PlannedFunction {
    pub name: String,
    pub arguments: usize,
    /// Where they come from, for people.
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
    /// Where there is no value.
    fn call(&mut self, function: usize, arguments: usize, repeat: u32) -> Result<Called, Refusal>;
}

/// Calls that were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// For all repeats together, measured in the process that makes the calls.
    pub elapsed: Duration,
    /// The last call's.
    pub answer: Vec<u8>,
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// There is none for these arguments: the function's own error, a panic, a failed check. Other calls go on.
    Call(String),
    /// The process is gone, or never came.
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
    /// How long a row's turn is, at least: it is longer where the argument lists of a turn take longer, once each.
    pub slice: Duration,
    /// Calls of a row and function before the first slice of a block.
    pub warm_up: Duration,
    /// The time that the slowest row may take for one call with each argument list; beyond it, lists are left out.
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
    /// Three short blocks: intervals are wide, but the order of things shows.
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
