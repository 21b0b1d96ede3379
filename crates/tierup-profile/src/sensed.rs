//! A profile's sensor: its name, the code that it does not sample, its cost, and its counts beside samples. In: ratios
//! of a run with and without the sensor. Out: sentences.

use std::fmt;

use tierup_codegen::Allocations;
use tierup_report::{numbers, printable};
use tierup_stats::{Estimate, Ratio};

/// The sensor of a profile that was taken here.
#[derive(Debug, Clone)]
pub struct Sensed {
    /// Its name for people: `py-spy`.
    pub title: String,
    /// The code that it does not see, as the end of a sentence: `C code that lets the GIL go`. Empty if nothing is known.
    pub not_sampled: String,
    /// How much it slowed the server, if the same load also ran without it.
    pub slowdown: Option<Slowdown>,
    /// What the server allocated, if tierup sent the requests.
    pub allocated: Option<Allocated>,
    /// How many processors the server kept busy under tierup's load, without the sensor.
    pub busy: Option<f64>,
}

/// The server's allocations per request.
#[derive(Debug, Clone, Copy)]
pub struct Allocated {
    pub unit: Allocations,
    /// `None` if the server's runtime is too old to count.
    pub per_request: Option<Estimate>,
}

/// By how much a sensor slowed the server, from blocks with and without it. A ratio is missing if a block has no number
/// for it.
#[derive(Debug, Clone, Copy)]
pub struct Slowdown {
    /// CPU time per request with the sensor, divided by that without.
    pub cpu: Option<Ratio>,
    /// Requests per second with the sensor, divided by those without.
    pub throughput: Option<Ratio>,
}

/// A sensor never makes a server faster. If a run with it seems faster by more than this, something disturbed the runs.
const NOISE: f64 = 0.1;
/// If an interval contains 1 and its ends differ by more than this factor, the ratio is unknown.
const WIDE: f64 = 2.0;

impl Slowdown {
    /// Whether something other than the sensor made the runs differ, so that their ratios do not show its cost.
    pub fn is_disturbed(&self) -> bool {
        let cheaper = self.cpu.is_some_and(|cpu| cpu.value() < 1.0 - NOISE);
        let faster = self.throughput.is_some_and(|throughput| throughput.value() > 1.0 + NOISE);
        let mut known = [self.cpu, self.throughput].into_iter().flatten().peekable();
        cheaper || faster || (known.peek().is_some() && known.all(is_wide))
    }
}

fn is_wide(ratio: Ratio) -> bool {
    ratio.interval().is_some_and(|ends| ends.low < 1.0 && ends.high > 1.0 && ends.high > WIDE * ends.low)
}

