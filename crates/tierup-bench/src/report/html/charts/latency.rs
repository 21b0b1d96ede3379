//! Latency by percentile in the open loop. In: the slices' histograms. Out: a drawing, and its curves for the page's
//! script.

use tierup_report::chart::{self, Distribution, Drawing, LatencyCurves, Look};

use crate::{
    analysis::together,
    histogram::Latencies,
    record::{Loop, Record, Slice},
};

/// `None` where no row carried the rate of the open loop. One that did not has no curve, as it has no latencies in the
/// table: they would be those of a queue that grows for as long as the slice lasts.
pub(in crate::report::html) fn latency(record: &Record, looks: &[Look]) -> Option<(Drawing, LatencyCurves)> {
    let all = looks.iter().enumerate().filter_map(|(row, look)| {
        let open: Vec<&Slice> = record.slices(row, Loop::Open).collect();
        Some(distribution(look, together(&open, record.settings.rate)?))
    });
    chart::latency("Latency by percentile, open loop", &all.collect::<Vec<_>>())
}

fn distribution(look: &Look, latencies: Latencies) -> Distribution<'_> {
    Distribution { look, count: latencies.count(), quantile: Box::new(move |share| latencies.quantile(share)) }
}
