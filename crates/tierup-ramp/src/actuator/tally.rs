//! Holds a log against the load balancer's own count of answers: bad answers without a line would be missed.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{Error, Result};

/// A log is complete if at most one of this many answers has no line.
const UNLOGGED: u64 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The count and the lines at the last comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) ended: u64,
    pub(crate) lines: u64,
    /// The numbers of answers and of lines in the last comparison, if lines were missing.
    lost: Option<(u64, u64)>,
}

impl Tally {
    pub(crate) fn new(ended: u64, lines: u64) -> Tally {
        Tally { ended, lines, lost: None }
    }

    /// Whether the log has a line of each answer since the last comparison. `read` reads on in the log, and returns the
    /// number of its lines; `patience` is how late the line of a counted answer may be.
    pub(crate) fn is_complete(
        &mut self,
        ended: u64,
        patience: Duration,
        mut read: impl FnMut() -> Result<u64>,
    ) -> Result<bool> {
        let (began, mut lines) = (Instant::now(), read()?);
        let Some(answers) = ended.checked_sub(self.ended) else {
            // The load balancer counts from 0 again, so nothing can be said about this time.
            *self = Tally::new(ended, lines);
            return Ok(false);
        };
        while lines - self.lines < answers && began.elapsed() < patience {
            thread::sleep(PAUSE);
            lines = read()?;
        }
        let logged = lines - self.lines;
        // Answers that ended after the count already have lines here.
        let early = logged.saturating_sub(answers).min(answers / UNLOGGED + 1);
        let is_lost = answers.saturating_sub(logged) * UNLOGGED > answers;
        *self = Tally { ended, lines: lines - early, lost: is_lost.then_some((answers, logged)) };
        Ok(!is_lost)
    }

    /// What the last comparison found missing.
    pub(crate) fn error(&self, program: &'static str) -> Option<Error> {
        self.lost.map(|(answers, logged)| Error::Unlogged { program, answers, logged })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_in_twenty_may_lack_its_line() {
        let mut tally = Tally::new(100, 40);
        let mut check = |ended, lines: u64| {
            let is_complete = tally.is_complete(ended, Duration::ZERO, || Ok(lines)).expect("it reads");
            (is_complete, tally.lost)
        };
        assert_eq!(check(120, 60), (true, None));
        assert_eq!(check(140, 79), (true, None));
        assert_eq!(check(160, 97), (false, Some((20, 18))));
        // Two lines of answers after the count; they are not missed afterwards.
        assert_eq!(check(180, 119), (true, None));
        assert_eq!(check(182, 119), (true, None));
        assert_eq!(check(5, 124), (false, None), "it counts from 0 again");
        assert_eq!(check(25, 124), (false, Some((20, 0))));
    }

    #[test]
    fn a_late_line_is_waited_for() {
        let mut late = 0..;
        let read = || Ok(late.next().expect("more"));
        assert!(Tally::default().is_complete(20, Duration::from_secs(60), read).expect("it reads"));
    }
}
