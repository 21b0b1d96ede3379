//! The current figures, as metrics for Prometheus. In: a [`Summary`]. Out: lines.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Duration,
};

use tierup_report::prometheus::Metrics;
use tierup_rollout::{Latencies, Side, Weights, evidence::Pair};

use crate::{
    collector::Connections,
    summary::{LiveSums, SideSums, Summary},
};

/// The upper bounds of the histograms, in seconds: Prometheus' own, and a few more below and above.
const ENDS: [f64; 15] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// All metrics. `is_written` says whether evidence can be written.
pub(crate) fn metrics(summary: &Summary, connections: &Connections, is_written: bool) -> String {
    let mut text = Metrics::default();
    requests(&mut text, summary);
    copies(&mut text, summary);
    sides(&mut text, summary);
    clients(&mut text, connections);
    let weights = summary.now.as_ref().map_or(Weights::CONTROL_ONLY, |now| now.weights);
    text.head("tierup_weight", "gauge", "The part of the clients that a side answers, from 0 to 1.");
    for (side, part) in [(Side::Candidate, weights.candidate), (Side::Twin, weights.twin)] {
        text.line("tierup_weight", &[("side", side.name())], part.fraction());
    }
    let generation = summary.now.as_ref().map_or(0, |now| now.generation);
    text.one("tierup_generation", "gauge", "The generation of the control file in force; 0 without one.", generation);
    let is_stale = u8::from(summary.control_trouble.is_some());
    text.one("tierup_control_file_stale", "gauge", "1 if the control file is stale or cannot be used.", is_stale);
    let is_lost = u8::from(!is_written);
    text.one("tierup_evidence_lost", "gauge", "1 if the last line of evidence could not be written.", is_lost);
    text.into_text()
}

fn requests(text: &mut Metrics, summary: &Summary) {
    let name = "tierup_requests_total";
    text.head(name, "counter", "Requests of clients, by who was to answer and how it ended.");
    for (route, sums) in &summary.routes {
        for (side, LiveSums { answered, errors, silent }) in &sums.live {
            for (outcome, count) in [("answered", answered - errors), ("error", *errors), ("silent", *silent)] {
                text.line(name, &[("route", route), ("side", side.name()), ("outcome", outcome)], count);
            }
        }
    }
}

fn copies(text: &mut Metrics, summary: &Summary) {
    let name = "tierup_copies_total";
    text.head(name, "counter", "Requests of the sample, by the pair of servers and what became of the copy.");
    for (route, sums) in &summary.routes {
        for (pair, sums) in &sums.copies {
            let all = |reasons: &BTreeMap<String, u64>| reasons.values().sum::<u64>();
            let counts = [
                ("same", sums.same),
                ("mismatched", sums.mismatched),
                ("dropped", all(&sums.dropped)),
                ("not_comparable", all(&sums.not_comparable)),
            ];
            for (outcome, count) in counts {
                text.line(name, &[("route", route), ("pair", pair_name(*pair)), ("outcome", outcome)], count);
            }
        }
    }
}

fn sides(text: &mut Metrics, summary: &Summary) {
    let of = |latencies: fn(&SideSums) -> &Latencies| {
        summary.sides.iter().map(move |(side, sums)| (*side, latencies(sums))).filter(|(_, found)| found.count() > 0)
    };
    let live = "From a client's request to the head of its answer.";
    histogram(text, "tierup_request_duration_seconds", live, of(|side| &side.latencies));
    let copies = "From a copy's sending to the head of its answer.";
    histogram(text, "tierup_copy_duration_seconds", copies, of(|side| &side.copy_latencies));
    let name = "tierup_processor_seconds_total";
    text.head(name, "counter", "Processor time of a side's processes, where they are known.");
    for (side, sums) in &summary.sides {
        if let Some((seconds, _)) = sums.processor {
            text.line(name, &[("side", side.name())], seconds);
        }
    }
}

