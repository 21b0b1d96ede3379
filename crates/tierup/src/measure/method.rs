//! The options of a measurement, from the command line and from `[bench]` of tierup.toml.

use std::{path::PathBuf, str::FromStr, time::Duration};

use clap::Args;
use tierup_bench::plan::Budget;
use tierup_codegen::Row;
use tierup_project::{
    BenchSettings,
    quantities::{duration, positive, skew, threshold},
};
use tierup_rows::Choice;
use tierup_subject::processors::Processors;

use crate::failure::{Failure, Result};

/// Options that `bench` and `ceiling` share.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = "How to measure")]
pub(crate) struct Method {
    /// Requests file, .http or .har [default: requests.http or requests.har of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) requests: Option<PathBuf>,
    /// Measure at most 90 seconds for each host, in fewer blocks, with wider intervals
    #[arg(long, conflicts_with_all = ["blocks", "duration"])]
    pub(crate) quick: bool,
    /// Total duration of the run, e.g. `90s`, `10m` [default: 5m for each host]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) duration: Option<Duration>,
    /// Number of blocks; each starts fresh servers [default: 5]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=100))]
    pub(crate) blocks: Option<u16>,
    /// Connections in the closed loop, and the maximum at a fixed rate [default: 100]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) connections: Option<u16>,
    /// Requests per second for the latency measurement [default: 70 % of what the reference carries]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) rate: Option<f64>,
    /// Time limit of a request, e.g. `10s` [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// Processors of the servers and of the load generator, e.g. `0-2/3`
    #[arg(long, value_name = "SERVERS/GENERATOR", value_parser = cpuset)]
    pub(crate) cpuset: Option<(Processors, Processors)>,
    /// Threads that generate load [default: half of the processors, at least 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub(crate) load_threads: Option<u16>,
    /// Smallest gain worth a change, e.g. 1.05 for 5 % [default: 1.05]
    #[arg(long, value_name = "FACTOR", value_parser = threshold)]
    pub(crate) threshold: Option<f64>,
    /// Draw the requests by Zipf's law with this exponent, e.g. 0.8: the file's first is the most frequent [default: every
    /// template equally often]
    #[arg(long, value_name = "EXPONENT", value_parser = skew)]
    pub(crate) skew: Option<f64>,
    /// Seed for random choices, to repeat a run [default: from the clock]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The folder for report.html, report.md and report.json [default: .tierup/bench of the project]
    #[arg(long, short, value_name = "FOLDER")]
    pub(crate) output: Option<PathBuf>,
}

impl Method {
    /// Fills missing options with the project's values.
    pub(crate) fn with(&self, settings: &BenchSettings) -> Method {
        let own = settings.clone();
        let quick = self.quick;
        Method {
            requests: self.requests.clone().or(own.requests),
            duration: self.duration.or(own.duration.filter(|_| !quick)),
            blocks: self.blocks.or(own.blocks.filter(|_| !quick)),
            connections: self.connections.or(own.connections),
            rate: self.rate.or(own.rate),
            timeout: self.timeout.or(own.timeout),
            threshold: self.threshold.or(own.threshold),
            skew: self.skew.or(own.skew),
            ..self.clone()
        }
    }

    /// The time for a run on this many hosts. Each host adds rows to start, warm up and measure, so the default
    /// duration grows with their number.
    pub(crate) fn budget(&self, hosts: usize) -> Result<Budget> {
        let base = if self.quick { Budget::quick() } else { Budget::default() };
        let budget = Budget {
            total: self.duration.unwrap_or(base.total * hosts.max(1) as u32),
            blocks: self.blocks.map_or(base.blocks, usize::from),
            ..base
        };
        if budget.total / (budget.blocks as u32) < Duration::from_secs(2) {
            return Err(Failure::usage(format!(
                "{} s are too short for {} blocks, because each block starts fresh servers",
                budget.total.as_secs(),
                budget.blocks
            ))
            .hint("give more time with --duration, or fewer blocks with --blocks"));
        }
        Ok(budget)
    }
}

/// A value of `--tiers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tiers {
    All,
    One(Row),
}

impl Tiers {
    pub(crate) fn choice(asked: &[Tiers]) -> Choice {
        if asked.contains(&Tiers::All) {
            return Choice::All;
        }
        let rows: Vec<Row> = asked
            .iter()
            .filter_map(|one| match one {
                Tiers::One(row) => Some(row.clone()),
                Tiers::All => None,
            })
            .collect();
        if rows.is_empty() { Choice::Default } else { Choice::These(rows) }
    }
}

impl FromStr for Tiers {
    type Err = tierup_codegen::ParseRowError;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        if text == "all" { Ok(Tiers::All) } else { text.parse().map(Tiers::One) }
    }
}

fn cpuset(text: &str) -> std::result::Result<(Processors, Processors), String> {
    let (servers, generator) = text
        .split_once('/')
        .ok_or_else(|| "give the processors of the servers, `/`, and those of the generator: `0-2/3`".to_owned())?;
    let read = |text: &str| {
        let processors = text.parse::<Processors>().map_err(|error| error.to_string())?;
        processors.available().map_err(|error| error.to_string())?;
        Ok::<_, String>(processors)
    };
    Ok((read(servers)?, read(generator)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_time_grows_with_the_hosts() {
        let seconds = |method: Method, hosts| method.budget(hosts).expect("it is enough").total.as_secs();
        assert_eq!((seconds(Method::default(), 1), seconds(Method::default(), 7)), (300, 2_100));
        assert_eq!(seconds(Method { quick: true, ..Method::default() }, 2), 140);
        assert_eq!(seconds(Method { duration: Some(Duration::from_secs(90)), ..Method::default() }, 7), 90);
    }
}