/// `CPU per request +7 % [+5, +9], requests per second -6 % [-8, -4]`.
impl fmt::Display for Slowdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_disturbed() {
            return f.write_str(
                "not known, as other programs disturbed the run: the server did better with it than without, or both differed \
                 from block to block. Repeat it on a quiet machine",
            );
        }
        // Adding 0.0 removes the sign of -0.0.
        let percent = |factor: f64| ((factor - 1.0) * 100.0).round() + 0.0;
        let text = |ratio: Ratio| {
            if is_wide(ratio) {
                return "not known (it differed from block to block)".to_owned();
            }
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

/// A server that keeps fewer processors busy than this under load is mostly idle: at full speed it keeps about one
/// busy.
const IDLE: f64 = 0.2;

impl Sensed {
    /// A warning if the server was mostly idle under load: a CPU profile cannot show what limits it.
    pub(crate) fn idle(&self) -> Option<String> {
        let busy = numbers::significant(self.busy.filter(|busy| *busy < IDLE)?);
        Some(format!(
            "Under this load, the server kept {busy} processors busy: it waits for something else, such as another service, a lock or \
             the network. Less CPU would not make it faster."
        ))
    }

    /// `Cost of py-spy while it sampled: CPU per request +7 % [+5, +9], requests per second -6 % [-8, -4].`
    pub(crate) fn cost(&self) -> Option<String> {
        let slowdown = self.slowdown.filter(|slowdown| !slowdown.is_disturbed())?;
        Some(format!("Cost of {} while it sampled: {slowdown}.", self.title))
    }

    /// Why there is no figure for the cost.
    pub(crate) fn disturbed(&self) -> Option<String> {
        let slowdown = self.slowdown.filter(Slowdown::is_disturbed)?;
        Some(format!("Cost of {} while it sampled: {slowdown}.", printable::line(&self.title)))
    }

    /// `Allocated for each request: 14.2 KiB [14.1 KiB, 14.3 KiB].`
    pub(crate) fn allocated(&self) -> Option<String> {
        let Allocated { unit, per_request } = self.allocated?;
        let unknown = || format!("{} does not count what a request allocates.", printable::line(&self.title));
        let Some(Estimate { value, interval, .. }) = per_request.filter(|_| unit != Allocations::Uncounted) else {
            return Some(unknown());
        };
        let amount = |number: f64| match unit {
            Allocations::Bytes => numbers::bytes(number),
            _ => numbers::count(number),
        };
        let ends = interval.map(|ends| format!(" [{}, {}]", amount(ends.low.max(0.0)), amount(ends.high)));
        let what = if unit == Allocations::Objects { " objects" } else { "" };
        Some(format!("Allocated for each request: {}{what}{}.", amount(value), ends.unwrap_or_default()))
    }
}

#[cfg(test)]
mod tests {
    use tierup_report::{
        Exporter as _, Html, Json, Text,
        text::{Colour, Style},
    };
    use tierup_stats::{Blocks, Confidence, Interval};

    use super::*;
    use crate::{FlamePage, Reading, Report, Sample, rank};

    fn allocated(unit: Allocations) -> Allocated {
        let interval = Some(Interval { low: 1024.0, high: 3072.0 });
        Allocated { unit, per_request: Some(Estimate { value: 2048.0, interval, count: 5 }) }
    }

    #[test]
    fn allocations_have_their_unit_or_a_note_that_they_are_not_counted() {
        let text = |allocated| {
            let (title, not_sampled) = ("spy".to_owned(), String::new());
            Sensed { title, not_sampled, slowdown: None, allocated, busy: None }.allocated()
        };
        let objects = text(Some(allocated(Allocations::Objects)));
        assert_eq!(objects.as_deref(), Some("Allocated for each request: 2,048 objects [1,024, 3,072]."));
        let uncounted = Some("spy does not count what a request allocates.");
        assert_eq!(text(Some(allocated(Allocations::Uncounted))).as_deref(), uncounted);
        let too_old = Allocated { unit: Allocations::Bytes, per_request: None };
        assert_eq!(text(Some(too_old)).as_deref(), uncounted);
        assert_eq!(text(None), None);
    }

    #[test]
    fn a_sensor_that_seems_to_help_gives_a_warning_and_no_figure() {
        let ratio = |candidate: f64| {
            let blocks = Blocks { candidate: &[candidate, candidate], control: &[100.0, 100.0] };
            blocks.ratio(Confidence::default()).ok()
        };
        let sensed = |cpu: f64, throughput: f64| Sensed {
            title: "spy".to_owned(),
            not_sampled: String::new(),
            slowdown: Some(Slowdown { cpu: ratio(cpu), throughput: ratio(throughput) }),
            allocated: None,
            busy: None,
        };
        for disturbed in [sensed(103.0, 215.0), sensed(60.0, 99.0)] {
            assert_eq!(disturbed.cost(), None);
            let warning = disturbed.disturbed().unwrap();
            assert!(
                warning.starts_with("Cost of spy while it sampled: not known") && !warning.contains('%'),
                "{warning}"
            );
        }
        let noise = sensed(97.0, 105.0);
        assert!(noise.disturbed().is_none() && noise.cost().is_some_and(|cost| cost.contains("-3 %")));
    }

    #[test]
    fn a_cost_with_a_wide_interval_has_no_figure() {
        let of = |with: [f64; 3]| Blocks { candidate: &with, control: &[100.0; 3] }.ratio(Confidence::default()).ok();
        let [steady, wide] = [of([104.0, 105.0, 106.0]), of([60.0, 100.0, 150.0])];
        let cost = |cpu, throughput| {
            let slowdown = Some(Slowdown { cpu, throughput });
            let (title, not_sampled) = ("spy".to_owned(), String::new());
            let sensed = Sensed { title, not_sampled, slowdown, allocated: None, busy: None };
            (sensed.cost().unwrap_or_default(), sensed.disturbed().unwrap_or_default())
        };
        let figure = "Cost of spy while it sampled: CPU per request +5 % [+3, +8], requests per second not known (it differed from block \
                      to block).";
        assert_eq!(cost(steady, wide), (figure.to_owned(), String::new()));
        let (figure, warning) = cost(wide, wide);
        assert!(figure.is_empty() && warning.contains("Repeat it on a quiet machine"), "{figure}{warning}");
    }

    #[test]
    fn the_cost_and_the_gaps_are_in_every_format() {
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
            not_sampled: "locks".to_owned(),
            slowdown: Some(Slowdown { cpu, throughput: None }),
            allocated: Some(allocated(Allocations::Bytes)),
            busy: Some(0.125),
        };
        let report = Report { title: "shop", ranking: &ranking, next: None, sensed: Some(&sensed), routes: None };
        let text = Text(Style { width: None, colour: Colour::Plain }).export(&report);
        let page = Html.export(&FlamePage { report, profile: &profile, comparison: None, tierup: "0" });
        let cost = "Cost of spy while it sampled: CPU per request +10 % [+10, +10].";
        let missed = "50.0 % of the CPU was not seen by spy: it does not see locks. Where functions cause it, they own more than is \
                      shown.";
        let counted = "12.5 % of the CPU is counted, but not sampled by spy: the pool 12.5 %. Where functions cause it, they own more \
                       than is shown.";
        for output in [text, page.replace("&#43;", "+").replace("&#37;", "%")] {
            assert!(output.contains(cost) && output.contains(missed) && output.contains(counted), "{output}");
            assert!(output.contains("Allocated for each request: 2,048 B [1,024 B, 3,072 B]."), "{output}");
        }
        let json: serde_json::Value = serde_json::from_str(&Json.export(&report)).unwrap();
        assert!((json["sensor"]["cpu_per_request"]["value"].as_f64().unwrap() - 1.1).abs() < 1e-9, "{json}");
        assert_eq!(json["sensor"]["allocated_per_request"]["value"], 2048.0, "{json}");
        assert_eq!(json["sensor"]["allocated_per_request"]["unit"], "bytes", "{json}");
        assert_eq!(json["doubts"][1], missed);
        assert!(json["doubts"][0].as_str().unwrap().contains("kept 0.125 processors busy"), "{json}");
        assert_eq!(Sensed { busy: Some(0.9), ..sensed.clone() }.idle(), None);
        assert_eq!(json["verdict"]["kind"], "candidate");
    }
}
