//! The user's `[patch]` tables and lock file, so that generated crates are built with the dependencies that the user tested.

use std::path::Path;

use tierup_codegen::Files;
use tierup_diagnostic::{Failure, Result};
use tierup_project::{Loaded, relative};
use tierup_runner::read_text;
use toml_edit::{DocumentMut, Item, TableLike, TomlError};

/// Adds the patches and the lock file of the user's workspace to a crate's files for `folder`. The crate is a workspace
/// of its own, and would otherwise get other dependencies than the user tested. Cargo adds what the lock file lacks.
///
/// # Errors
/// The user's manifest or lock file cannot be read.
pub fn with_users_versions(files: &Files, loaded: &Loaded, folder: &Path) -> Result<Files> {
    let root = &loaded.workspace_root;
    let mut all = Files::new();
    for (name, content) in files.iter() {
        let patched = if name == "Cargo.toml" {
            let mut own: DocumentMut = String::from_utf8_lossy(content)
                .parse()
                .map_err(|error: TomlError| Failure::new(format!("the generated manifest is broken: {error}")))?;
            add(&mut own, &users_manifest(root)?, root, |path| relative(folder, path));
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

/// The manifest of the user's workspace in `root`.
pub(crate) fn users_manifest(root: &Path) -> Result<DocumentMut> {
    let file = root.join("Cargo.toml");
    let text = tierup_runner::read_text(&file)?.unwrap_or_default();
    text.parse().map_err(|error: toml_edit::TomlError| Failure::usage(format!("`{}`: {error}", file.display())))
}

/// Adds the patches of the user's manifest in `root` to a generated manifest. `way` turns an absolute path into the one
/// that is written.
pub(crate) fn add(own: &mut DocumentMut, users: &DocumentMut, root: &Path, way: impl Fn(&Path) -> String) {
    let Some(patch) = users.get("patch") else { return };
    let mut patch = patch.clone();
    for (_, registry) in patch.as_table_like_mut().into_iter().flat_map(TableLike::iter_mut) {
        for (_, dependency) in registry.as_table_like_mut().into_iter().flat_map(TableLike::iter_mut) {
            change_path(dependency, root, &way);
        }
    }
    own.insert("patch", patch);
}

fn change_path(dependency: &mut Item, root: &Path, way: impl Fn(&Path) -> String) {
    let Some(path) = dependency.get("path").and_then(Item::as_str) else { return };
    let changed = way(&root.join(path));
    if let Some(table) = dependency.as_table_like_mut() {
        table.insert("path", toml_edit::value(changed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_copied_with_adapted_paths() {
        let root = tempfile::tempdir().unwrap();
        let users =
            "[workspace]\n[patch.crates-io]\nserde = { path = \"vendor/serde\" }\nsyn = { git = \"https://x\" }\n";
        std::fs::write(root.path().join("Cargo.toml"), users).unwrap();
        let absolute = |path: &Path| path.display().to_string();
        let mut own: DocumentMut = "[workspace]\nmembers = []\n".parse().unwrap();
        add(&mut own, &users_manifest(root.path()).unwrap(), root.path(), absolute);
        let text = own.to_string();
        let path = root.path().join("vendor/serde").display().to_string();
        assert!(text.contains("[patch.crates-io]") && text.contains(&path) && text.contains("https://x"), "{text}");
    }
}
