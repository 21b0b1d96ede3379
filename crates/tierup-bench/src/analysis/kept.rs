//! How often a row that keeps answers had them in memory, and whether that says anything about traffic. In: a
//! [`Record`]. Out: [`Kept`].
//!
//! A run sends its requests again and again, so a cache that holds them all has every answer from the second pass on.
//! Only the repeats within one pass through the order say something about traffic. If a cache had a much higher hit
//! rate than that, the run flattered it, and its gain does not decide. Requests drawn by a skew are exempt, as the skew
//! is the user's statement of how often they repeat.

use serde::Serialize;
use tierup_report::numbers::{bytes, count, counted, share};

use crate::record::{Order, Record, Reuse};

/// By how much a cache's hit rate may exceed the repeats of one pass: it starts warm, and a request may make several
/// calls.
const ALLOWED: f64 = 0.1;

/// How often a row answered calls from memory, in the measured slices of all blocks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    pub calls: u64,
    pub hits: u64,
    /// The most answers kept at the end of a block. `bytes` is about how much memory they took.
    pub entries: u64,
    pub bytes: u64,
    /// Whether the hit rate is due to the run rather than to the requests.
    pub is_flattered: bool,
    /// See [`crate::record::Requests::repeated`].
    pub repeated: f64,
    /// Whether every answer of the run was kept: there were no more requests than entries.
    pub has_all: bool,
}

impl Kept {
    /// 0..=1.
    pub fn hit_rate(&self) -> f64 {
        self.hits as f64 / self.calls.max(1) as f64
    }

    /// `98 % of 12,345 calls were answered from memory, which kept 1,000 answers in 3.1 MiB`
    pub(super) fn words(&self) -> String {
        let all = if self.has_all { ", all that this run has" } else { "" };
        format!(
            "{} of {} answered from memory, which kept {} in {}{all}",
            share(self.hit_rate()),
            if self.calls == 1 { "1 call was".to_owned() } else { format!("{} calls were", count(self.calls as f64)) },
            self.answers(),
            bytes(self.bytes as f64)
        )
    }

    pub(super) fn answers(&self) -> String {
        counted(self.entries as usize, "answer")
    }

    /// The sentence that explains why the gain says nothing about traffic.
    pub(super) fn flattered(&self) -> String {
        format!(
            "only {} of these requests repeat an earlier one, and the run sends all of them again and again",
            share(self.repeated)
        )
    }
}

/// `None` for a row that keeps no answers, or that received no calls.
pub(super) fn estimate(record: &Record, row: usize) -> Option<Kept> {
    let all: Vec<Reuse> = record.blocks.iter().filter_map(|block| block.rows.get(row)?.reuse).collect();
    let sum = |of: fn(&Reuse) -> u64| all.iter().map(of).sum::<u64>();
    let most = |of: fn(&Reuse) -> u64| all.iter().map(of).max().unwrap_or(0);
    let (calls, hits) = (sum(|reuse| reuse.calls), sum(|reuse| reuse.hits));
    let (entries, repeated) = (most(|reuse| reuse.entries), record.requests.repeated);
    let is_skewed = matches!(record.requests.order, Order::Skewed(_));
    let hit_rate = hits as f64 / calls.max(1) as f64;
    (calls > 0).then_some(Kept {
        calls,
        hits,
        entries,
        bytes: most(|reuse| reuse.bytes),
        is_flattered: !is_skewed && hit_rate > repeated + ALLOWED,
        repeated,
        has_all: entries >= record.requests.distinct as u64,
    })
}
