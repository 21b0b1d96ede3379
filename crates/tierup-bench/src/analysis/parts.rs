//! The parts of a gain, as the report and `report.json` show them. [`super::gain`] computes them.

use serde::Serialize;
use tierup_report::numbers::short;

/// Where a group's gain comes from. All figures are CPU microseconds per request in the closed loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// The reference's CPU per request.
    pub reference: f64,
    /// The parts, each of which usually starts at the row of the one before. Algorithms are last, as they start at
    /// earlier rows.
    pub parts: Vec<Part>,
    /// The index of the row whose function costs nothing, and its CPU per request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floor: Option<(usize, f64)>,
    /// All parts in one line.
    pub sentence: String,
}

/// The CPU that one row saves over another that differs from it in one thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Part {
    pub cause: Cause,
    /// The cause in words: `better JavaScript (0:tuned)`.
    pub name: String,
    /// The index of the row that it starts at. `before` is that row's CPU per request.
    pub from: usize,
    pub before: f64,
    /// The index of the row with this change. `after` is that row's CPU per request.
    pub row: usize,
    pub after: f64,
    /// `before` minus `after`; negative if the row takes more.
    pub saved: f64,
    /// The interval of `saved`. The intervals of all parts hold together with 95 %.
    pub interval: (f64, f64),
}

/// The difference between two rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// Better code in the server's own language.
    Code,
    /// Rust, called as on the lowest step.
    Language,
    /// The same Rust, called as on the next step. Wasm's code is also slower than native code.
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
