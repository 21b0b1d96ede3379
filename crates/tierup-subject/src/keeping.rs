//! Tracks whether a server keeps its connections: this decides what it means if a connection ends with a request on it.
//!
//! A client cannot tell a server that merely closes a connection from one that crashed at the request: either way the
//! request was sent and nothing came back. Only what the server did before makes the first more likely.

use std::{cell::Cell, time::Duration};

/// A connection that was idle for this long may have been closed for that, just as a request was on its way. Servers
/// with such a limit count it in seconds (Node and Apache 5, gunicorn 2); none closes a connection sooner.
const RESTED: Duration = Duration::from_secs(1);

/// What the connections that share this have experienced.
#[derive(Debug, Default)]
pub struct Keeping {
    /// Whether any connection brought a second answer.
    keeps: Cell<bool>,
    /// Requests that were resent because their connection had been idle.
    rested: Cell<u64>,
    /// Requests sent again because the server seemed to close every connection after its first answer.
    closing: Cell<u64>,
}

impl Keeping {
    /// Notes a connection's answer, its first or a later one.
    pub(crate) fn brought(&self, answers: u32) {
        if answers > 1 {
            self.keeps.set(true);
        }
    }

    /// Whether to resend a request whose connection ended without an answer. `answers` is how many the connection had
    /// brought, and `rested` how long it was idle. Counts each resend.
    pub(crate) fn excuses(&self, answers: u32, rested: Duration) -> bool {
        let reason = if rested >= RESTED {
            &self.rested
        } else if answers == 1 && !self.keeps.get() {
            &self.closing
        } else {
            return false;
        };
        reason.set(reason.get() + 1);
        true
    }

    /// Number of requests that were sent again.
    pub fn resent(&self) -> u64 {
        self.rested.get() + self.closing.get()
    }

    /// Requests sent again that count as failed after all, because the server turned out to keep connections.
    pub fn lost(&self) -> u64 {
        if self.keeps.get() { self.closing.get() } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Duration = Duration::from_micros(10);

    #[test]
    fn a_server_that_closes_after_every_answer_fails_nothing() {
        let keeping = Keeping::default();
        for _ in 0..3 {
            keeping.brought(1);
            assert!(keeping.excuses(1, AT_ONCE));
        }
        assert_eq!((keeping.resent(), keeping.lost()), (3, 0));
    }

    #[test]
    fn requests_fail_on_connections_that_a_server_usually_keeps() {
        let keeping = Keeping::default();
        keeping.brought(1);
        assert!(keeping.excuses(1, AT_ONCE), "nobody knows yet");
        keeping.brought(2);
        assert!(!keeping.excuses(1, AT_ONCE) && !keeping.excuses(7, AT_ONCE));
        // This includes the resend from before it was known that the server keeps connections.
        assert_eq!((keeping.resent(), keeping.lost()), (1, 1));
    }

    #[test]
    fn a_connection_that_never_brought_an_answer_is_a_failure() {
        assert!(!Keeping::default().excuses(0, AT_ONCE));
    }

    #[test]
    fn an_idle_connection_may_have_been_closed_for_that() {
        let keeping = Keeping::default();
        keeping.brought(2);
        assert!(keeping.excuses(2, RESTED) && keeping.excuses(0, RESTED));
        assert_eq!((keeping.resent(), keeping.lost()), (2, 0));
    }
}
