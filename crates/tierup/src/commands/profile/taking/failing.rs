//! Explains to the user why there is no profile. In: an error of the sampling. Out: a failure with the next step.

use tierup_bench::run::Error as Load;
use tierup_sampling::Error;
use tierup_subject::Unreachable;

use crate::{failure::Failure, measure::not_measured};

/// The failure, with the hint of the sensor or of the witness.
pub(in crate::commands) fn failure(error: Error, hint: &str) -> Failure {
    let message = error.to_string();
    let hint = || hint.to_owned();
    match error {
        Error::Interrupted => Failure::Interrupted,
        Error::Load(Load::NothingRuns { trouble, .. }) => {
            Failure::new(format!("the server: {}", trouble.what)).output(trouble.log)
        }
        Error::Load(Load::AllRefused { .. }) => Failure::new(message)
            .hint("a profile needs requests with successful answers: name others with --requests, or one with --url"),
        Error::Load(error) => not_measured(error),
        Error::Runner(error) => Failure::from(error).or_hint(hint),
        Error::NoProcess { log, .. } => Failure::new(message).output(last_lines(&log)).or_hint(hint),
        // If the server's log explains its end, a hint would only be a guess.
        Error::Trouble(trouble) => {
            Failure::new(message).output(last_lines(&trouble.log)).maybe_hint(trouble.log.is_empty().then(hint))
        }
        Error::NoFolder(_) | Error::Socket(_) | Error::NoProfile(_) => Failure::new(message).or_hint(hint),
        Error::Ended(_) | Error::NotThere(_) | Error::OfAnother(_) | Error::Apart(_) => Failure::new(message),
    }
}

/// The failure if a running server's address cannot be used.
pub(super) fn unreachable(error: Unreachable) -> Failure {
    Failure::new(error.to_string()).maybe_hint(error.hint())
}

/// The first line of a failure.
pub(in crate::commands) fn first_line(failure: &Failure) -> String {
    let text = failure.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn last_lines(log: &[String]) -> Vec<String> {
    log[log.len().saturating_sub(10)..].to_vec()
}
