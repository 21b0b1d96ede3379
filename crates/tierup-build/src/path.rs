//! `PATH` for a user's server.

use std::env;

use tierup_codegen::{Host, HostSettings};

use crate::Described;

/// `PATH` for the server, where its host's installation left programs that come first.
pub(crate) fn programs(host: &dyn Host, settings: &HostSettings) -> Option<String> {
    let folders = host.programs(&Described(settings));
    let own: Vec<_> = folders.iter().map(|name| settings.folder.join(name)).filter(|path| path.is_dir()).collect();
    if own.is_empty() {
        return None;
    }
    let others = env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(env::split_paths(&others));
    // A folder whose name has a `:` in it cannot be on any `PATH`.
    Some(env::join_paths(all).ok()?.to_string_lossy().into_owned())
}
