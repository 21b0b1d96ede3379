//! The reasons why an answer is missing.

use std::fmt;

/// Why there is no answer. Its text is for people; code decides by the variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// No process listens at the server's address.
    Refused,
    /// The connection ended before an answer began.
    Closed,
    /// The head of the answer is not HTTP/1.1, or exceeds the size limit.
    NotHttp,
    /// The connection ended within the answer's body.
    Incomplete,
    /// The body's chunks are malformed.
    Garbled,
    /// The body exceeds the size limit.
    TooLarge,
    /// The answer did not come in time.
    TimedOut,
    /// The server's process ended.
    Ended {
        /// `exit status 1`.
        how: String,
        /// What the client saw; `None` if the process ended after a whole answer.
        seen: Option<Box<Silence>>,
    },
    /// The server could not be started again.
    NotRunning,
    /// A function's call did not return; the text is its caller's message.
    CallLost(String),
}

impl Silence {
    /// Whether the server is gone: its process, or the listener at its address.
    pub fn is_end(&self) -> bool {
        matches!(self, Silence::Ended { .. } | Silence::NotRunning | Silence::Refused)
    }
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Silence::Refused => "it refuses connections",
            Silence::Closed => "it closed the connection without an answer",
            Silence::NotHttp => "its answer is not HTTP",
            Silence::Incomplete | Silence::Garbled | Silence::TooLarge => "its answer is incomplete or too large",
            Silence::TimedOut => "it does not answer in time",
            Silence::NotRunning => "the server is not running",
            Silence::CallLost(why) => why,
            Silence::Ended { how, seen: Some(seen) } => return write!(f, "{seen}; the server ended ({how})"),
            Silence::Ended { how, seen: None } => return write!(f, "the server ended ({how}) after its answer"),
        })
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::Silence;

    fn check(silence: &Silence, expected: Expect) {
        expected.assert_eq(&silence.to_string());
    }

    #[test]
    fn the_end_of_a_process_is_reported_with_what_its_client_saw() {
        let how = || "exit status 1".to_owned();
        let seen = Some(Box::new(Silence::Closed));
        check(
            &Silence::Ended { how: how(), seen },
            expect!["it closed the connection without an answer; the server ended (exit status 1)"],
        );
        check(&Silence::Ended { how: how(), seen: None }, expect!["the server ended (exit status 1) after its answer"]);
    }
}
