//! Why weights are not in force, or counts not known.

use std::{
    io,
    path::{Path, PathBuf},
};

pub type Result<T, E = Error> = std::result::Result<T, E>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot {action} `{}`: {source}", path.display())]
    File { action: &'static str, path: PathBuf, source: io::Error },
    /// The control file exists and cannot be used.
    #[error("`{}` is no control file: {source}", path.display())]
    ControlFile { path: PathBuf, source: tierup_rollout::Unreadable },
}

impl Error {
    /// For `map_err`: the action that failed and its path.
    pub(crate) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::File { action, path, source }
    }
}
