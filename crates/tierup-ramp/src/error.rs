//! Why a ramp cannot go on.

use std::{
    io,
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
    #[error(transparent)]
    Plan(#[from] tierup_rollout::PlanError),
    #[error(transparent)]
    Actuator(#[from] tierup_actuator::Error),
    /// What the database holds is not what a judge wrote.
    #[error("the database: {0}")]
    Damaged(String),
}

impl Error {
    /// For `map_err`: the action that failed and its path.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::File { action, path, source }
    }
}
