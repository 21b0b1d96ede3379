//! The result of a shadow: how much traffic was compared, what was found, what servers cost, and the weights over time.
//! In: a [`Summary`], and the judge's decisions. Out: figures that `text`, `json`, `markdown` and `html` lay out.

mod steps;

use std::collections::BTreeMap;

use serde::Serialize;
use tierup_parity::{Tally, Verdict};
use tierup_report::{
    Exporter, Json,
    json::pretty,
    numbers::{count, share},
};
use tierup_rollout::{
    Side,
    evidence::{Confirmed, Event, Pair},
};

use crate::summary::{CopySums, LiveSums, RouteSums, SideSums, Summary};

pub use self::steps::{Decision, Step};

/// Everything that is known at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// When the evidence begins and ends, in milliseconds since 1970.
    pub from: Option<u64>,
    pub to: u64,
    /// The number of runs of proxies.
    pub proxies: u64,
    pub coverage: Coverage,
    pub verdict: Verdict,
    /// Copies to a second control process: any difference is noise.
    pub noise: Compared,
    /// Copies to control of requests that the candidate answered.
    pub verified: Compared,
    pub sides: BTreeMap<Side, SideReport>,
    /// By method and path, without identifiers.
    pub routes: BTreeMap<String, RouteReport>,
    pub weights: Vec<Step>,
    pub events: Vec<Happened>,
}

/// The numbers of all requests, and of those in the sample.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// Requests that clients got an answer to, or waited for.
    pub asked: u64,
    pub sampled: u64,
    /// Copies with both answers, which were compared.
    pub compared: u64,
    /// Sampled requests without a copy, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Copies without anything to compare, by reason.
    pub not_comparable: BTreeMap<String, u64>,
    /// The part of the time in which copies were made.
    pub mirrored: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Compared {
    pub compared: u64,
    pub mismatched: u64,
}

/// A server. Latencies are in milliseconds, right within 5 %.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideReport {
    #[serde(flatten)]
    pub live: LiveSums,
    pub p50: Option<f64>,
    pub p99: Option<f64>,
    pub copies: u64,
    pub copies_p50: Option<f64>,
    pub copies_p99: Option<f64>,
    /// Processor time per answer to a client or a copy, in microseconds; `None` if it is unknown.
    pub processor: Option<f64>,
}

/// A route, without the copies that measure noise.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RouteReport {
    pub asked: u64,
    pub tally: Tally,
    pub dropped: BTreeMap<String, u64>,
    pub not_comparable: BTreeMap<String, u64>,
    /// The time from request heads to answer heads, in seconds, over all compared answers.
    pub control_seconds: f64,
    pub candidate_seconds: f64,
    pub noise: Compared,
    /// By kind: the place of the first difference, without positions.
    pub examples: BTreeMap<String, Example>,
}

/// A mismatch: the smallest of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// Such as `GET /orders?limit=3`.
    pub request: String,
    /// The size of target and body together, in bytes.
    pub size: u64,
    /// The first difference, in words.
    pub difference: String,
    /// The number of mismatches of this kind.
    pub count: u64,
    pub headers: Vec<(String, String)>,
    /// Why the request cannot be sent again.
    pub not_repeatable: Option<String>,
}

/// An event, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Happened {
    /// In milliseconds since 1970.
    pub at: u64,
    pub what: String,
}

impl Report {
    pub fn new(summary: &Summary, decisions: &[Decision]) -> Report {
        let [candidate, second, verify] =
            [Pair::Candidate, Pair::Second, Pair::Verify].map(|pair| summary.copies(pair));
        let mut all = candidate.clone();
        all.add(&verify);
        let mut sampled = all.clone();
        sampled.add(&second);
        let coverage = Coverage {
            asked: summary.asked(),
            sampled: sampled.sampled(),
            compared: sampled.compared(),
            dropped: sampled.dropped,
            not_comparable: sampled.not_comparable,
            mirrored: summary.mirrored as f64 / summary.lasted.max(1) as f64,
        };
        Report {
            from: summary.first,
            to: summary.last,
            proxies: summary.proxies,
            coverage,
            verdict: tally(&all).verdict(),
            noise: Compared::new(&second),
            verified: Compared::new(&verify),
            sides: summary.sides.iter().map(|(side, sums)| (*side, SideReport::new(sums))).collect(),
            routes: summary
                .routes
                .iter()
                .map(|(name, sums)| (name.clone(), RouteReport::new(name, sums, summary)))
                .collect(),
            weights: steps::steps(summary, decisions),
            events: summary
                .events
                .iter()
                .filter_map(|(at, event)| Some(Happened { at: *at, what: words(event)? }))
                .collect(),
        }
    }

