//! What a server measured against itself says about the machine (an A/A test): any difference is the machine's, or chance.
//! In: a group in which the reference has a second row. Out: the difference, and the least one that such a run can tell.

use serde::Serialize;
use tierup_report::numbers::{counted, percent_over_one};
use tierup_stats::Finding;

use super::{
    evidence::{beside, deciding},
    result::{Analysis, Figure, Group},
};
use crate::record::{Record, Role};

/// The reference compared with itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Again {
    /// The index of its second row.
    pub row: usize,
    /// The figure that decides.
    pub by: Figure,
    /// The second row's figure divided by the first one's, paired within blocks.
    pub ratio: f64,
    /// The interval of `ratio`.
    pub interval: Option<(f64, f64)>,
    /// The factor above 1 by which two rows must differ to be told apart in such a run: 1.02 is 2 %. It is half of the
    /// interval's width, as a factor.
    pub resolution: Option<f64>,
    /// Whether the two rows were told apart and the difference may matter, so that no verdict of this machine can be trusted.
    pub is_unsound: bool,
    /// All of this in words.
    pub sentence: String,
}

/// `None` if the group has no such row, or one of the two rows failed.
pub(super) fn compare(record: &Record, analysis: &Analysis, group: &Group) -> Option<Again> {
    let row = group.rows.iter().copied().find(|row| record.rows[*row].role == Role::Again)?;
    let pair = (row, group.reference);
    if analysis.rows[row].failed() || analysis.rows[group.reference].failed() {
        return None;
    }
    let by = deciding(analysis, row);
    let compared = beside(analysis, pair, by)?;
    let verdict = group.verdicts.iter().find(|sentence| sentence.row == row)?.verdict;
    // A verdict is "cannot tell" if the row is better, but perhaps by less than the threshold. Here that is a difference.
    let is_unsound = verdict.is_difference() || compared.finding == Finding::Ahead;
    let resolution = compared.ends.map(|(low, high)| (high / low).sqrt()).filter(|factor| factor.is_finite());
    let mut again = Again {
        row,
        by,
        ratio: compared.ratio,
        interval: compared.ends,
        resolution,
        is_unsound,
        sentence: String::new(),
    };
    again.sentence = again.words(record, &analysis.rows[group.reference].label);
    Some(again)
}

impl Again {
    fn words(&self, record: &Record, label: &str) -> String {
        let mut text = if self.is_unsound { alarm(label) } else { self.sound(record, label) };
        let runs_already = |block: &crate::record::Block| block.rows[self.row].start_seconds.is_none();
        if record.blocks.iter().all(runs_already) {
            text += " Both rows are one running server, so what differs from one start to the next is not in this.";
        }
        text
    }

    fn sound(&self, record: &Record, label: &str) -> String {
        let what = if self.by == Figure::CpuPerRequest { "CPU per request" } else { "throughput" };
        let blocks = counted(record.blocks.len(), "block");
        let Some(resolution) = self.resolution else {
            return format!(
                "{blocks} of {label} against itself give no interval, so they say nothing about this machine."
            );
        };
        let threshold = record.settings.threshold;
        let mut text = format!(
            "A run like this one ({blocks}) tells two rows apart on this machine if their {what} differs by {} or more, and in \
             nearly every run if by {}.",
            percent_over_one(resolution),
            percent_over_one(resolution * resolution),
        );
        let smallest = percent_over_one(threshold);
        // The whole interval must lie beyond the threshold, or within it.
        text += &match resolution < threshold {
            true => format!(
                " The smallest change that counts is {smallest}: to pay, a row must measure {} better.",
                percent_over_one(threshold * resolution)
            ),
            // The width of an interval falls with the square root of the number of blocks.
            false => format!(
                " That is too coarse for the smallest change that counts, {smallest}: it takes about {} times as many blocks \
                 (--blocks, --duration), or a quieter machine.",
                (resolution.ln() / threshold.ln()).powi(2).ceil().max(2.0)
            ),
        };
        if self.interval.is_some_and(|(low, high)| low > 1.0 || high < 1.0) {
            text += &format!(
                " The interval leaves out 1, as it does by chance in one run of twenty; if it does so again, {label} differs from \
                 itself."
            );
        }
        text
    }
}

fn alarm(label: &str) -> String {
    format!(
        "Do not trust this machine's verdicts: it tells {label} from itself. Nothing but the machine can differ: other programs or \
         virtual machines beside it, a clock rate that follows heat or load, or a server whose processes differ from one start \
         to the next. Chance alone does this in at most one run of ten. Run it again on a machine with nothing else to do, with \
         --cpuset, or for longer (--duration, --blocks)."
    )
}
