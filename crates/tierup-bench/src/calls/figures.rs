//! Derives the time of a call from slices, and compares rows. In: a [`Record`]. Out: [`Figures`].
//!
//! In each block, the time of a call is the median over a row's slices with one argument list, then the mean over the
//! lists. So a disturbed slice does not count, but a slow list does. From there on, the block is the unit, as for
//! servers.

use serde::Serialize;
use tierup_stats::{Blocks, Confidence, Estimate, Interval, mean, median, positive_mean_estimate};

use super::record::{Block, Record};

/// Everything that a report shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figures {
    /// The functions, in the order of the record. Those that could not be timed have no rows.
    pub functions: Vec<FunctionFigures>,
    /// How many comparisons share the confidence of 95 %.
    pub comparisons: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FunctionFigures {
    /// The rows, in the order of the record.
    pub rows: Vec<RowFigures>,
}

/// One row's figures, which are missing if it could not be timed.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RowFigures {
    /// Seconds of one call: the geometric mean over blocks, with its interval of 95 %.
    pub seconds: Option<Figure>,
    /// The time divided by the reference's. Together with those of `over_alone`, all intervals of the report hold with
    /// 95 %.
    pub of_reference: Option<Figure>,
    /// Seconds more than the function alone.
    pub over_alone: Option<Figure>,
    /// The time divided by that of the function alone.
    pub of_alone: Option<f64>,
    /// Seconds of a call in each block that counts.
    pub blocks: Vec<f64>,
}

/// A number, and its interval over blocks if there are several.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Figure {
    pub value: f64,
    pub interval: Option<(f64, f64)>,
}

impl Figures {
    /// Derives the figures from the raw results.
    pub fn new(record: &Record) -> Figures {
        let comparisons = comparisons(record);
        let confidence = Confidence::default().shared_by(comparisons);
        let functions = (0..record.functions.len()).map(|function| {
            let times = times(record, function);
            let rows = times.iter().enumerate().map(|(row, mine)| {
                let reference = reference(record, row).map(|reference| &times[reference]);
                let alone = (row > 0).then(|| &times[0]);
                row_figures(mine, reference, alone, confidence)
            });
            FunctionFigures { rows: rows.collect() }
        });
        Figures { functions: functions.collect(), comparisons }
    }
}

fn row_figures(
    mine: &[f64],
    reference: Option<&Vec<f64>>,
    alone: Option<&Vec<f64>>,
    confidence: Confidence,
) -> RowFigures {
    let pair = |other: Option<&Vec<f64>>| other.map(|control| (mine.to_vec(), control.clone()));
    let ratio = |other| {
        let (candidate, control) = pair(other)?;
        Blocks { candidate: &candidate, control: &control }.ratio(confidence).ok()
    };
    let difference = |other| {
        let (candidate, control) = pair(other)?;
        Blocks { candidate: &candidate, control: &control }.difference(confidence).ok()
    };
    RowFigures {
        seconds: positive_mean_estimate(mine, Confidence::default()).ok().map(Figure::from),
        of_reference: ratio(reference)
            .map(|ratio| Figure { value: ratio.value(), interval: ratio.interval().map(ends) }),
        over_alone: difference(alone).map(Figure::from),
        of_alone: ratio(alone).map(|ratio| ratio.value()),
        blocks: mine.to_vec(),
    }
}

/// For each row, the seconds of a call in each complete block; empty for rows that could not be timed.
fn times(record: &Record, function: usize) -> Vec<Vec<f64>> {
    let entry = &record.functions[function];
    let sound: Vec<usize> =
        (0..record.rows.len()).filter(|row| entry.rows[*row].trouble.is_none() && !entry.timed.is_empty()).collect();
    let by_block = |lists: &[usize]| -> Vec<Vec<f64>> {
        let complete = |block: &Block| -> Option<Vec<f64>> {
            sound.iter().map(|row| time(block, function, *row, lists)).collect()
        };
        record.blocks.iter().filter_map(complete).collect()
    };
    let mut blocks = by_block(&entry.timed);
    if let (true, Some(block)) = (blocks.is_empty(), record.blocks.first()) {
        // If the first block was interrupted, only argument lists that all rows were called with count.
        let asked = |list: &usize| sound.iter().all(|row| time(block, function, *row, &[*list]).is_some());
        let lists: Vec<usize> = entry.timed.iter().copied().filter(asked).collect();
        blocks = by_block(&lists);
    }
    let mut times = vec![Vec::new(); record.rows.len()];
    for block in blocks {
        sound.iter().zip(block).for_each(|(row, time)| times[*row].push(time));
    }
    times
}

/// The mean over argument lists of the median over slices; `None` if a list was not called.
fn time(block: &Block, function: usize, row: usize, lists: &[usize]) -> Option<f64> {
    let medians = lists.iter().map(|list| {
        let slices =
            block.slices.iter().filter(|slice| (slice.function, slice.row, slice.arguments) == (function, row, *list));
        let seconds: Vec<f64> = slices.map(|slice| slice.seconds / f64::from(slice.repeat)).collect();
        median(&seconds).ok()
    });
    mean(&medians.collect::<Option<Vec<f64>>>()?).ok()
}

/// The row that this one is compared with.
fn reference(record: &Record, row: usize) -> Option<usize> {
    let same_group = |other: &usize| record.rows[*other].group == record.rows[row].group;
    let found = (1..record.rows.len()).filter(same_group).find(|other| record.rows[*other].is_reference)?;
    (row > 0 && found != row).then_some(found)
}

/// The number of comparisons, each with an interval: of every row with its reference and with the function alone.
fn comparisons(record: &Record) -> u32 {
    let timed = |function: &&super::record::Function| !function.timed.is_empty();
    let of_function = |function: &super::record::Function| {
        let rows = (1..record.rows.len()).filter(|row| function.rows[*row].trouble.is_none());
        rows.map(|row| 1 + u32::from(reference(record, row).is_some())).sum::<u32>()
    };
    record.functions.iter().filter(timed).map(of_function).sum()
}

fn ends(interval: Interval) -> (f64, f64) {
    (interval.low, interval.high)
}

impl From<Estimate> for Figure {
    fn from(estimate: Estimate) -> Figure {
        Figure { value: estimate.value, interval: estimate.interval.map(ends) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_above_zero_however_wild_the_blocks_are() {
        let seconds = [10.2e-6, 12.5e-6, 91.8e-6];
        let figure = row_figures(&seconds, None, None, Confidence::default()).seconds.unwrap();
        let (low, high) = figure.interval.unwrap();
        assert!(0.0 < low && low < figure.value && figure.value < high, "{figure:?}");
    }
}