    /// One line: `1,204 sampled, 1,200 compared, 3 mismatches, …`.
    pub fn line(&self) -> String {
        let Coverage { sampled, compared, dropped, not_comparable, .. } = &self.coverage;
        let mismatches: usize = self.routes.values().map(|route| route.tally.mismatch).sum();
        let [dropped, not_comparable] = [dropped, not_comparable].map(|reasons| reasons.values().sum::<u64>());
        format!(
            "{sampled} sampled, {compared} compared, {mismatches} mismatches, {not_comparable} not comparable, {dropped} \
             not copied"
        )
    }

    /// All mismatches, the smallest first, each with its route and kind.
    pub fn examples(&self) -> Vec<(&str, &str, &Example)> {
        let mut all = Vec::new();
        for (route, report) in &self.routes {
            all.extend(report.examples.iter().map(|(kind, example)| (route.as_str(), kind.as_str(), example)));
        }
        all.sort_by_key(|(_, _, example)| example.size);
        all
    }
}

impl Coverage {
    /// A text if less than half of the sample was compared: then the result says little about the rest.
    pub fn doubt(&self) -> Option<String> {
        let [compared, sampled] = [self.compared, self.sampled].map(|requests| count(requests as f64));
        let part = share(self.compared as f64 / self.sampled.max(1) as f64);
        let words = format!("only {compared} of the {sampled} requests in the sample were compared ({part})");
        (2 * self.compared < self.sampled).then_some(words)
    }
}

impl Compared {
    fn new(sums: &CopySums) -> Compared {
        Compared { compared: sums.compared(), mismatched: sums.mismatched }
    }
}

impl SideReport {
    fn new(sums: &SideSums) -> SideReport {
        let SideSums { live, latencies, copy_latencies, processor } = sums;
        let millis = |latencies: &tierup_rollout::Latencies, part| Some(latencies.quantile(part)?.as_secs_f64() * 1e3);
        SideReport {
            live: *live,
            p50: millis(latencies, 0.5),
            p99: millis(latencies, 0.99),
            copies: copy_latencies.count(),
            copies_p50: millis(copy_latencies, 0.5),
            copies_p99: millis(copy_latencies, 0.99),
            processor: processor
                .filter(|(_, answers)| *answers > 0)
                .map(|(seconds, answers)| seconds * 1e6 / answers as f64),
        }
    }
}

impl RouteReport {
    fn new(name: &str, sums: &RouteSums, summary: &Summary) -> RouteReport {
        let of = |pair| sums.copies.get(&pair).cloned().unwrap_or_default();
        let (candidate, verify) = (of(Pair::Candidate), of(Pair::Verify));
        let mut all = candidate.clone();
        all.add(&verify);
        let mut examples: BTreeMap<String, Example> = BTreeMap::new();
        for ((route, pair, kind), difference) in &summary.examples {
            let is_smaller = examples.get(kind).is_none_or(|known| difference.size < known.size);
            if route == name && *pair != Pair::Second && is_smaller {
                let example = Example {
                    request: difference.request.clone(),
                    size: difference.size,
                    difference: difference.words.clone(),
                    count: all.kinds.get(kind).copied().unwrap_or_default(),
                    headers: difference.headers.clone(),
                    not_repeatable: difference.not_repeatable.clone(),
                };
                examples.insert(kind.clone(), example);
            }
        }
        let seconds = |micros: u64| micros as f64 / 1e6;
        RouteReport {
            asked: sums.live.values().map(|live| live.answered + live.silent).sum(),
            tally: tally(&all),
            // Control answered the client in one pair, and the copy in the other.
            control_seconds: seconds(candidate.took + verify.copy_took),
            candidate_seconds: seconds(candidate.copy_took + verify.took),
            dropped: all.dropped,
            not_comparable: all.not_comparable,
            noise: Compared::new(&of(Pair::Second)),
            examples,
        }
    }
}

fn tally(sums: &CopySums) -> Tally {
    let count = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Tally {
        same: count(sums.same),
        mismatch: count(sums.mismatched),
        error: count(sums.not_comparable.values().sum()),
        ..Tally::default()
    }
}

/// The event in words; `None` for events that every run has.
fn words(event: &Event) -> Option<String> {
    Some(match event {
        Event::Began { .. } | Event::Ended => return None,
        Event::Unreachable { side, is: true } => format!("{} cannot be reached", side.name()),
        Event::Unreachable { side, is: false } => format!("{} can be reached again", side.name()),
        Event::Confirmed(Confirmed { pair, request, words, .. }) => {
            let who = if *pair == Pair::Second { "noise" } else { "a mismatch" };
            format!("{who} was confirmed by asking both again: {request}: {words}")
        }
        Event::Slowed { from, to, why } => {
            let changed = if to < from { "reduced" } else { "raised" };
            format!("the sample was {changed} from {from} to {to}: {why}")
        }
        Event::ControlFile { trouble: Some(why) } => format!("the control file cannot be used: {why}"),
        Event::ControlFile { trouble: None } => "the control file can be used again".to_owned(),
    })
}

impl Exporter<Report> for Json {
    fn export(&self, report: &Report) -> String {
        pretty(report)
    }
}
