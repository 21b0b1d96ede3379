//! Why a ramp cannot go on, weights are not in force, or counts are unknown.

use std::{
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot {action} `{}`: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    #[error("another `tierup ramp` judges in `{}` (process {process})", folder.display())]
    Judged { folder: PathBuf, process: String },
    #[error("the database: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("Postgres: {what}")]
    Postgres {
        /// `None` if it cannot be reached, or is not ready.
        code: Option<String>,
        what: String,
        /// The next step.
        hint: Option<&'static str>,
    },
    /// The lease is over.
    #[error("another judge has taken over{}", holder.as_ref().map(|name| format!(": {name}")).unwrap_or_default())]
    Deposed { holder: Option<String> },
    #[error(transparent)]
    Plan(#[from] tierup_rollout::PlanError),
    /// The database holds something that no judge wrote.
    #[error("the database: {0}")]
    Damaged(String),
    /// The control file exists and cannot be used.
    #[error("`{}` is no control file: {source}", path.display())]
    ControlFile { path: PathBuf, source: tierup_rollout::Unreadable },
    /// A load balancer's configuration lacks something.
    #[error("{program}: {what}")]
    NotSetUp {
        program: &'static str,
        what: String,
        /// The next step.
        hint: String,
    },
    /// A load balancer gave an unexpected answer.
    #[error("{program} answered `{command}` with `{answer}`")]
    Refused { program: &'static str, command: &'static str, answer: String },
    /// A load balancer runs with other weights than those that were set.
    #[error("{program} has not put the weights into force: {why}")]
    NotInForce { program: &'static str, why: String },
    /// A load balancer did not log all its answers, so bad ones may be missing.
    #[error("{program} gave {answers} answers and logged {logged}: what it does not log cannot be judged")]
    Unlogged { program: &'static str, answers: u64, logged: u64 },
    /// A load balancer's status does not answer.
    #[error("cannot ask {program} for its status at {address}: {source}")]
    Unreachable { program: &'static str, address: SocketAddr, source: io::Error },
    /// The connection to a load balancer's log ended.
    #[error("the connection to {program}'s log ended: {source}")]
    Ended { program: &'static str, source: io::Error },
    #[error(transparent)]
    Program(#[from] tierup_runner::Error),
}

impl Error {
    /// Makes a closure for `map_err`, from the failed action and its path.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::File { action, path, source }
    }

    /// What to do about it, if that is known.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Error::NotSetUp { hint, .. } => Some(hint),
            Error::Postgres { hint, .. } => *hint,
            _ => None,
        }
    }
}
