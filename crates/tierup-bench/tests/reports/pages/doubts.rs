//! Decides whether a recording may be quoted. In: a recording. Out: the reasons against it. Its marks ("still warming
//! up", "too noisy" for latencies) are not a reason, as they are shown below the table.

use tierup_bench::{
    analysis::Analysis,
    record::{Loop, Record},
};
use tierup_report::numbers::{counted, share};

use crate::sample;

/// The largest share of the machine that other programs may use during the measurement.
const OTHERS: f64 = 0.05;
/// The most processors that they may use in the second before and after, as in the report's own warning.
const BUSY: f64 = 0.15;
/// With fewer, intervals are wide.
const BLOCKS: usize = 5;

pub(super) fn of(record: &Record, analysis: &Analysis) -> Vec<String> {
    let mut doubts = Vec::new();
    if record.provenance.interrupted || record.settings.quick || record.blocks.len() < BLOCKS {
        doubts.push(format!("{} are too few, or it was cut short", counted(record.blocks.len(), "block")));
    }
    let environment = &record.provenance.environment;
    for (when, busyness) in [("before", environment.before), ("after", environment.after)] {
        if busyness.others.max(busyness.stolen) > BUSY {
            doubts.push(format!("the machine was busy {when} it"));
        }
    }
    let others = others(record);
    if others > OTHERS {
        doubts.push(format!("other programs took {} of the machine", share(others)));
    }
    for row in &analysis.rows {
        if row.failed() {
            doubts.push(format!("{} failed", row.label));
        }
    }
    doubts
}

/// The share of the machine that others took during slices of the closed loop, 0..=1.
pub(super) fn others(record: &Record) -> f64 {
    let (mut all, mut others) = (0.0, 0.0);
    for slice in (0..record.rows.len()).flat_map(|row| record.slices(row, Loop::Closed)) {
        let Some(other) = slice.other_cpu else { continue };
        all += (slice.seconds + slice.drain_seconds) * record.provenance.environment.processors;
        others += other / 1e6;
    }
    if all > 0.0 { others / all } else { 0.0 }
}

#[test]
fn recordings_made_beside_other_work_are_refused() {
    let (record, mut analysis) = sample::run(&sample::servers()[..4], 5);
    let check = |change: fn(&mut Record)| {
        let mut record = record.clone();
        change(&mut record);
        of(&record, &analysis).join("; ")
    };
    assert_eq!(check(|_| ()), "");
    assert_eq!(check(|record| record.blocks.truncate(3)), "3 blocks are too few, or it was cut short");
    assert_eq!(check(|record| record.provenance.environment.after.others = 0.2), "the machine was busy after it");
    let compiler = |record: &mut Record| {
        let slices = record.blocks.iter_mut().flat_map(|block| &mut block.rows).flat_map(|row| &mut row.closed);
        slices.for_each(|slice| slice.other_cpu = Some(0.4e6));
    };
    assert_eq!(check(compiler), "other programs took 10 % of the machine");
    analysis.rows[2].failures.timeouts = 1;
    assert_eq!(of(&record, &analysis).join("; "), "1:spawn failed");
}
