//! The result of a rollout: what the benchmark promised, what production showed, and whether the two agree.
//!
//! In: processor time and answers of both sides by hour, and the promised ratio. Out: text. Only hours in which both
//! sides answered count, so that the time of day makes no difference.

use std::fmt;

use serde::{Deserialize, Serialize};
use tierup_rollout::Side;

use crate::stored::{Cost, Costs};

/// The least answers of a side in an hour. With fewer, start-up and idle time would dominate.
const LEAST: u64 = 100;

/// Processor time per request in production.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// In microseconds.
    pub control: f64,
    pub candidate: f64,
    /// The number of hours in which both answered.
    pub hours: usize,
}

/// A row's processor time per request in a benchmark, as a multiple of control's: 0.25 is a quarter. `low` and `high`
/// are the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Promised {
    pub low: f64,
    pub value: f64,
    pub high: f64,
}

/// The benchmark's promise, and the result in production.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    pub promised: Option<Promised>,
    pub shown: Option<Shown>,
}

/// What both sides' answers cost in the same hours. Each hour has the weight of the side with fewer answers.
pub(crate) fn shown(costs: &Costs) -> Option<Shown> {
    let hours = costs.keys().filter(|(_, side)| *side == Side::Candidate).map(|(hour, _)| *hour);
    let of = |hour, side| costs.get(&(hour, side)).filter(|cost| cost.answered >= LEAST);
    let both: Vec<(&Cost, &Cost)> =
        hours.filter_map(|hour| of(hour, Side::Control).zip(of(hour, Side::Candidate))).collect();
    let weight = |pair: &(&Cost, &Cost)| pair.0.answered.min(pair.1.answered) as f64;
    let all: f64 = both.iter().map(weight).sum();
    let mean = |side: fn(&(&Cost, &Cost)) -> Cost| {
        let micros = |cost: Cost| cost.processor * 1e6 / cost.answered as f64;
        both.iter().map(|pair| micros(side(pair)) * weight(pair)).sum::<f64>() / all
    };
    (!both.is_empty()).then(|| Shown {
        control: mean(|pair| *pair.0),
        candidate: mean(|pair| *pair.1),
        hours: both.len(),
    })
}

impl Shown {
    /// The candidate's processor time as a multiple of control's.
    pub fn ratio(&self) -> f64 {
        self.candidate / self.control
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shown {
            Some(shown) => write!(
                f,
                "in production the candidate took {:.0} µs of processor time per request, the control {:.0} µs in the same {} \
                 ({:.2} times as much)",
                shown.candidate,
                shown.control,
                if shown.hours == 1 { "hour of the day".to_owned() } else { format!("{} hours", shown.hours) },
                shown.ratio(),
            )?,
            None => f.write_str(
                "the processor time per request in production is not known: the proxy did not start the servers, or no hour \
                 had enough answers of both",
            )?,
        }
        let Some(promised) = self.promised else {
            return f.write_str("; `--row` compares it with what `tierup bench` promised");
        };
        write!(
            f,
            "; the benchmark promised {:.2} times as much [{:.2}, {:.2}]",
            promised.value, promised.low, promised.high
        )?;
        match self.shown.map(|shown| shown.ratio()) {
            None => Ok(()),
            Some(ratio) if (promised.low..=promised.high).contains(&ratio) => f.write_str(": they agree"),
            Some(ratio) if ratio < promised.low => f.write_str(": production saves more"),
            Some(ratio) if ratio < 1.0 => f.write_str(": production saves less"),
            Some(_) => f.write_str(": production saves nothing"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(of: &[(u64, Side, u64, f64)]) -> Costs {
        of.iter()
            .map(|(hour, side, answered, processor)| {
                ((*hour, *side), Cost { answered: *answered, processor: *processor })
            })
            .collect()
    }

    #[test]
    fn only_hours_in_which_both_answered_count() {
        let both = costs(&[
            // At night, only control answers, and requests are expensive.
            (1, Side::Control, 10_000, 90.0),
            (2, Side::Control, 9_000, 9.0),
            (2, Side::Candidate, 1_000, 0.25),
            (3, Side::Control, 1_000, 2.0),
            (3, Side::Candidate, 9_000, 4.5),
            // These are too few answers to count.
            (4, Side::Control, 99, 9.0),
            (4, Side::Candidate, 99, 9.0),
        ]);
        let shown = shown(&both).expect("two hours");
        assert_eq!(shown.hours, 2);
        assert!((shown.control - 1_500.0).abs() < 1e-6 && (shown.candidate - 375.0).abs() < 1e-6, "{shown:?}");
        assert_eq!(super::shown(&costs(&[(1, Side::Candidate, 1_000, 1.0)])), None);
    }

    #[test]
    fn the_verdict_says_whether_benchmark_and_production_agree() {
        let verdict = |candidate: f64, promised| {
            Verdict { promised, shown: Some(Shown { control: 1_000.0, candidate, hours: 1 }) }.to_string()
        };
        let promised = Some(Promised { low: 0.2, value: 0.25, high: 0.3 });
        for (candidate, end) in [
            (250.0, ": they agree"),
            (100.0, ": production saves more"),
            (500.0, ": production saves less"),
            (1_100.0, ": production saves nothing"),
        ] {
            let words = verdict(candidate, promised);
            assert!(words.ends_with(end), "{words}");
        }
        assert!(verdict(250.0, None).ends_with("what `tierup bench` promised"));
    }
}
