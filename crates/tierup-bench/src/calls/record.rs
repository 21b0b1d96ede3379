//! The raw results of a run of calls, as they are stored. Times are seconds, sizes bytes.

use serde::{Deserialize, Serialize};

use crate::record::Provenance;

/// The version of this format.
pub const FORMAT: u32 = 1;

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    #[serde(flatten)]
    pub provenance: Provenance,
    pub settings: Settings,
    /// Notes for the reader about what was left out, and why.
    pub notes: Vec<String>,
    pub functions: Vec<Function>,
    /// In the order of the table. The first calls the functions without any crossing; the others refer to rows by their index here.
    pub rows: Vec<CallsRow>,
    /// The finished blocks, and the finished part of a block that was interrupted.
    pub blocks: Vec<Block>,
}

impl Record {
    /// The record, with `mask` applied to every text that may contain a part of an argument or an answer.
    pub fn masked(&self, mask: &dyn Fn(&str) -> String) -> Record {
        let mut record = self.clone();
        let rows = record.functions.iter_mut().flat_map(|function| &mut function.rows);
        let troubles = rows.filter_map(|row| row.trouble.as_mut());
        record.notes.iter_mut().chain(troubles).for_each(|text| *text = mask(text));
        record
    }
}

/// How it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The seed of every random choice: the order of rows and argument lists.
    pub seed: u64,
    pub blocks: usize,
    pub rounds: usize,
    pub slice_seconds: f64,
    pub warm_up_seconds: f64,
    /// Whether this was the short form.
    pub quick: bool,
}

/// A function that was called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    /// Where its arguments come from, for people.
    pub source: String,
    /// The argument lists that were timed, by their index among all that were found.
    pub timed: Vec<usize>,
    /// How many further lists the function itself answers with an error.
    pub refused: usize,
    /// How many further lists were left out to keep a slow row within the time.
    pub left_out: usize,
    /// The outcome of the check for each row of the run.
    pub rows: Vec<Checked>,
}

/// The outcome of the check before measuring, for a row and a function.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    /// Bytes of an answer, on average over the argument lists that were timed.
    pub answer_bytes: Option<f64>,
    /// Why it is not timed, or not further: a wrong answer, a process that ended.
    pub trouble: Option<String>,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallsRow {
    pub label: String,
    /// Rows are compared within their group, e.g. their host. Empty if there is only one, and for the first row.
    pub group: String,
    /// Whether the others of its group are compared with it.
    pub is_reference: bool,
    pub answers: Answers,
}

/// Which answers a row must give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answers {
    /// Its own: they are not compared.
    Own,
    /// The same bytes as the function alone.
    Alike,
}

/// One block: fresh processes, with all rows taking turns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// The slices in the order in which they were made, without warm-up.
    pub slices: Vec<Slice>,
}

/// Calls of one row with one argument list.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    pub function: usize,
    pub round: usize,
    pub row: usize,
    /// The argument list, by its index among all that were found.
    pub arguments: usize,
    pub repeat: u32,
    /// The time of all repeats together.
    pub seconds: f64,
}
