//! Why a command failed, for people: what happened, where, and the next step.

use std::{error::Error, fmt, io, iter};

use crate::Diagnostic;

/// How a command ended. The exit codes are part of the interface: `docs/reference/exit-codes.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The command did its work, and if it answers a question, the answer is yes.
    Done = 0,
    /// The command did its work, and its answer is no.
    No = 1,
    /// The user must first change the arguments, `tierup.toml` or another file.
    Usage = 2,
    /// Something failed, so there is no answer.
    Failed = 3,
    /// Ctrl-C or SIGTERM, as shells count signals.
    Interrupted = 130,
}

impl Exit {
    /// All exit codes, in ascending order.
    pub const ALL: [Exit; 5] = [Exit::Done, Exit::No, Exit::Usage, Exit::Failed, Exit::Interrupted];

    /// The number that the program exits with.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// What the exit code means, in one sentence for people.
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

/// The result of anything that can end a command.
pub type Result<T> = std::result::Result<T, Failure>;

/// Ends a command. `Display` is its form without colours.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong with the user's texts, in these places.
    Diagnostics(Vec<Diagnostic>),
    /// A program is not installed. A caller that knows how to install it adds the next step.
    Missing {
        message: String,
        program: String,
        /// The next step, which takes precedence over how to install the program.
        hint: Option<String>,
        /// The next step if no caller knows how to install the program.
        otherwise: Option<String>,
    },
    /// Anything else.
    Plain {
        message: String,
        /// The last lines of a program that failed.
        output: Vec<String>,
        /// The next step.
        hint: Option<String>,
        exit: Exit,
        /// The cause, which the message already includes.
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// The user interrupted the command.
    Interrupted,
    /// The reader of our output closed it (`tierup hosts | head -1`), which is not a failure.
    Unread,
}

impl Failure {
    /// The next step on a full disk.
    pub const FREE_SPACE: &str = "free some disk space, then run the same command again";

    /// The command could not do its work.
    pub fn new(message: impl Into<String>) -> Failure {
        Failure::plain(message.into(), Exit::Failed)
    }

    /// The command could not do its work because of this error: `cannot write a: Permission denied`. If the disk is
    /// full, the hint says to free space.
    pub fn because(message: impl fmt::Display, error: impl Error + Send + Sync + 'static) -> Failure {
        let full = disk_is_full(&error).then_some(Failure::FREE_SPACE);
        Failure::new(format!("{message}: {error}")).maybe_hint(full).caused_by(error)
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
        Failure::Plain { message, output: Vec::new(), hint: None, exit, source: None }
    }

    /// Shows the last lines of a program below the message.
    #[must_use]
    pub fn output(mut self, lines: Vec<String>) -> Failure {
        if let Failure::Plain { output, .. } = &mut self {
            *output = lines;
        }
        self
    }

    /// Keeps the cause, which the message already includes.
    #[must_use]
    pub fn caused_by(mut self, error: impl Error + Send + Sync + 'static) -> Failure {
        if let Failure::Plain { source, .. } = &mut self {
            *source = Some(Box::new(error));
        }
        self
    }

    /// The exit code of this failure.
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
    pub fn hint(self, next: impl Into<String>) -> Failure {
        self.maybe_hint(Some(next))
    }

    /// Sets the next step if there is one.
    #[must_use]
    pub fn maybe_hint(mut self, next: Option<impl Into<String>>) -> Failure {
        if let (Failure::Plain { hint, .. } | Failure::Missing { hint, .. }, Some(next)) = (&mut self, next) {
            *hint = Some(next.into());
        }
        self
    }

    /// Sets the next step if none is set yet.
    #[must_use]
    pub fn or_hint(mut self, next: impl FnOnce() -> String) -> Failure {
        if let Failure::Plain { hint: hint @ None, .. } | Failure::Missing { hint: None, otherwise: hint @ None, .. } =
            &mut self
        {
            *hint = Some(next());
        }
        self
    }
}

/// Whether the error, or one of its causes, is a full disk.
pub fn disk_is_full(error: &(dyn Error + 'static)) -> bool {
    let errors = iter::successors(Some(error), |&error| error.source());
    errors
        .filter_map(|error| error.downcast_ref::<io::Error>())
        .any(|error| matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded))
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Failure::Plain { source, .. } => source.as_deref().map(|source| source as _),
            _ => None,
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
            Failure::Missing { message, hint, otherwise, .. } => {
                (message, &[][..], hint.as_ref().or(otherwise.as_ref()))
            }
            Failure::Plain { message, output, hint, .. } => (message, &output[..], hint.as_ref()),
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

    #[test]
    fn output_and_next_step_follow_the_message() {
        let output = vec!["one".to_owned(), "two".to_owned()];
        let failure = Failure::new("it failed").output(output).hint("try again");
        assert_eq!(failure.to_string(), "error: it failed\n  one\n  two\nhint: try again");
    }

    #[test]
    fn the_first_next_step_stays_unless_it_is_replaced() {
        let failure = Failure::new("it failed").or_hint(|| "first".to_owned()).or_hint(|| "second".to_owned());
        assert_eq!(failure.to_string(), "error: it failed\nhint: first");
        assert_eq!(failure.hint("third").to_string(), "error: it failed\nhint: third");
    }

    #[test]
    fn a_missing_program_keeps_its_name_with_every_next_step() {
        let missing = || Failure::Missing {
            message: "`go` was not found".to_owned(),
            program: "go".to_owned(),
            hint: None,
            otherwise: None,
        };
        let with_context = missing().or_hint(|| "it builds the server".to_owned());
        assert_eq!(with_context.to_string(), "error: `go` was not found\nhint: it builds the server");
        let replaced = with_context.hint("install it yourself").or_hint(|| "too late".to_owned());
        assert_eq!(replaced.to_string(), "error: `go` was not found\nhint: install it yourself");
        assert!(matches!(replaced, Failure::Missing { program, .. } if program == "go"));
    }

    #[test]
    fn a_full_disk_is_found_at_any_depth_of_causes() {
        #[derive(Debug)]
        struct Above(io::Error);
        impl fmt::Display for Above {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "no report")
            }
        }
        impl Error for Above {
            fn source(&self) -> Option<&(dyn Error + 'static)> {
                Some(&self.0)
            }
        }
        let failed = |kind| Failure::because("cannot write `a`", Above(io::Error::new(kind, "any words")));
        let (full, refused) = (failed(io::ErrorKind::StorageFull), failed(io::ErrorKind::PermissionDenied));
        assert_eq!(full.to_string(), format!("error: cannot write `a`: no report\nhint: {}", Failure::FREE_SPACE));
        assert!(disk_is_full(&full), "the failure keeps its source");
        assert_eq!(refused.to_string(), "error: cannot write `a`: no report");
        assert!(!disk_is_full(&refused));
    }
}