fn clients(text: &mut Metrics, connections: &Connections) {
    let mut line = |name: &str, kind: &str, help: &str, value: &AtomicU64| {
        text.head(name, kind, help);
        text.line(name, &[], value.load(Relaxed));
    };
    let Connections { open, limit, closed, waited } = connections;
    line("tierup_connections", "gauge", "Connections of clients that are open.", open);
    line("tierup_connections_limit", "gauge", "The most connections of clients at a time.", limit);
    let help = "Connections that rested and were closed so that a new client had a place.";
    line("tierup_connections_closed_total", "counter", help, closed);
    let help = "New clients that waited longer than 2 s, as all places were in use.";
    line("tierup_connections_waited_total", "counter", help, waited);
}

fn pair_name(pair: Pair) -> &'static str {
    match pair {
        Pair::Candidate => "candidate",
        Pair::Second => "second",
        Pair::Verify => "verify",
    }
}

/// A histogram. Like the latencies, it is right within 5 %.
fn histogram<'a>(text: &mut Metrics, name: &str, help: &str, sides: impl Iterator<Item = (Side, &'a Latencies)>) {
    text.head(name, "histogram", help);
    for (side, latencies) in sides {
        let side = ("side", side.name());
        let (bucket, all) = (format!("{name}_bucket"), latencies.count());
        for end in ENDS {
            let below = all - latencies.above(Duration::from_secs_f64(end));
            text.line(&bucket, &[side, ("le", &end.to_string())], below);
        }
        text.line(&bucket, &[side, ("le", "+Inf")], all);
        text.line(&format!("{name}_sum"), &[side], latencies.sum().as_secs_f64());
        text.line(&format!("{name}_count"), &[side], all);
    }
}

#[cfg(test)]
mod tests {
    use tierup_rollout::evidence::{Entry, Event, Line, Live, Slot};

    use super::*;

    #[test]
    fn counters_histograms_and_gauges_are_as_prometheus_reads_them() {
        let mut latencies = Latencies::default();
        for millis in [1, 20, 2000] {
            latencies.add(Duration::from_millis(millis));
        }
        let live = Live { route: "GET /\"a\\".into(), side: Side::Control, answered: 3, errors: 1, silent: 2 };
        let weights = Weights::with_twin("5%".parse().expect("a part"));
        let slot = Slot {
            live: vec![live],
            latencies: [(Side::Control, latencies)].into(),
            processor: [(Side::Control, 0.25)].into(),
            weights,
            generation: 7,
            ..Slot::default()
        };
        let mut summary = Summary::default();
        let event = Event::ControlFile { trouble: Some("it is stale".to_owned()) };
        for entry in [Entry::Slot(slot), Entry::Event(event)] {
            summary.take(&Line { number: 1, at: 1, entry });
        }
        let connections = Connections { open: 3.into(), limit: 4096.into(), closed: 2.into(), waited: 1.into() };
        let text = metrics(&summary, &connections, true);
        for line in [
            "# TYPE tierup_requests_total counter",
            "tierup_requests_total{route=\"GET /\\\"a\\\\\",side=\"control\",outcome=\"answered\"} 2",
            "tierup_requests_total{route=\"GET /\\\"a\\\\\",side=\"control\",outcome=\"error\"} 1",
            "tierup_requests_total{route=\"GET /\\\"a\\\\\",side=\"control\",outcome=\"silent\"} 2",
            "tierup_request_duration_seconds_bucket{side=\"control\",le=\"0.0025\"} 1",
            "tierup_request_duration_seconds_bucket{side=\"control\",le=\"1\"} 2",
            "tierup_request_duration_seconds_bucket{side=\"control\",le=\"+Inf\"} 3",
            "tierup_request_duration_seconds_count{side=\"control\"} 3",
            "tierup_processor_seconds_total{side=\"control\"} 0.25",
            "tierup_connections 3",
            "tierup_connections_limit 4096",
            "tierup_connections_closed_total 2",
            "tierup_connections_waited_total 1",
            "tierup_weight{side=\"candidate\"} 0.05",
            "tierup_generation 7",
            "tierup_control_file_stale 1",
            "tierup_evidence_lost 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let sum =
            text.lines().find_map(|line| line.strip_prefix("tierup_request_duration_seconds_sum{side=\"control\"} "));
        let sum: f64 = sum.and_then(|sum| sum.parse().ok()).expect("a number");
        assert!((sum / 2.021 - 1.0).abs() < 0.05, "{sum}");
    }
}
