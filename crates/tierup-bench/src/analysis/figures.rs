//! One row's figures, each reduced to one number per block and one for the run.

use super::result::{Figure, has_failed};
use crate::{
    histogram::Latencies,
    record::{BlockRow, Check, Failures, Loop, Record, Slice, Trouble},
};

/// A row that answered less than this share of the planned requests did not carry the rate of the open loop: its queue
/// grew, and its latencies depend on the length of the slice.
const CARRIED: f64 = 0.97;

/// Figures of one row.
#[derive(Debug, Clone)]
pub(super) struct Figures {
    pub(super) blocks: Vec<BlockFigures>,
    /// The latencies of all its slices of the open loop; `None` if it did not carry the rate.
    pub(super) latencies: Option<Latencies>,
    pub(super) failures: Failures,
    pub(super) troubles: Vec<Trouble>,
}

/// The figures of one block; `None` for those that were not measured in it.
#[derive(Debug, Clone, Default)]
pub(super) struct BlockFigures {
    throughput: Option<f64>,
    response_bytes: Option<f64>,
    cpu_per_request: Option<f64>,
    memory: Option<f64>,
    latencies: Option<Latencies>,
    failures: Option<f64>,
}

impl Figures {
    pub(super) fn new(record: &Record, row: usize) -> Figures {
        let rate = record.settings.rate;
        let measured: Vec<&BlockRow> = record.blocks.iter().filter_map(|block| block.rows.get(row)).collect();
        let blocks: Vec<BlockFigures> = measured.iter().map(|block| BlockFigures::new(block, rate)).collect();
        let open: Vec<&Slice> = record.slices(row, Loop::Open).collect();
        let mut failures = Failures::default();
        measured.iter().for_each(|block| failures += block.unmeasured_failures);
        open.iter().copied().chain(record.slices(row, Loop::Closed)).for_each(|slice| failures += slice.failures);
        let mut troubles: Vec<Trouble> = Vec::new();
        for trouble in measured.iter().filter_map(|block| block.trouble.as_ref()) {
            if !troubles.iter().any(|known| known.what == trouble.what) {
                troubles.push(trouble.clone());
            }
        }
        Figures { blocks, latencies: together(&open, rate), failures, troubles }
    }

    /// See [`RowAnalysis::failed`](super::RowAnalysis::failed).
    pub(super) fn failed(&self, check: &Check) -> bool {
        has_failed(check, &self.troubles, &self.failures)
    }

    /// One value per block.
    pub(super) fn by_block(&self, figure: Figure) -> Vec<Option<f64>> {
        self.blocks.iter().map(|block| block.value(figure)).collect()
    }

    /// A latency over all blocks: quantiles of blocks cannot be averaged, histograms can be added.
    pub(super) fn latency(&self, figure: Figure) -> Option<f64> {
        self.latencies.as_ref().and_then(|latencies| latency(latencies, figure))
    }
}

impl BlockFigures {
    fn new(block: &BlockRow, rate: Option<f64>) -> BlockFigures {
        let sum = |of: fn(&Slice) -> f64| block.closed.iter().map(of).sum::<f64>();
        let answered = sum(|slice| slice.answered as f64);
        let per_answer = |total: f64| (answered > 0.0).then(|| total / answered);
        let cpu: Option<f64> = block.closed.iter().map(|slice| slice.server_cpu).sum();
        let seconds = sum(|slice| slice.seconds);
        let open: Vec<&Slice> = block.open.iter().collect();
        let mut failures = block.unmeasured_failures;
        block.closed.iter().chain(&block.open).for_each(|slice| failures += slice.failures);
        let loaded = failures.total() > 0 || !(block.closed.is_empty() && block.open.is_empty());
        BlockFigures {
            throughput: (seconds > 0.0).then(|| sum(|slice| slice.throughput() * slice.seconds) / seconds),
            response_bytes: per_answer(sum(|slice| slice.body_bytes as f64)),
            cpu_per_request: cpu.and_then(per_answer),
            memory: block.memory.map(|memory| memory.peak.proportional.unwrap_or(memory.peak.resident) as f64),
            latencies: together(&open, rate),
            failures: loaded.then(|| failures.total() as f64),
        }
    }

    pub(super) fn value(&self, figure: Figure) -> Option<f64> {
        match figure {
            Figure::Throughput => self.throughput,
            Figure::ResponseBytes => self.response_bytes,
            Figure::Memory => self.memory,
            Figure::CpuPerRequest => self.cpu_per_request,
            Figure::Failures => self.failures,
            Figure::AverageLatency | Figure::P50 | Figure::P95 | Figure::P99 => {
                self.latencies.as_ref().and_then(|latencies| latency(latencies, figure))
            }
        }
    }
}

/// A latency in milliseconds.
fn latency(latencies: &Latencies, figure: Figure) -> Option<f64> {
    let seconds = match figure {
        Figure::AverageLatency => latencies.mean(),
        Figure::P50 => latencies.quantile(0.5),
        Figure::P95 => latencies.quantile(0.95),
        Figure::P99 => latencies.quantile(0.99),
        _ => None,
    };
    seconds.map(|seconds| seconds * 1e3)
}

/// The merged latencies of slices of the open loop; `None` if these did not carry the rate.
pub(crate) fn together(slices: &[&Slice], rate: Option<f64>) -> Option<Latencies> {
    if slices.is_empty() || !carried(slices.iter().copied(), rate) {
        return None;
    }
    let mut all = Latencies::default();
    slices.iter().for_each(|slice| all.merge(&slice.latencies));
    (all.count() > 0).then_some(all)
}

