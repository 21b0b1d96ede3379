//! The report for scripts. In: a [`Report`]. Out: JSON with every function and every row, shares as parts of one.

use serde::Serialize;
use tierup_codegen::Allocations;
use tierup_report::{Exporter, Json, json};
use tierup_stats::{Estimate, Ratio};

use super::Report;
use crate::{
    bound::Bound,
    profile::Unit,
    rank::{CallCost, Function, Rest},
    routes::RouteCost,
    sensed::{Allocated, Sensed},
    share::Share,
    verdict::Verdict,
    weights::Whole,
    words,
};

/// Incremented when a key changes its meaning or is removed.
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
    /// The sensor, if tierup took the profile.
    sensor: Option<SensorView>,
    /// The cost of a call of Rust, if calls were counted.
    call_cost: Option<CallCostView>,
    verdict: VerdictView,
    functions: Vec<FunctionView>,
    rest: Vec<RestView>,
    /// The cost of each route, if several were requested.
    routes: Option<Vec<RouteView>>,
}

/// Ratios of blocks with the sensor to those without it.
#[derive(Serialize)]
struct SensorView {
    title: String,
    misses: String,
    cpu_per_request: Option<FigureView>,
    requests_per_second: Option<FigureView>,
    /// `null` if the sensor does not count allocations.
    allocated_per_request: Option<AllocatedView>,
}

#[derive(Serialize)]
struct AllocatedView {
    /// `bytes` or `objects`.
    unit: &'static str,
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct FigureView {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

#[derive(Serialize)]
struct CallCostView {
    microseconds: f64,
    /// Microseconds of CPU.
    cpu_per_request: Option<f64>,
    variant: String,
    measured: String,
}

#[derive(Serialize)]
struct VerdictView {
    /// `candidate`, `nothing is worth a rewrite`, `nothing that was seen is worth a rewrite` or `no candidate`.
    kind: &'static str,
    function: Option<String>,
    bound: Option<BoundView>,
    text: Vec<String>,
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
    /// Calls in single requests, if the function was watched and called.
    calls_per_request: Option<f64>,
    could_cross: Option<bool>,
    candidate: bool,
    reason: Option<String>,
    bound: Option<BoundView>,
}

#[derive(Serialize)]
struct RouteView {
    route: String,
    /// Its share of the requests.
    requests: f64,
    /// Microseconds.
    cpu_per_request: FigureView,
    of_cpu: ShareView,
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

/// Infinite ends are left out, as JSON has no infinity.
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
            doubts: super::doubts(report),
            sensor: report.sensed.map(sensor),
            call_cost: ranking.call_cost.as_ref().map(call_cost),
            verdict: verdict(report),
            functions: ranking.functions.iter().map(view).collect(),
            rest: ranking
                .rest
                .iter()
                .map(|Rest { what, share: it }| RestView { what: words::whose(what), itself: share(*it) })
                .collect(),
            routes: report.routes.map(|found| found.routes.iter().map(route).collect()),
        })
    }
}

fn route(found: &RouteCost) -> RouteView {
    let Estimate { value, interval, .. } = found.cpu;
    let (low, high) = (interval.map(|ends| ends.low), interval.map(|ends| ends.high));
    RouteView {
        route: found.name.clone(),
        requests: found.requests,
        cpu_per_request: FigureView { value, low, high },
        of_cpu: share(found.share),
    }
}

fn sensor(sensed: &Sensed) -> SensorView {
    let view = |ratio: Ratio| {
        let ends = ratio.interval();
        FigureView { value: ratio.value(), low: ends.map(|ends| ends.low), high: ends.map(|ends| ends.high) }
    };
    let slowdown = sensed.slowdown.filter(|slowdown| !slowdown.is_disturbed());
    SensorView {
        title: sensed.title.clone(),
        misses: sensed.not_sampled.clone(),
        cpu_per_request: slowdown.and_then(|slowdown| slowdown.cpu).map(view),
        requests_per_second: slowdown.and_then(|slowdown| slowdown.throughput).map(view),
        allocated_per_request: sensed.allocated.and_then(allocated),
    }
}

fn allocated(allocated: Allocated) -> Option<AllocatedView> {
    let unit = match allocated.unit {
        Allocations::Uncounted => return None,
        Allocations::Bytes => "bytes",
        Allocations::Objects => "objects",
    };
    let Estimate { value, interval, .. } = allocated.per_request?;
    let (low, high) = (interval.map(|ends| ends.low), interval.map(|ends| ends.high));
    Some(AllocatedView { unit, value, low, high })
}

fn call_cost(cost: &CallCost) -> CallCostView {
    let CallCost { microseconds, cpu_per_request, variant, measured } = cost.clone();
    CallCostView { microseconds, cpu_per_request, variant, measured }
}

fn verdict(report: &Report<'_>) -> VerdictView {
    let verdict = report.ranking.verdict();
    let best = match verdict {
        Verdict::Candidate(function, bound) | Verdict::NothingIsWorthIt(function, bound) => Some((function, bound)),
        Verdict::NoCandidate => None,
    };
    VerdictView {
        kind: verdict.kind(report.ranking),
        function: best.map(|(function, _)| function.frame.function.clone()),
        bound: best.map(|(_, bound)| of_bound(bound)),
        text: verdict.text(report.ranking),
    }
}

fn of_bound(bound: Bound) -> BoundView {
    let finite = |value: f64| value.is_finite().then_some(value);
    BoundView {
        value: finite(bound.value),
        low: bound.interval.and_then(|(low, _)| finite(low)),
        high: bound.interval.and_then(|(_, high)| finite(high)),
        text: bound.text(),
    }
}

fn view(function: &Function) -> FunctionView {
    FunctionView {
        function: function.frame.function.clone(),
        file: function.frame.file.clone(),
        line: function.frame.line,
        itself: share(function.itself),
        total: share(function.total),
        owned: share(function.owned),
        packages: function.packages.clone(),
        calls_per_request: function.observed.as_ref().and_then(|observed| observed.calls),
        could_cross: function.observed.as_ref().and_then(|observed| Some(observed.problems.as_ref()?.is_empty())),
        candidate: function.hindrance.is_none(),
        reason: function.hindrance.as_ref().map(|_| words::prospect(function)),
        bound: function.hindrance.is_none().then(|| of_bound(Bound::new(function.owned, function.rewrite))),
    }
}

fn share(share: Share) -> ShareView {
    ShareView {
        value: share.value,
        low: share.interval.map(|(low, _)| low),
        high: share.interval.map(|(_, high)| high),
    }
}
