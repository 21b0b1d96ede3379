//! Marks doubtful figures of a row in a word or two.

use tierup_report::numbers;
use tierup_stats::{Limits, steadiness};

use super::{figures::carried, kept};
use crate::{
    histogram::Latencies,
    record::{Check, Failures, Loop, RateFrom, Record, Role, Slice},
};

/// A generating thread that is busy for more than this share of the time may have sent late.
const BUSY: f64 = 0.9;
/// With fewer answers per bucket than this, counting noise hides any drift.
const ANSWERS_A_BUCKET: u32 = 30;
/// The generator's own lateness is reported if it exceeds this share of a latency and [`LATE_SECONDS`].
const LATE: f64 = 0.2;
const LATE_SECONDS: f64 = 0.001;

pub(super) fn collect(record: &Record, row: usize, failures: &Failures) -> Vec<String> {
    let mut marks = Vec::new();
    if matches!(record.rows[row].check, Check::Different { .. }) {
        marks.push("answers differ".to_owned());
    }
    if generator_bound(record, row) {
        marks.push("generator-bound".to_owned());
    }
    if unsteady(record, row) {
        marks.push("unsteady".to_owned());
    }
    if cold(record, row) {
        marks.push("still warming up".to_owned());
    }
    match did_not_carry(record, row) {
        Some(_) if too_noisy(record).is_some_and(|noisy| noisy.row == row) => marks.push("too noisy".to_owned()),
        Some(rate) => {
            let never = if cannot_carry(record, row).is_some() { "cannot carry" } else { "did not always carry" };
            marks.push(format!("{never} {} req/s", numbers::rate(rate)));
        }
        None => {}
    }
    if kept::estimate(record, row).is_some_and(|kept| kept.is_flattered) {
        marks.push("hit rate of the run, not of the requests".to_owned());
    }
    if failures.total() > 0 {
        marks.push("failures".to_owned());
    }
    marks
}

/// Whether the cost of a request was still falling when measuring began, in most blocks.
pub(super) fn cold(record: &Record, row: usize) -> bool {
    let blocks = record.blocks.iter();
    let warm_ups: Vec<_> = blocks.filter_map(|block| block.rows.get(row)?.warm_up.as_ref()).collect();
    warm_ups.iter().filter(|warm_up| !warm_up.settled).count() * 2 > warm_ups.len()
}

/// The rate of the open loop, if the row carried it in none of the blocks: a row that was only disturbed in one block
/// carries it in others.
pub(super) fn cannot_carry(record: &Record, row: usize) -> Option<f64> {
    let blocks = record.blocks.iter().filter_map(|block| block.rows.get(row)).filter(|row| !row.open.is_empty());
    did_not_carry(record, row).filter(|rate| blocks.into_iter().all(|row| !carried(row.open.iter(), Some(*rate))))
}

/// The rate of the open loop, if the row was loaded at it and did not carry it over all slices together.
pub(super) fn did_not_carry(record: &Record, row: usize) -> Option<f64> {
    let mut open = record.slices(row, Loop::Open).peekable();
    let rate = record.settings.rate?;
    (open.peek().is_some() && !carried(open, Some(rate))).then_some(rate)
}

/// A run whose reference did not carry even the lowest rate.
pub(super) struct TooNoisy {
    pub(super) row: usize,
    pub(super) rate: f64,
    /// The rate as a share of the reference's throughput.
    pub(super) share: f64,
}

/// The rate follows from what the reference carried before. If the reference then does not carry it, other programs took
/// the machine meanwhile, and no latency at a fixed rate means anything.
pub(super) fn too_noisy(record: &Record) -> Option<TooNoisy> {
    let RateFrom::ShareOfReference(share) = record.settings.rate_from else { return None };
    let row = record.rows.iter().position(|row| row.role == Role::Reference)?;
    did_not_carry(record, row).map(|rate| TooNoisy { row, rate, share })
}

/// Whether the load generator, not the server, set the throughput: its busiest thread had no time left, or the
/// processors were used up and it used more of them than the server.
pub(super) fn generator_bound(record: &Record, row: usize) -> bool {
    let slices: Vec<&Slice> = record.slices(row, Loop::Closed).collect();
    if slices.is_empty() {
        return false;
    }
    let sum = |of: &dyn Fn(&Slice) -> f64| slices.iter().map(|slice| of(slice)).sum::<f64>();
    let count = slices.len() as f64;
    let time = sum(&|slice| slice.seconds + slice.drain_seconds) * 1e6 * record.provenance.environment.processors;
    // A server whose process is not known may run on this machine: its CPU is then part of the rest of the machine's.
    let elsewhere = |slice: &Slice| slice.machine_cpu.map(|all| (all - slice.generator_cpu).max(0.0));
    let server = sum(&|slice| slice.server_cpu.or_else(|| elsewhere(slice)).unwrap_or(f64::INFINITY));
    let generator = sum(&|slice| slice.generator_cpu);
    sum(&|slice| slice.generator_busiest) / count > BUSY || (generator > server && (generator + server) / time > BUSY)
}

/// Whether throughput drifted or was uneven in most blocks.
fn unsteady(record: &Record, row: usize) -> bool {
    let (mut looked, mut doubtful) = (0, 0);
    for block in &record.blocks {
        let Some(measured) = block.rows.get(row) else { continue };
        let buckets: Vec<u32> = measured.closed.iter().flat_map(|slice| slice.tenths.iter().copied()).collect();
        let answers: u32 = buckets.iter().sum();
        if buckets.is_empty() || answers < buckets.len() as u32 * ANSWERS_A_BUCKET {
            continue;
        }
        let buckets: Vec<f64> = buckets.into_iter().map(f64::from).collect();
        looked += 1;
        doubtful += usize::from(steadiness(&buckets).is_ok_and(|found| !found.doubts(Limits::default()).is_empty()));
    }
    doubtful * 2 > looked
}

/// How late the generator itself sent at the 99th percentile, in seconds, if that is a large part of the row's p99.
/// Latency counts from the planned time, so it includes this. Both are compared at the same percentile, because a
/// generator that is late once in a hundred times does not move a median.
pub(super) fn late(record: &Record, row: usize) -> Option<f64> {
    let (mut lags, mut latencies) = (Latencies::default(), Latencies::default());
    for slice in record.slices(row, Loop::Open) {
        slice.lags.iter().for_each(|more| lags.merge(more));
        latencies.merge(&slice.latencies);
    }
    let (lag, latency) = lags.quantile(0.99).zip(latencies.quantile(0.99))?;
    (lag > LATE_SECONDS && lag > latency * LATE).then_some(lag)
}
