//! The folder for what tierup builds once for all projects of a user.

use std::{
    env,
    path::{Path, PathBuf, absolute},
};

use etcetera::BaseStrategy;

/// `TIERUP_CACHE`, or `tierup` in the platform's folder for caches; a project's own where a user has no home.
pub(crate) fn folder(work: &Path) -> PathBuf {
    let named = env::var_os("TIERUP_CACHE").filter(|path| !path.is_empty());
    let named = named.and_then(|path| absolute(path).ok());
    let native =
        || etcetera::base_strategy::choose_native_strategy().ok().map(|native| native.cache_dir().join("tierup"));
    named.or_else(native).unwrap_or_else(|| work.join("cache"))
}
