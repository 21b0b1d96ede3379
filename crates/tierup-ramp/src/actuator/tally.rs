//! Holds a log against the load balancer's own count of answers: bad answers without a line would be missed.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::Result;

/// A log is complete if at most one of this many answers has no line.
const UNLOGGED: u64 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The count and the lines at the last comparison.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) ended: u64,
    pub(crate) lines: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tallied {
    Complete,
    /// So many answers were given, and so many logged.
    Lost(u64, u64),
    /// The load balancer counts from 0 again, so nothing can be said about this time.
    Anew,
}

impl Tally {
    /// Compares what was added since the last comparison. `read` reads on in the log, and returns the number of its
    /// lines; `patience` is how late the line of a counted answer may be.
    pub(crate) fn compare(
        &mut self,
        ended: u64,
        patience: Duration,
        mut read: impl FnMut() -> Result<u64>,
    ) -> Result<Tallied> {
        let (began, mut lines) = (Instant::now(), read()?);
        let Some(answers) = ended.checked_sub(self.ended) else {
            *self = Tally { ended, lines };
            return Ok(Tallied::Anew);
        };
        while lines - self.lines < answers && began.elapsed() < patience {
            thread::sleep(PAUSE);
            lines = read()?;
        }
        let logged = lines - self.lines;
        // Answers that ended after the count already have lines here.
        let early = logged.saturating_sub(answers).min(answers / UNLOGGED + 1);
        *self = Tally { ended, lines: lines - early };
        let is_lost = answers.saturating_sub(logged) * UNLOGGED > answers;
        Ok(if is_lost { Tallied::Lost(answers, logged) } else { Tallied::Complete })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_in_twenty_may_lack_its_line() {
        let mut tally = Tally { ended: 100, lines: 40 };
        let mut check = |ended, lines: u64| tally.compare(ended, Duration::ZERO, || Ok(lines)).expect("it reads");
        assert_eq!(check(120, 60), Tallied::Complete);
        assert_eq!(check(140, 79), Tallied::Complete);
        assert_eq!(check(160, 97), Tallied::Lost(20, 18));
        // Two lines of answers after the count; they are not missed afterwards.
        assert_eq!(check(180, 119), Tallied::Complete);
        assert_eq!(check(182, 119), Tallied::Complete);
        assert_eq!(check(5, 124), Tallied::Anew);
        assert_eq!(check(25, 124), Tallied::Lost(20, 0));
    }

    #[test]
    fn a_late_line_is_waited_for() {
        let mut late = 0..;
        let read = || Ok(late.next().expect("more"));
        assert_eq!(Tally::default().compare(20, Duration::from_secs(60), read).expect("it reads"), Tallied::Complete);
    }
}
