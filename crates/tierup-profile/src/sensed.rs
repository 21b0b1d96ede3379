//! What a profile's sensor is, what it misses, and what it cost. In: ratios of a run with and without the sensor. Out:
//! sentences.

use std::fmt;

use tierup_stats::Ratio;

/// The sensor of a profile that was taken here.
#[derive(Debug, Clone)]
pub struct Sensed {
    /// Its name for people: `py-spy`.
    pub title: String,
    /// What it does not see, as the end of a sentence: `C code that lets the GIL go`. Empty if nothing is known.
    pub misses: String,
    pub slowdown: Slowdown,
}

/// By how much a sensor slowed the server, from blocks with and without it. A ratio is missing where a block has no
/// number for it.
#[derive(Debug, Clone, Copy)]
pub struct Slowdown {
    /// CPU time per request with the sensor, by that without.
    pub cpu: Option<Ratio>,
    /// Requests per second with the sensor, by that without.
    pub throughput: Option<Ratio>,
}

/// `CPU per request +7 % [+5, +9], requests per second -6 % [-8, -4]`.
impl fmt::Display for Slowdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the sign of a zero.
        let percent = |factor: f64| ((factor - 1.0) * 100.0).round() + 0.0;
        let text = |ratio: Ratio| {
            let ends = ratio.interval().map(|ends| format!(" [{:+.0}, {:+.0}]", percent(ends.low), percent(ends.high)));
            format!("{:+.0} %{}", percent(ratio.value()), ends.unwrap_or_default())
        };
        match (self.cpu.map(text), self.throughput.map(text)) {
            (Some(cpu), Some(throughput)) => write!(f, "CPU per request {cpu}, requests per second {throughput}"),
            (Some(cpu), None) => write!(f, "CPU per request {cpu}"),
            (None, Some(throughput)) => write!(f, "requests per second {throughput}"),
            (None, None) => write!(f, "not known, as a block had no answers"),
        }
    }
}

impl Sensed {
    /// `Cost of py-spy while it sampled: CPU per request +7 % [+5, +9], requests per second -6 % [-8, -4].`
    pub(crate) fn cost(&self) -> String {
        format!("Cost of {} while it sampled: {}.", self.title, self.slowdown)
    }
}
