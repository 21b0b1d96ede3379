//! What installs a server's dependencies, and when.
//!
//! In: the server's folder. Out: the commands of its manager, the files that decide them, and whether all is there.

use tierup_codegen::{Install, ServerFolder};

use crate::{
    installed,
    manager::{MANIFEST, found},
};

/// What installs the dependencies of the server in `folder`.
pub(crate) fn install(folder: &dyn ServerFolder) -> Install {
    // Without a manifest, npm would take the one of some folder above.
    if !folder.exists(MANIFEST) || !installed::asks_for_any(folder) {
        return Install { decided_by: vec![MANIFEST.to_owned()], ..Install::default() };
    }
    let found = found(folder);
    let mut decided_by = vec![MANIFEST.to_owned()];
    decided_by.extend(found.lock_file.map(|name| format!("{}{name}", found.root)));
    let plug_and_play = format!("{}.pnp.cjs", found.root);
    let leaves = match folder.exists(&plug_and_play) {
        true => plug_and_play,
        false => format!("{}node_modules", found.root),
    };
    Install {
        commands: vec![found.manager.install(found.lock_file.is_some())],
        is_there: installed::is_there(folder, &found),
        found_by: found.by,
        decided_by,
        leaves,
    }
}
