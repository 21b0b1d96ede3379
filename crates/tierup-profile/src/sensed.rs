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
    /// Where the same load ran without it, too.
    pub slowdown: Option<Slowdown>,
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
    pub(crate) fn cost(&self) -> Option<String> {
        Some(format!("Cost of {} while it sampled: {}.", self.title, self.slowdown?))
    }
}

#[cfg(test)]
mod tests {
    use tierup_report::{
        Exporter as _, Html, Json, Text,
        text::{Colour, Style},
    };
    use tierup_stats::{Blocks, Confidence};

    use super::*;
    use crate::{FlamePage, Reading, Report, Sample, rank};

    #[test]
    fn the_cost_and_what_is_missed_are_in_every_format() {
        let reading = Reading { seconds_per_sample: Some(0.01), ..Reading::default() };
        let mut profile = crate::read(b"main;hot 300\n", &reading).unwrap();
        let pool = profile.unsampled("the pool");
        profile.add(Sample { stack: pool, weight: 1.0, block: 0, process: 1, thread: 0 });
        profile.set_whole_cpu(8.0);
        let ranking = rank(&profile);
        let blocks = Blocks { candidate: &[110.0, 110.0], control: &[100.0, 100.0] };
        let cpu = blocks.ratio(Confidence::default()).ok();
        let sensed = Sensed {
            title: "spy".to_owned(),
            misses: "locks".to_owned(),
            slowdown: Some(Slowdown { cpu, throughput: None }),
        };
        let report = Report { title: "shop", ranking: &ranking, next: None, sensed: Some(&sensed) };
        let text = Text(Style { width: None, colour: Colour::Plain }).export(&report);
        let page = Html.export(&FlamePage { report, profile: &profile, comparison: None, tierup: "0" });
        let cost = "Cost of spy while it sampled: CPU per request +10 % [+10, +10].";
        let missed = "50.0 % of the CPU was not seen by spy: it does not see locks.";
        let counted = "12.5 % of the CPU is counted, but not sampled by spy: the pool 12.5 %. Functions that cause it own more \
                       than is shown.";
        for output in [text, page.replace("&#43;", "+").replace("&#37;", "%")] {
            assert!(output.contains(cost) && output.contains(missed) && output.contains(counted), "{output}");
        }
        let json: serde_json::Value = serde_json::from_str(&Json.export(&report)).unwrap();
        assert!((json["sensor"]["cpu_per_request"]["value"].as_f64().unwrap() - 1.1).abs() < 1e-9, "{json}");
        assert_eq!(json["doubts"][1], missed);
        assert_eq!(json["verdict"]["kind"], "candidate");
    }
}
