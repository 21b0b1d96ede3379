//! The page's drawings. In: a record, its analysis, and how each row looks. Out: drawings.

mod forest;
mod memory;
mod slices;

use tierup_report::{
    chart::{
        self, Bar, BarKind, Distribution, Drawing, LatencyCurves, Look, Series, Standing, Waterfall, looks as looks_of,
    },
    numbers,
};

use crate::{
    analysis::{Analysis, Group, Part, RowAnalysis, together},
    histogram::Latencies,
    record::{Loop, Record, Role, Slice},
};

pub(super) use forest::{Plot, forests};
pub(super) use memory::memory;
pub(super) use slices::{cpu, throughput};

/// The look of each row, in the order of the rows.
pub(super) fn looks(analysis: &Analysis) -> Vec<Look> {
    let label = |row: &RowAnalysis| {
        let group = if analysis.groups.len() > 1 { row.group.as_str() } else { "" };
        format!("{group} {}", row.label).trim().to_owned()
    };
    let labels: Vec<String> = analysis.rows.iter().map(label).collect();
    let series = analysis.rows.iter().zip(&labels).map(|(row, label)| Series {
        name: &row.label,
        label,
        standing: match row.role {
            Role::Reference => Standing::Reference,
            Role::Ceiling => Standing::Bound,
            Role::Alternative | Role::Candidate | Role::Implementation | Role::Revision => Standing::Other,
        },
    });
    looks_of(series)
}

pub(super) fn gain(analysis: &Analysis, group: &Group) -> Option<Drawing> {
    let gain = group.gain.as_ref()?;
    let level = |row: usize, takes: f64, what: &str| Bar {
        name: format!("{}{what}", analysis.rows[row].label),
        value: format!("{} us", numbers::short(takes)),
        from: takes,
        to: 0.0,
        kind: BarKind::Level,
    };
    let mut bars = vec![level(group.reference, gain.reference, "")];
    bars.extend(gain.parts.iter().map(bar));
    bars.extend(gain.floor.map(|(row, takes)| level(row, takes, ": a function that costs nothing")));
    Waterfall { title: "CPU a request, us", words: &gain.sentence, bars }.draw()
}

fn bar(part: &Part) -> Bar {
    let kind = match part.saved {
        _ if part.is_no_difference() => BarKind::Open,
        saved if saved < 0.0 => BarKind::More,
        _ => BarKind::Less,
    };
    Bar { name: part.name.clone(), value: part.effect(), from: part.before, to: part.after, kind }
}

/// `None` if no row carried the rate of the open loop. A row that did not carry it has no curve, as it has no latencies
/// in the table: they would be those of a queue that grows for as long as the slice lasts.
pub(super) fn latency(record: &Record, looks: &[Look]) -> Option<(Drawing, LatencyCurves)> {
    let all = looks.iter().enumerate().filter_map(|(row, look)| {
        let open: Vec<&Slice> = record.slices(row, Loop::Open).collect();
        Some(distribution(look, together(&open, record.settings.rate)?))
    });
    chart::latency("Latency by percentile, open loop", &all.collect::<Vec<_>>())
}

fn distribution(look: &Look, latencies: Latencies) -> Distribution<'_> {
    Distribution { look, count: latencies.count(), quantile: Box::new(move |share| latencies.quantile(share)) }
}
