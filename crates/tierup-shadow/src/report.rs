//! What a shadow came to: how much of the traffic was compared, and what was found, by route.

use std::{collections::BTreeMap, fmt::Write as _, sync::atomic::Ordering::Relaxed};

use serde::Serialize;
use tierup_parity::{Tally, Verdict};

use crate::{
    copy::CopyCounts,
    mirror::{Evidence, RouteEvidence},
};

/// What is known at one moment.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub coverage: Coverage,
    pub verdict: Verdict,
    /// By method and path.
    pub routes: BTreeMap<String, RouteEvidence>,
}

/// Of the sample, in requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Coverage {
    pub sampled: u64,
    pub copied: u64,
    /// Both answers were there, and were compared.
    pub compared: u64,
    /// There was no copy, as too many were under way.
    pub busy: u64,
    /// There was no copy, as a body was too large.
    pub too_large: u64,
    /// There was no copy, as the client or control broke off.
    pub incomplete: u64,
    /// There was no copy, as the answer has no end or took too long.
    pub stream: u64,
}

impl Report {
    pub fn new(counts: &CopyCounts, evidence: &Evidence) -> Report {
        let [copied, busy, too_large, incomplete, stream] =
            [&counts.copied, &counts.busy, &counts.too_large, &counts.incomplete, &counts.stream]
                .map(|count| count.load(Relaxed));
        let routes = evidence.routes();
        let mut all = Tally::default();
        for route in routes.values() {
            all.same += route.tally.same;
            all.mismatch += route.tally.mismatch;
            all.error += route.tally.error;
        }
        let coverage = Coverage {
            sampled: copied + busy + too_large + incomplete + stream,
            copied,
            compared: all.compared() as u64,
            busy,
            too_large,
            incomplete,
            stream,
        };
        Report { coverage, verdict: all.verdict(), routes }
    }

    /// One line: `1,204 compared, 3 mismatches`.
    pub fn line(&self) -> String {
        let sum = |of: fn(&Tally) -> usize| self.routes.values().map(|route| of(&route.tally)).sum::<usize>();
        let Coverage { sampled, copied, compared, .. } = self.coverage;
        let not_copied = sampled - copied;
        let [mismatches, errors] = [sum(|tally| tally.mismatch), sum(|tally| tally.error)];
        format!(
            "{sampled} sampled, {compared} compared, {mismatches} mismatches, {errors} not comparable, {not_copied} not copied"
        )
    }

    /// For people.
    pub fn text(&self) -> String {
        // Writing to a text does not fail.
        let Coverage { busy, too_large, incomplete, stream, .. } = self.coverage;
        let mut text = format!("{}\n", self.line());
        for (count, why) in [
            (busy, "too many copies were under way"),
            (too_large, "a body is too large"),
            (incomplete, "the client or the control broke off"),
            (stream, "the answer has no end, or took too long"),
        ] {
            if count > 0 {
                let _ = writeln!(text, "not copied: {count}, as {why}");
            }
        }
        for (route, evidence) in &self.routes {
            let Tally { same, mismatch, error, .. } = evidence.tally;
            let compared = evidence.tally.compared().max(1) as f64;
            let [control, candidate] =
                [evidence.control_seconds, evidence.candidate_seconds].map(|seconds| seconds / compared * 1e3);
            let _ = writeln!(
                text,
                "{route}: {same} alike, {mismatch} mismatches, {error} not comparable; {control:.2} ms on average to the \
                 control's answer, {candidate:.2} ms to the candidate's"
            );
            for (why, count) in &evidence.silences {
                let _ = writeln!(text, "  the candidate did not answer {count} times: {why}");
            }
            let mut examples: Vec<_> = evidence.examples.values().collect();
            examples.sort_by_key(|example| example.size);
            for example in examples {
                let _ = writeln!(text, "  {} times, e.g. {}: {}", example.count, example.request, example.difference);
            }
        }
        text + match self.verdict {
            Verdict::Alike => "=> everything that was compared is alike",
            Verdict::Differs => "=> the candidate differs",
            Verdict::Failed => "=> no mismatch, but not everything could be compared",
            Verdict::OnlyErrors | Verdict::NothingCompared => "=> nothing was compared",
        }
    }
}
