//! When workers may be started: the pauses after failed starts.
//!
//! After a failed start, the next one waits, and starts are tried one at a time until one succeeds. So a program that
//! cannot start does not keep the machine busy, and a client learns of a failure after one more start at most.

use std::time::{Duration, Instant};

/// The pause after a failed start, which doubles with each that follows.
const FIRST: Duration = Duration::from_millis(50);
const LONGEST: Duration = Duration::from_secs(5);

pub struct Starts {
    /// Failed starts since the last success.
    failed: u32,
    next: Instant,
}

impl Starts {
    pub fn new() -> Self {
        Starts { failed: 0, next: Instant::now() }
    }

    /// Whether a start may begin now, while `under_way` others run.
    pub fn may_begin(&self, under_way: usize) -> bool {
        Instant::now() >= self.next && (self.failed == 0 || under_way == 0)
    }

    /// Whether a start that begins now follows a failed one.
    pub fn is_retry(&self) -> bool {
        self.failed > 0
    }

    /// When the next start may begin.
    pub fn next(&self) -> Instant {
        self.next
    }

    pub fn succeed(&mut self) {
        self.failed = 0;
    }

    pub fn fail(&mut self) {
        self.next = Instant::now() + (FIRST * 2u32.pow(self.failed)).min(LONGEST);
        self.failed = (self.failed + 1).min(10);
    }
}
