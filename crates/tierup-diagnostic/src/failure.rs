//! Why a command failed, for people: what happened, where, and the next step.

use std::fmt;

use crate::Diagnostic;

/// How a command ended. The exit codes are part of the interface: `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The work is done, and where the command answers a question, the answer is yes.
    Done = 0,
    /// The command did its work, and its answer is no.
    No = 1,
    /// The arguments, `tierup.toml` or another file of the user's must change first.
    Usage = 2,
    /// Something failed, so there is no answer.
    Failed = 3,
    /// Ctrl-C or SIGTERM, as shells count signals.
    Interrupted = 130,
}

impl Exit {
    /// All, in the order of their codes.
    pub const ALL: [Exit; 5] = [Exit::Done, Exit::No, Exit::Usage, Exit::Failed, Exit::Interrupted];

    /// The number that the program exits with.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// What it means, in one sentence for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Done => "Alike, or done.",
            Exit::No => {
                "The answer is no: answers differ, the candidate was rolled back, a golden answer is wrong, a tool is missing."
            }
            Exit::Usage => {
                "Wrong usage or configuration: an argument, `tierup.toml`, a requests file or the crate's interface."
            }
            Exit::Failed => {
                "The command could not run to its end: a build failed, a server did not start, a port is in use."
            }
            Exit::Interrupted => "Interrupted by Ctrl-C or SIGTERM.",
        }
    }
}

/// The result of whatever can end a command.
pub type Result<T> = std::result::Result<T, Failure>;

/// Ends a command. `Display` is its form without colours.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong with the user's texts, in these places.
    Diagnostics(Vec<Diagnostic>),
    /// A program is not on this machine. Whoever knows how to get it adds that as the next step.
    Missing {
        message: String,
        program: String,
        /// The next step where nobody knows how to get the program.
        hint: Option<String>,
    },
    /// Anything else.
    Plain {
        message: String,
        /// The last lines of a program that failed.
        output: Vec<String>,
        /// The next step.
        hint: Option<String>,
        exit: Exit,
    },
    /// The user ended it.
    Interrupted,
    /// The reader of our output has seen enough (`tierup hosts | head -1`): no failure at all.
    Unread,
}

impl Failure {
    /// The command could not do its work.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure::plain(message.into(), Exit::Failed)
    }

    /// The command did its work, and the answer is no.
    pub fn no(message: impl Into<String>) -> Failure {
        Failure::plain(message.into(), Exit::No)
    }

    /// The user's arguments or files must change first.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure::plain(message.into(), Exit::Usage)
    }

    fn plain(message: String, exit: Exit) -> Failure {
        Failure::Plain { message, output: Vec::new(), hint: None, exit }
    }

    /// What the program's exit code says.
    pub fn exit(&self) -> Exit {
        match self {
            Failure::Diagnostics(_) => Exit::Usage,
            Failure::Missing { .. } => Exit::Failed,
            Failure::Plain { exit, .. } => *exit,
            Failure::Interrupted => Exit::Interrupted,
            Failure::Unread => Exit::Done,
        }
    }

    /// Sets the next step.
    #[must_use]
    pub fn hint(self, next: String) -> Failure {
        let hint = Some(next);
        match self {
            Failure::Plain { message, output, exit, .. } => Failure::Plain { message, output, hint, exit },
            Failure::Missing { message, .. } => {
                Failure::Plain { message, output: Vec::new(), hint, exit: Exit::Failed }
            }
            other => other,
        }
    }

    /// Sets the next step where there is none yet.
    #[must_use]
    pub fn or_hint(self, next: impl FnOnce() -> String) -> Failure {
        match self {
            Failure::Plain { message, output, hint: None, exit } => {
                Failure::Plain { message, output, hint: Some(next()), exit }
            }
            Failure::Missing { message, program, hint: None } => {
                Failure::Missing { message, program, hint: Some(next()) }
            }
            other => other,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (message, output, hint) = match self {
            Failure::Diagnostics(problems) => {
                let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
                return f.write_str(&problems.join("\n\n"));
            }
            Failure::Missing { message, hint, .. } => (message, &[][..], hint),
            Failure::Plain { message, output, hint, .. } => (message, &output[..], hint),
            Failure::Interrupted => return f.write_str("interrupted"),
            Failure::Unread => return Ok(()),
        };
        write!(f, "error: {message}")?;
        output.iter().try_for_each(|line| write!(f, "\n  {line}"))?;
        hint.iter().try_for_each(|hint| write!(f, "\nhint: {hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing() -> Failure {
        Failure::Missing { message: "`go` was not found".to_owned(), program: "go".to_owned(), hint: None }
    }

    #[test]
    fn output_and_next_step_follow_the_message() {
        let failure = Failure::Plain {
            message: "it failed".to_owned(),
            output: vec!["one".to_owned(), "two".to_owned()],
            hint: Some("try again".to_owned()),
            exit: Exit::Failed,
        };
        assert_eq!(failure.to_string(), "error: it failed\n  one\n  two\nhint: try again");
    }

    #[test]
    fn the_first_next_step_stays_unless_it_is_replaced() {
        let failure = Failure::new("it failed").or_hint(|| "first".to_owned()).or_hint(|| "second".to_owned());
        assert_eq!(failure.to_string(), "error: it failed\nhint: first");
        assert_eq!(failure.hint("third".to_owned()).to_string(), "error: it failed\nhint: third");
    }

    #[test]
    fn a_missing_program_stays_known_until_a_next_step_replaces_it() {
        let with_context = missing().or_hint(|| "it builds the server".to_owned());
        assert!(matches!(&with_context, Failure::Missing { program, .. } if program == "go"));
        assert_eq!(with_context.to_string(), "error: `go` was not found\nhint: it builds the server");
        assert!(matches!(missing().hint("install it yourself".to_owned()), Failure::Plain { .. }));
    }
}
