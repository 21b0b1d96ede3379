//! The parts of a gain, as the report and `report.json` have them. [`super::gain`] computes them.

use serde::Serialize;
use tierup_report::numbers::short;

/// Where a group's gain comes from. CPU microseconds a request, closed loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// What the reference takes.
    pub reference: f64,
    /// Each part, in the order in which they follow from each other. Algorithms are last: they start at rows further up.
    pub parts: Vec<Part>,
    /// The row whose function costs nothing, by index, and what it takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<(usize, f64)>,
    /// All of it in a line.
    pub sentence: String,
}

/// What one row takes less than another that differs from it by one thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    pub cause: Cause,
    /// In words: `better JavaScript (0:tuned)`.
    pub name: String,
    /// The row that it starts at, by index, and what that takes.
    pub from: usize,
    pub before: f64,
    /// The row that has it, by index, and what that takes.
    pub row: usize,
    pub after: f64,
    /// `before` minus `after`: below 0 where the row takes more.
    pub saved: f64,
    /// Of `saved`; the intervals of all parts hold together with 95 %.
    pub interval: (f64, f64),
}

/// What two rows differ by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Better code in the server's own language.
    Code,
    /// Rust, as the lowest step calls it.
    Language,
    /// The same Rust, called as the next step does. The code of Wasm is slower too.
    Crossing,
    /// A server in Rust.
    Server,
    /// Another implementation of the function.
    Algorithm,
}

impl Part {
    /// Whether the interval leaves open which of the two takes less.
    pub fn is_no_difference(&self) -> bool {
        self.interval.0 <= 0.0 && self.interval.1 >= 0.0
    }

    /// `saves 335 us [320, 350]`, `costs 12 us more [9.50, 15]`, `makes no difference`.
    pub fn effect(&self) -> String {
        let (low, high) = self.interval;
        match self.saved {
            _ if self.is_no_difference() => "makes no difference".to_owned(),
            saved if saved < 0.0 => format!("costs {} us more [{}, {}]", short(-saved), short(-high), short(-low)),
            saved => format!("saves {} us [{}, {}]", short(saved), short(low), short(high)),
        }
    }
}
