//! Why there is no profile, for the user. In: an error of the sampling. Out: a failure with the next step.

use tierup_bench::run::Error as Load;
use tierup_sampling::Error;
use tierup_subject::Unreachable;

use crate::{
    failure::{Exit, Failure},
    measure::not_measured,
};

/// Why there is no profile, with the hint of the sensor or of the witness.
pub(in crate::commands) fn failure(error: Error, hint: &str) -> Failure {
    let message = error.to_string();
    let hint = || hint.to_owned();
    match error {
        Error::Interrupted => Failure::Interrupted,
        Error::Load(Load::NothingRuns { trouble, .. }) => Failure::Plain {
            message: format!("the server: {}", trouble.what),
            output: trouble.log,
            hint: None,
            exit: Exit::Failed,
        },
        Error::Load(Load::AllRefused { .. }) => Failure::new(message).hint(
            "a profile needs requests with successful answers: name others with --requests, or one with --url"
                .to_owned(),
        ),
        Error::Load(error) => not_measured(error),
        Error::Runner(error) => Failure::from(error).or_hint(hint),
        Error::NoProcess { log, .. } => {
            Failure::Plain { message, output: last_lines(&log), hint: Some(hint()), exit: Exit::Failed }
        }
        Error::Trouble(trouble) => {
            // A server that says why it ended needs no guess.
            let hint = trouble.log.is_empty().then(hint);
            Failure::Plain { message, output: last_lines(&trouble.log), hint, exit: Exit::Failed }
        }
        Error::NoFolder(_) | Error::Socket(_) | Error::NoProfile(_) => Failure::new(message).or_hint(hint),
        Error::Ended(_) | Error::NotThere(_) | Error::OfAnother(_) | Error::Apart(_) => Failure::new(message),
    }
}

/// Why the address of a server that runs already is of no use.
pub(super) fn unreachable(error: Unreachable) -> Failure {
    let failure = Failure::new(error.to_string());
    match error.hint() {
        Some(hint) => failure.hint(hint.to_owned()),
        None => failure,
    }
}

/// What a failure says first.
pub(in crate::commands) fn first_line(failure: &Failure) -> String {
    let text = failure.to_string();
    text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

fn last_lines(log: &[String]) -> Vec<String> {
    log[log.len().saturating_sub(10)..].to_vec()
}
