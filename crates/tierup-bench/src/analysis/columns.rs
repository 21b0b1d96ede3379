//! The columns of the table: which figure each shows, in which unit, and where it comes from. In: a [`Record`]. Out: the
//! columns, the one that decides first.

use tierup_report::numbers;

use super::result::{Better, Column, Figure};
use crate::record::{Loop, Record};

pub(super) fn columns(record: &Record) -> Vec<Column> {
    let closed = || format!("closed loop, {} connections", record.settings.connections);
    let open = || match record.settings.rate {
        Some(rate) => format!("open loop, {} req/s", numbers::rate(rate)),
        None => "open loop".to_owned(),
    };
    let proportional = record.slices(0, Loop::Closed).next().is_some()
        && record
            .blocks
            .iter()
            .flat_map(|block| &block.rows)
            .filter_map(|row| row.memory)
            .all(|memory| memory.peak.proportional.is_some());
    let memory = if proportional { "/proc, PSS at its peak" } else { "/proc, RSS at its peak" };
    let column = |figure, title, unit, from, better| Column { figure, title, unit, from, better };
    vec![
        column(Figure::CpuPerRequest, "CPU per request", "us", "/proc, closed loop".to_owned(), Better::Lower),
        column(Figure::Throughput, "throughput", "req/s", closed(), Better::Higher),
        column(Figure::P99, "p99", "ms", open(), Better::Lower),
        column(Figure::ResponseBytes, "average response", "bytes", closed(), Better::Lower),
        column(Figure::Memory, "memory", "bytes", memory.to_owned(), Better::Lower),
        column(Figure::AverageLatency, "average latency", "ms", open(), Better::Lower),
        column(Figure::P50, "p50", "ms", open(), Better::Lower),
        column(Figure::P95, "p95", "ms", open(), Better::Lower),
        column(Figure::Failures, "failures", "requests", "both loops".to_owned(), Better::Lower),
    ]
}
