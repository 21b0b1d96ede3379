//! The state of a ramp inside processes, as metrics for Prometheus.

use std::time::Duration;

use tierup_ramp::Told;
use tierup_report::prometheus::Metrics;
use tierup_rollout::{InsideCounts, InsideJudge};

/// All metrics. `told` has the counts of the operator's `notify` command.
pub(super) fn metrics(ramp: &str, candidate: &str, judge: &InsideJudge, told: Option<Told>) -> String {
    let mut text = Metrics::default();
    let labels = [("ramp", ramp), ("candidate", candidate)];
    text.head("tierup_inside_share", "gauge", "The part of the calls that the candidate answers, from 0 to 1.");
    text.line("tierup_inside_share", &labels, judge.at().fraction());
    let InsideCounts { calls, sampled, too_large, compared, different, shared, panics, timeouts, lost, deaths, .. } =
        judge.counts();
    let InsideCounts { pairs, control_ns, candidate_ns, .. } = judge.counts();
    for (name, help, count) in [
        ("tierup_inside_calls_total", "Calls of all processes since the ramp began.", calls),
        ("tierup_inside_sampled_total", "Calls that were chosen to be compared.", sampled),
        ("tierup_inside_too_large_total", "Sampled calls that were too large to compare.", too_large),
        ("tierup_inside_compared_total", "Calls that were compared.", compared),
        ("tierup_inside_different_total", "Calls that the candidate answers differently or refuses.", different),
        ("tierup_inside_shared_total", "Calls that were given to the candidate.", shared),
        ("tierup_inside_panics_total", "Panics of the candidate in its share of the calls.", panics),
        ("tierup_inside_timeouts_total", "Calls that the candidate did not answer in time.", timeouts),
        ("tierup_inside_lost_total", "Calls that the candidate lost otherwise.", lost),
        ("tierup_inside_deaths_total", "Processes that ended in a call of the candidate.", deaths),
        ("tierup_inside_pairs_total", "Pairs of timed calls, one of each side.", pairs),
    ] {
        text.one(name, "counter", help, count);
    }
    let seconds = "tierup_inside_pairs_seconds_total";
    text.head(seconds, "counter", "The time that the calls of all pairs took.");
    for (side, nanoseconds) in [("control", control_ns), ("candidate", candidate_ns)] {
        text.line(seconds, &[("side", side)], Duration::from_nanos(nanoseconds).as_secs_f64());
    }
    told.iter().for_each(|told| told.metrics(&mut text));
    text.into_text()
}