/// Whether slices of the open loop answered their planned requests in time.
///
/// At the end of a slice, as many requests are under way as arrive within one latency, however fast the server is (Little's
/// law). These cannot simply be allowed for: the latency of a server that falls behind grows with its queue, and would
/// excuse the whole queue. So if latency explains the missing answers, the later half of each slice must also show that
/// answers come as fast as requests: by then the first answers have arrived, and a queue would still grow.
///
/// A server that pauses for a moment is behind until it has caught up, and the slice may end just then. A server that
/// falls behind never catches up, so it is enough that any moment of the later half shows no queue. The latencies
/// include the queue of a pause in any case.
pub(crate) fn carried<'a>(slices: impl Iterator<Item = &'a Slice>, rate: Option<f64>) -> bool {
    let Some(rate) = rate else { return false };
    let (mut planned, mut completed, mut under_way, mut caught_up) = (0.0, 0.0, 0.0, 0.0);
    let (mut planned_later, mut completed_later) = (0.0, 0.0);
    for slice in slices {
        planned += rate * slice.seconds;
        completed += slice.completed as f64;
        // With a latency above half a slice, the later half cannot show whether a queue grows.
        under_way += rate * slice.latencies.mean().unwrap_or(0.0).min(slice.seconds / 2.0);
        let later = &slice.tenths[slice.tenths.len() / 2..];
        planned_later += rate * slice.seconds * later.len() as f64 / slice.tenths.len().max(1) as f64;
        completed_later += later.iter().copied().map(f64::from).sum::<f64>();
        caught_up += rate * slice.seconds * most_in_time(slice, rate);
    }
    let in_time = caught_up >= planned * CARRIED;
    let explained = completed + under_way >= planned * CARRIED;
    in_time || (explained && completed_later >= planned_later * CARRIED)
}

/// The share of the requests planned so far that were answered, at the best moment of the later half of a slice.
fn most_in_time(slice: &Slice, rate: f64) -> f64 {
    let tenths = slice.tenths.len();
    let share = |completed: f64, part: usize, parts: usize| {
        (completed / (rate * slice.seconds * part as f64 / parts as f64)).min(1.0)
    };
    let mut completed = 0.0;
    let mut most = share(slice.completed as f64, 1, 1);
    for (index, answered) in slice.tenths.iter().enumerate() {
        completed += f64::from(*answered);
        if (index + 1) * 2 > tenths {
            most = most.max(share(completed, index + 1, tenths));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const RATE: f64 = 1000.0;

    /// A second at [`RATE`] of a server with this latency that can answer this share of the requests.
    fn second(latency: f64, share: f64) -> Slice {
        let mut slice = Slice { seconds: 1.0, tenths: vec![0; 10], ..Slice::default() };
        for turn in 0..RATE as u32 {
            let planned = f64::from(turn) / RATE;
            // The requests that it cannot answer in time make its queue grow.
            let answered = planned / share + latency;
            slice.latencies.record(Duration::from_secs_f64(answered - planned));
            slice.answered += 1;
            if answered < 1.0 {
                slice.completed += 1;
                slice.tenths[(answered * 10.0) as usize] += 1;
            }
        }
        slice
    }

    #[test]
    fn requests_under_way_at_the_end_are_allowed_for() {
        for latency in [0.0001, 0.02, 0.1, 0.35, 0.45] {
            assert!(carried([&second(latency, 1.0)].into_iter(), Some(RATE)), "{latency} s");
        }
    }

    #[test]
    fn a_growing_queue_is_not_carried() {
        for latency in [0.0001, 0.02, 0.1, 0.35] {
            for share in [0.1, 0.5, 0.6, 0.8, 0.9, 0.95, 0.96] {
                assert!(!carried([&second(latency, share)].into_iter(), Some(RATE)), "{share} at {latency} s");
            }
            assert!(carried([&second(latency, 0.98)].into_iter(), Some(RATE)), "{latency} s");
        }
    }

    /// A second at [`RATE`] in which the server pauses once, and then works off the requests that arrived meanwhile.
    fn with_a_stall(from: f64, seconds: f64) -> Slice {
        let mut slice = Slice { seconds: 1.0, tenths: vec![0; 10], ..Slice::default() };
        let mut free: f64 = 0.0;
        for turn in 0..RATE as u32 {
            let planned = f64::from(turn) / RATE;
            // It can carry half as much again as the rate.
            let begins = planned.max(free);
            let begins = if (from..from + seconds).contains(&begins) { from + seconds } else { begins };
            free = begins + 1.0 / (1.5 * RATE);
            slice.latencies.record(Duration::from_secs_f64(free - planned));
            if free < 1.0 {
                slice.completed += 1;
                slice.tenths[(free * 10.0) as usize] += 1;
            }
        }
        slice
    }

    #[test]
    fn a_short_pause_is_not_a_growing_queue_whenever_it_happens() {
        for from in [0.1, 0.3, 0.5, 0.7, 0.85, 0.95] {
            assert!(carried([&with_a_stall(from, 0.1)].into_iter(), Some(RATE)), "from {from} s");
        }
    }

    #[test]
    fn a_slice_without_answers_is_not_carried() {
        assert!(!carried([&Slice { seconds: 1.0, ..Slice::default() }].into_iter(), Some(RATE)));
        assert!(!carried([&second(0.6, 1.0)].into_iter(), Some(RATE)), "no half shows that it keeps up");
    }
}
