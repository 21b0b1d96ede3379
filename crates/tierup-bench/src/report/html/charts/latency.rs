//! Latency by percentile, as HdrHistogram plots it: each further decade to the right is ten times rarer. Open loop.

use serde::Serialize;

use super::{Drawing, Line, Look, extent, frame::Frame, frame::Mark};
use crate::{
    analysis::together,
    histogram::Latencies,
    record::{Loop, Record, Slice},
    report::{html::scale::Scale, numbers},
};

/// The same curves as numbers, for the page's script.
#[derive(Serialize)]
pub(in crate::report::html) struct LatencyData {
    /// The greatest `log10(1 / (1 - share))`.
    decades: f64,
    /// How many steps there are over the decades.
    steps: usize,
    rows: Vec<Curve>,
}

#[derive(Serialize)]
struct Curve {
    class: String,
    label: String,
    /// Milliseconds, at even steps over the decades; shorter where too few requests were made to say.
    milliseconds: Vec<f64>,
}

/// Steps to a curve.
const STEPS: usize = 120;
/// Beyond one in 100,000 there are too few requests in any run to say anything.
const MOST_DECADES: f64 = 5.0;

/// `None` where no row carried the rate of the open loop. One that did not has no curve, as it has no latencies in the
/// table: they would be those of a queue that grows for as long as the slice lasts.
pub(in crate::report::html) fn latency(record: &Record, looks: &[Look]) -> Option<(Drawing, LatencyData)> {
    let merged: Vec<(&Look, Latencies)> = looks
        .iter()
        .enumerate()
        .filter_map(|(row, look)| {
            let open: Vec<&Slice> = record.slices(row, Loop::Open).collect();
            Some((look, together(&open, record.settings.rate)?))
        })
        .collect();
    let most = merged.iter().map(|(_, all)| all.count()).max()?;
    let decades = (most as f64).log10().clamp(1.0, MOST_DECADES);
    let curve = |(look, all): &(&Look, Latencies)| Curve {
        class: look.class.clone(),
        label: look.label.clone(),
        milliseconds: milliseconds(all, decades),
    };
    let data = LatencyData { decades, steps: STEPS, rows: merged.iter().map(curve).collect() };
    let lines: Vec<Line> = merged.iter().zip(&data.rows).map(|((look, _), curve)| line(look, curve, decades)).collect();
    let extent = extent(lines.iter().flat_map(Line::values))?;
    let words = words(&merged);
    let drawing = Drawing::of(|size| {
        let frame = Frame::new(size, lines.len());
        let mut svg = frame.svg(&words);
        let along = Scale::linear(decades, frame.along());
        let up = Scale::logarithmic(extent, frame.up());
        frame.vertical_axis(&mut svg, &up, "ms");
        for (at, text) in percentiles(decades) {
            frame.horizontal_tick(&mut svg, along.at(at), &text);
        }
        frame.horizontal_title(&mut svg, "share of requests answered within this time");
        let ((left, right), (bottom, top)) = (frame.along(), frame.up());
        svg.rectangle("plot", (left, top), (right - left, bottom - top));
        frame.lines(&mut svg, &lines, &along, &up, Mark::None);
        svg.finish()
    });
    Some((drawing, data))
}

fn milliseconds(all: &Latencies, decades: f64) -> Vec<f64> {
    let known = (all.count() as f64).log10();
    let at = (0..=STEPS).map(|step| decades * step as f64 / STEPS as f64).take_while(|at| *at <= known + 1e-9);
    // Four digits are more than the histogram has.
    at.filter_map(|at| all.quantile(1.0 - 10_f64.powf(-at))).map(|seconds| (seconds * 1e7).round() / 1e4).collect()
}

fn line<'a>(look: &'a Look, curve: &Curve, decades: f64) -> Line<'a> {
    let points = curve.milliseconds.iter().enumerate();
    Line { look, parts: vec![points.map(|(step, up)| (decades * step as f64 / STEPS as f64, *up)).collect()] }
}

/// The percentiles that the axis names, with their places in decades.
fn percentiles(decades: f64) -> Vec<(f64, String)> {
    let named =
        [(0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %"), (0.99999, "99.999 %")];
    let placed = named.into_iter().map(|(share, text): (f64, &str)| (-(1.0 - share).log10(), text.to_owned()));
    placed.filter(|(at, _)| *at <= decades + 1e-6).collect()
}

fn words(rows: &[(&Look, Latencies)]) -> String {
    let milliseconds = |seconds: Option<f64>| {
        seconds.map_or(numbers::MISSING.to_owned(), |seconds| numbers::significant(seconds * 1e3))
    };
    let row = |(look, all): &(&Look, Latencies)| {
        let (median, p99) = (milliseconds(all.quantile(0.5)), milliseconds(all.quantile(0.99)));
        format!("{}: median {median} ms, 99 % within {p99} ms", look.label)
    };
    format!("Latency by percentile, open loop. {}.", rows.iter().map(row).collect::<Vec<_>>().join("; "))
}
