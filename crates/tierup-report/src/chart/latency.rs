//! Latency by percentile, as HdrHistogram plots it: each decade to the right is ten times rarer. In: latency
//! distributions. Out: a [`Drawing`], and the curves as numbers for the page's script.

use serde::Serialize;

use super::{Along, Drawing, Line, LineChart, Look, Marks, Up};
use crate::numbers;

/// The `id` of the figure whose values the page's script shows on hover. [`CURVES`] is that of the element with its
/// [`LatencyCurves`] as JSON.
pub const LATENCY: &str = "latency";
pub const CURVES: &str = "latency-data";

/// The latencies of one series.
pub struct Distribution<'a> {
    pub look: &'a Look,
    /// Number of requests.
    pub count: u64,
    /// The time within which a share (0..=1) of the requests was answered, in seconds; `None` if there are none.
    pub quantile: Box<dyn Fn(f64) -> Option<f64> + 'a>,
}

/// The same curves as numbers, for the page's script.
#[derive(Serialize)]
pub struct LatencyCurves {
    /// The greatest `log10(1 / (1 - share))`.
    decades: f64,
    /// Number of steps over all decades.
    steps: usize,
    rows: Vec<Curve>,
}

#[derive(Serialize)]
struct Curve {
    class: String,
    label: String,
    /// Milliseconds, at equal steps over the decades; shorter if there are too few requests for the last ones.
    milliseconds: Vec<f64>,
}

/// Steps per curve.
const STEPS: usize = 120;
/// No run has enough requests for percentiles beyond one in 100,000.
const MOST_DECADES: f64 = 5.0;

/// `None` if there is no distribution, or all are empty. `title` says what was measured.
pub fn latency(title: &str, all: &[Distribution<'_>]) -> Option<(Drawing, LatencyCurves)> {
    let most = all.iter().map(|one| one.count).max()?;
    let decades = (most as f64).log10().clamp(1.0, MOST_DECADES);
    let curve = |one: &Distribution<'_>| Curve {
        class: one.look.class.clone(),
        label: one.look.label.clone(),
        milliseconds: milliseconds(one, decades),
    };
    let curves = LatencyCurves { decades, steps: STEPS, rows: all.iter().map(curve).collect() };
    let lines: Vec<Line> = all.iter().zip(&curves.rows).map(|(one, curve)| line(one.look, curve, decades)).collect();
    let named = percentiles(decades);
    let chart = LineChart {
        words: &words(title, all),
        lines: &lines,
        unit: "ms",
        title: "share of requests answered within this time",
        along: Along::Places { end: decades, named: &named },
        up: Up::Logarithmic,
        marks: Marks::None,
    };
    Some((chart.draw()?, curves))
}

fn milliseconds(all: &Distribution<'_>, decades: f64) -> Vec<f64> {
    let known = (all.count as f64).log10();
    let at = (0..=STEPS).map(|step| decades * step as f64 / STEPS as f64).take_while(|at| *at <= known + 1e-9);
    // Four decimals are more than the histogram's resolution.
    at.filter_map(|at| (all.quantile)(1.0 - 10_f64.powf(-at))).map(|seconds| (seconds * 1e7).round() / 1e4).collect()
}

fn line<'a>(look: &'a Look, curve: &Curve, decades: f64) -> Line<'a> {
    let points = curve.milliseconds.iter().enumerate();
    Line { look, parts: vec![points.map(|(step, up)| (decades * step as f64 / STEPS as f64, *up)).collect()] }
}

/// The percentiles to label, with their places in decades.
fn percentiles(decades: f64) -> Vec<(f64, String)> {
    let named =
        [(0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.99999, "99.999 %")];
    let placed = named.into_iter().map(|(share, text): (f64, &str)| (-(1.0 - share).log10(), text.to_owned()));
    placed.filter(|(at, _)| *at <= decades + 1e-6).collect()
}

fn words(title: &str, all: &[Distribution<'_>]) -> String {
    let milliseconds = |seconds: Option<f64>| {
        seconds.map_or(numbers::MISSING.to_owned(), |seconds| numbers::significant(seconds * 1e3))
    };
    let one = |one: &Distribution<'_>| {
        let (median, p99) = (milliseconds((one.quantile)(0.5)), milliseconds((one.quantile)(0.99)));
        format!("{}: median {median} ms, 99 % within {p99} ms", one.look.label)
    };
    format!("{title}. {}.", all.iter().map(one).collect::<Vec<_>>().join("; "))
}
