//! What an operator can tell a running judge, and how it answers: one line of text, and one line of JSON back.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use tierup_rollout::{Part, Phase, Weights};

/// An operator's command to a running judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Status,
    /// No step is taken until `resume`; the candidate may still be rolled back.
    Pause,
    Resume,
    /// The candidate gets this weight now.
    To(Part),
    /// The candidate gets all requests, if the judge needs nothing more.
    Finish,
    /// Control answers all requests from now on.
    Abort,
    /// The owner of the weights wants to take its next step, and takes it if this is not refused.
    Advance,
}

/// The text is not a [`Command`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no command: status, pause, resume, to PART (25%), finish, abort, advance")]
pub struct NoCommand(String);

impl FromStr for Command {
    type Err = NoCommand;

    fn from_str(text: &str) -> Result<Command, NoCommand> {
        let command = match text.split_once(' ') {
            None => match text {
                "status" => Some(Command::Status),
                "pause" => Some(Command::Pause),
                "resume" => Some(Command::Resume),
                "finish" => Some(Command::Finish),
                "abort" => Some(Command::Abort),
                "advance" => Some(Command::Advance),
                _ => None,
            },
            Some(("to", part)) => part.parse().ok().map(Command::To),
            Some(_) => None,
        };
        command.ok_or_else(|| NoCommand(text.to_owned()))
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Status => f.write_str("status"),
            Command::Pause => f.write_str("pause"),
            Command::Resume => f.write_str("resume"),
            Command::To(part) => write!(f, "to {part}"),
            Command::Finish => f.write_str("finish"),
            Command::Abort => f.write_str("abort"),
            Command::Advance => f.write_str("advance"),
        }
    }
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Why the command was refused; `None` if it was carried out.
    pub refused: Option<String>,
    pub status: Status,
}

/// The state of a ramp.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Eight hexadecimal digits.
    pub ramp: String,
    pub phase: Phase,
    /// The weights in force, as far as the proxies have heard of them.
    pub weights: Weights,
    /// For how many seconds a judge has run.
    pub elapsed: u64,
    /// The number of proxies that write evidence.
    pub proxies: usize,
    /// What the last look at the evidence found, in words.
    pub words: Vec<String>,
    /// What keeps the judge from judging, or from putting weights into force.
    pub trouble: Option<String>,
    /// What the judge advises, if another program owns the weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<Advice>,
}

/// What the owner of the weights should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Advice {
    /// Take the next step.
    #[serde(rename = "advance")]
    Advance,
    /// Leave the weights as they are.
    #[serde(rename = "hold")]
    Hold,
    /// Give the candidate nothing, for good.
    #[serde(rename = "roll back")]
    RollBack,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Advice::Advance => "advance",
            Advice::Hold => "hold",
            Advice::RollBack => "roll back",
        })
    }
}

impl fmt::Display for Status {
    /// Begins like `5% at the candidate: …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = self.weights.candidate;
        match self.phase {
            _ if let Some(advice) = self.advice => write!(f, "the advice: {advice}")?,
            Phase::Shadow => f.write_str("shadow: the control answers all")?,
            Phase::Ramping => write!(f, "ramping: the candidate answers {weight}")?,
            Phase::Paused => write!(f, "paused: the candidate answers {weight}")?,
            Phase::Done => write!(f, "done: the candidate answers {weight}")?,
            Phase::RolledBack => f.write_str("rolled back: the control answers all")?,
        }
        if self.proxies != 1 {
            write!(f, " ({} proxies)", self.proxies)?;
        }
        if let Some(trouble) = &self.trouble {
            write!(f, "\n  trouble: {trouble}")?;
        }
        self.words.iter().try_for_each(|words| write!(f, "\n  {words}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_it_is_written() {
        for text in ["status", "pause", "resume", "to 25%", "to 0.5%", "finish", "abort", "advance"] {
            assert_eq!(text.parse::<Command>().map(|command| command.to_string()), Ok(text.to_owned()));
        }
        for wrong in ["", "stop", "to", "to 25", "to  25%", "to 101%", "pause now", "Status"] {
            assert!(wrong.parse::<Command>().is_err(), "{wrong}");
        }
    }
}
