//! The page's drawings. In: a record, its analysis, and how each row looks. Out: drawings.

mod forest;
mod gain;
mod latency;
mod memory;
mod slices;

pub(super) use forest::{Plot, forests};
pub(super) use gain::gain;
pub(super) use latency::latency;
pub(super) use memory::memory;
pub(super) use slices::{cpu, throughput};

use tierup_report::chart::{Look, Series, Standing, looks as looks_of};

use crate::{
    analysis::{Analysis, RowAnalysis},
    record::Role,
};

/// How each row looks, in the order of the rows.
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
            Role::Alternative | Role::Candidate | Role::Implementation => Standing::Other,
        },
    });
    looks_of(series)
}
