//! The raw results of one run, as `report.json` stores them. Every figure of a report is derived from them
//! ([`crate::analysis`]), so that `tierup report` can render it again, and others can check the arithmetic.
//!
//! Times are seconds unless a name says otherwise; sizes are bytes; CPU times are microseconds.

mod blocks;
mod provenance;
mod rows;
mod settings;

use serde::{Deserialize, Serialize};

pub use self::{
    blocks::{Block, BlockRow, Failures, Loop, Memory, Reuse, Slice, WarmUp},
    provenance::{Busyness, Environment, Heading, Provenance},
    rows::{Change, Check, Role, RowRecord, named},
    settings::{A_STEP, Cost, Order, RateFrom, Requests, Settings},
};
pub use tierup_subject::{MemorySample, Trouble};

/// The version of this format. A report of another version is refused.
pub const FORMAT: u32 = 1;

/// One run of the benchmark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`FORMAT`].
    pub format: u32,
    #[serde(flatten)]
    pub provenance: Provenance,
    pub settings: Settings,
    pub requests: Requests,
    /// The rows, in the order of the table. Other fields refer to rows by their index here.
    pub rows: Vec<RowRecord>,
    /// The finished blocks, and the finished part of a block that was interrupted.
    pub blocks: Vec<Block>,
}

/// Why a text is not a [`Record`].
#[derive(Debug, thiserror::Error)]
pub enum NoRecord {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("its format is {0}, but this version of tierup reads {FORMAT}")]
    Format(u64),
    #[error("it has no `format`")]
    NoFormat,
}

impl Record {
    /// Reads `report.json`.
    ///
    /// # Errors
    /// The text is not a report, or has another version.
    pub fn read(text: &str) -> Result<Record, NoRecord> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => Ok(serde_json::from_value(value)?),
            Some(format) => Err(NoRecord::Format(format)),
            None => Err(NoRecord::NoFormat),
        }
    }

    /// The slices of one row in all blocks.
    pub fn slices(&self, row: usize, which: Loop) -> impl Iterator<Item = &Slice> {
        self.blocks.iter().filter_map(move |block| block.rows.get(row)).flat_map(move |row| match which {
            Loop::Closed => &row.closed,
            Loop::Open => &row.open,
        })
    }
}

/// An estimate of the factor by which the CPU of a request falls without the function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The group of rows that it is about.
    pub group: String,
    pub function: String,
    /// The source of the estimate: `the profile`.
    pub by: String,
    /// In words: `about 2.9x by its own time [2.3, 3.9]`.
    pub words: String,
    /// `None` if the source gave no number.
    pub value: Option<f64>,
    pub interval: Option<(f64, f64)>,
}

impl Record {
    /// The record, with `mask` applied to every text that may contain a part of a request or an answer.
    pub fn masked(&self, mask: &dyn Fn(&str) -> String) -> Record {
        let mut record = self.clone();
        for row in &mut record.rows {
            match &mut row.check {
                Check::Different { first, .. } => *first = mask(first),
                Check::Failed { trouble } => mask_trouble(trouble, mask),
                Check::Same { .. } | Check::Alone => {}
            }
        }
        let rows = record.blocks.iter_mut().flat_map(|block| &mut block.rows);
        rows.filter_map(|row| row.trouble.as_mut()).for_each(|trouble| mask_trouble(trouble, mask));
        record
    }

    /// The record without the last lines of servers' logs, which may contain anything.
    #[must_use]
    pub fn without_logs(&self) -> Record {
        let mut record = self.clone();
        let checks = record.rows.iter_mut().filter_map(|row| match &mut row.check {
            Check::Failed { trouble } => Some(trouble),
            _ => None,
        });
        let blocks = record.blocks.iter_mut().flat_map(|block| &mut block.rows).filter_map(|row| row.trouble.as_mut());
        checks.chain(blocks).for_each(|trouble| trouble.log.clear());
        record
    }
}

fn mask_trouble(trouble: &mut Trouble, mask: &dyn Fn(&str) -> String) {
    trouble.log.iter_mut().chain([&mut trouble.what]).for_each(|text| *text = mask(text));
}
