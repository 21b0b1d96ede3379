//! Rows that cannot be measured any further: what is reported about them, and when the run gives up on them.

use std::time::Duration;

use super::state::{Entrant, Run};
use crate::{
    observer::Event,
    record::{Slice, Trouble},
};

/// After this many loads with timeouts, the run gives up on a row.
const TIMED_OUT: u32 = 3;

impl Run<'_> {
    pub(super) fn trouble(&mut self, row: usize, trouble: Trouble) {
        let row_label = &self.plan.rows[row].row.label;
        self.observer.sees(&Event::Trouble { row: row_label, function: None, why: &trouble.what });
        self.current(row).trouble = Some(trouble);
    }

    /// Why a server is not loaded again: it ended, gave no right answer, or keeps the benchmark waiting.
    pub(super) fn trouble_of(&mut self, entrant: &mut Entrant, slice: &Slice) -> Option<Trouble> {
        self.timed_out[entrant.row] += u32::from(slice.failures.timeouts > 0);
        let what = match (entrant.running.ended(), self.gave_up(entrant.row)) {
            (Some(how), _) => format!("it ended under load: {how}"),
            (None, _) if slice.answered == 0 => {
                let kinds: Vec<_> =
                    slice.failures.kinds().into_iter().map(|(kind, count)| format!("{count} {kind}")).collect();
                let seen = if kinds.is_empty() { "no answer at all".to_owned() } else { kinds.join(", ") };
                format!("it gave no correct answer within {:.1} s: {seen}", slice.seconds + slice.drain_seconds)
            }
            (None, Some(trouble)) => trouble.what,
            (None, None) => return None,
        };
        // Its last output may still be in the pipe.
        std::thread::sleep(Duration::from_millis(100));
        Some(Trouble { what, log: entrant.running.log() })
    }

    /// Gives up on a row whose requests time out: each such load takes as long as the timeout, which could add up to
    /// hours.
    pub(super) fn gave_up(&self, row: usize) -> Option<Trouble> {
        (self.timed_out[row] >= TIMED_OUT).then(|| Trouble {
            what: format!(
                "requests took longer than {:.1} s in {TIMED_OUT} slices, so it was not measured further",
                self.plan.timeout.as_secs_f64()
            ),
            log: Vec::new(),
        })
    }
}
