//! The report for scripts. In: a [`Report`]. Out: JSON with every function and every row, shares as parts of one.

use serde::Serialize;
use tierup_report::{Exporter, Json, json};

use super::Report;
use crate::{
    bound::Bound,
    profile::Unit,
    rank::{Function, Rest},
    share::Share,
    weights::Whole,
    words,
};

/// Raised when a key changes its meaning or goes.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Document {
    format: u32,
    title: String,
    host: Option<String>,
    /// `seconds` or `samples`.
    unit: &'static str,
    /// `process tree`, `samples above the CPU` or `samples`.
    shares_of: &'static str,
    whole: f64,
    sampled: f64,
    idle: f64,
    blocks: usize,
    doubts: Vec<String>,
    functions: Vec<FunctionView>,
    rest: Vec<RestView>,
}

#[derive(Serialize)]
struct FunctionView {
    function: String,
    file: String,
    line: u32,
    #[serde(rename = "self")]
    itself: ShareView,
    total: ShareView,
    owned: ShareView,
    packages: Vec<String>,
    candidate: bool,
    reason: Option<String>,
    bound: Option<BoundView>,
}

#[derive(Serialize)]
struct RestView {
    what: String,
    #[serde(rename = "self")]
    itself: ShareView,
}

#[derive(Serialize)]
struct ShareView {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

/// Ends that are infinite are left out: JSON has no such number.
#[derive(Serialize)]
struct BoundView {
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    text: String,
}

impl Exporter<Report<'_>> for Json {
    fn export(&self, report: &Report<'_>) -> String {
        let ranking = report.ranking;
        json::pretty(&Document {
            format: FORMAT,
            title: report.title.to_owned(),
            host: ranking.host.clone(),
            unit: match ranking.unit {
                Unit::Seconds => "seconds",
                Unit::Samples => "samples",
            },
            shares_of: match ranking.of {
                Whole::ProcessTree => "process tree",
                Whole::SamplesOverCpu => "samples above the CPU",
                Whole::Samples => "samples",
            },
            whole: ranking.whole,
            sampled: ranking.sampled,
            idle: ranking.idle,
            blocks: ranking.blocks,
            doubts: words::doubts(ranking),
            functions: ranking.functions.iter().map(|function| view(function, report)).collect(),
            rest: ranking
                .rest
                .iter()
                .map(|Rest { what, share: it }| RestView { what: words::whose(what), itself: share(*it) })
                .collect(),
        })
    }
}

fn view(function: &Function, report: &Report<'_>) -> FunctionView {
    let bound = Bound::of(function.owned, report.rewrite);
    let finite = |value: f64| value.is_finite().then_some(value);
    FunctionView {
        function: function.frame.function.clone(),
        file: function.frame.file.clone(),
        line: function.frame.line,
        itself: share(function.itself),
        total: share(function.total),
        owned: share(function.owned),
        packages: function.packages.clone(),
        candidate: function.hindrance.is_none(),
        reason: function.hindrance.as_ref().map(|_| words::prospect(function, report.rewrite)),
        bound: function.hindrance.is_none().then(|| BoundView {
            value: finite(bound.value),
            low: bound.interval.and_then(|(low, _)| finite(low)),
            high: bound.interval.and_then(|(_, high)| finite(high)),
            text: bound.text(),
        }),
    }
}

fn share(share: Share) -> ShareView {
    ShareView {
        value: share.value,
        low: share.interval.map(|(low, _)| low),
        high: share.interval.map(|(_, high)| high),
    }
}
