//! What the end of a command says to a script: the program's exit code.

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
