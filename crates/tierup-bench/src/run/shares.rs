//! Time is spent where intervals are wide: how long each row's slices are, from the third block on.

use tierup_stats::{Progress, share_of_time};

use crate::{
    analysis::{Figure, analyse},
    record::{Loop, Record},
};

/// With two blocks, intervals are too wide to say which rows need time.
const BLOCKS: usize = 3;
/// Each row keeps at least this part of an equal share.
const FLOOR: f64 = 0.6;
/// No row gets more than this many equal shares: slices of very different lengths do not meet the same machine.
const MOST: f64 = 2.0;

/// For each row, the factor by which its slices are longer or shorter than planned; all 1 while nothing is known.
pub(super) fn factors(record: &Record, remaining_seconds: f64) -> Vec<f64> {
    let rows = record.rows.len();
    let equal = vec![1.0; rows];
    if record.blocks.len() < BLOCKS {
        return equal;
    }
    let analysis = analyse(record);
    let progress: Vec<Progress> = (0..rows)
        .map(|row| {
            let interval = analysis.cell(row, Figure::Throughput).and_then(|cell| cell.ratio_interval);
            let slices: Vec<f64> = record.slices(row, Loop::Closed).map(|slice| slice.seconds).collect();
            Progress {
                // Of the ratio's logarithm, so that a ratio and its inverse count alike.
                relative_half_width: interval
                    .map(|(low, high)| (high / low).sqrt() - 1.0)
                    .filter(|width| width.is_finite()),
                slices: slices.len() as u32,
                seconds_per_slice: (slices.iter().sum::<f64>() / slices.len().max(1) as f64).max(0.01),
            }
        })
        .collect();
    match share_of_time(&progress, remaining_seconds.max(0.01), FLOOR) {
        Ok(shares) => shares.into_iter().map(|share| (share * rows as f64).min(MOST)).collect(),
        Err(_) => equal,
    }
}
