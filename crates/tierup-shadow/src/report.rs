//! What a shadow came to: how much of the traffic was compared, and what was found, by route.

use std::{collections::BTreeMap, sync::atomic::Ordering::Relaxed};

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
}
