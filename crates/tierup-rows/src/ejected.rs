//! A generated crate as one of the user's own, built with the versions that the user tested.

use std::path::Path;

use tierup_codegen::Files;
use tierup_diagnostic::{Failure, Result};
use tierup_project::{Loaded, relative};
use tierup_runner::read_text;
use toml_edit::{DocumentMut, TomlError};

use crate::patches::{self, users_manifest};

/// The files of a crate for `folder`, with the patches and the lock file of the user's workspace: the crate is a workspace of
/// its own, and would otherwise be built with other dependencies than the user tested. Cargo adds what the lock file lacks.
///
/// # Errors
/// Where the user's manifest or lock file cannot be read.
pub fn with_users_versions(files: &Files, loaded: &Loaded, folder: &Path) -> Result<Files> {
    let root = &loaded.workspace_root;
    let mut all = Files::new();
    for (name, content) in files.iter() {
        let patched = if name == "Cargo.toml" {
            let mut own: DocumentMut = String::from_utf8_lossy(content)
                .parse()
                .map_err(|error: TomlError| Failure::new(format!("the generated manifest is broken: {error}")))?;
            patches::add(&mut own, &users_manifest(root)?, root, |path| relative(folder, path));
            own.to_string().into_bytes()
        } else {
            content.to_vec()
        };
        all.add(name, patched);
    }
    if let Some(lock) = read_text(&root.join("Cargo.lock"))? {
        all.add("Cargo.lock", lock);
    }
    Ok(all)
}
