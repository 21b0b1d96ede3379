//! The reasons why there is no profile.

use tierup_subject::Trouble;

/// A reason why a profile cannot be taken.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot make a private folder for the profiler: {0}")]
    NoFolder(std::io::Error),
    #[error("cannot talk to the processes of the server: {0}")]
    Socket(std::io::Error),
    /// The server ran, but the sensor was in none of its processes.
    #[error("no process of the server could be sampled{}", why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    NoProcess { why: Option<String>, log: Vec<String> },
    #[error("the profiler wrote no profile: {0}")]
    NoProfile(String),
    /// tierup had attached to this server.
    #[error("process {0} ended while it was profiled")]
    Ended(u32),
    #[error("there is no process {0}")]
    NotThere(u32),
    #[error("process {0} belongs to another user: run tierup as that user, or as root")]
    OfAnother(u32),
    #[error("process {0} sees other files, as in a container: run tierup inside of it")]
    Apart(u32),
    #[error(transparent)]
    Runner(#[from] tierup_runner::Error),
    #[error(transparent)]
    Load(#[from] tierup_bench::run::Error),
    /// The server did not start or answer.
    #[error("the server: {}", .0.what)]
    Trouble(Trouble),
    #[error("interrupted")]
    Interrupted,
}
