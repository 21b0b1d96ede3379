//! The user's `[patch]` tables, so that what tierup generates is built with the dependencies of the user's own workspace.

use std::path::Path;

use toml_edit::{DocumentMut, Item, TableLike};

use crate::failure::{Failure, Result};

/// Adds the patches of the workspace in `root` to a manifest. `way` makes of an absolute path the one to write.
pub(crate) fn add(manifest: &[u8], root: &Path, way: impl Fn(&Path) -> String) -> Result<Vec<u8>> {
    let file = root.join("Cargo.toml");
    let text = tierup_runner::read_text(&file)?.unwrap_or_default();
    let users: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| Failure::new(format!("`{}`: {error}", file.display())))?;
    let Some(patch) = users.get("patch") else { return Ok(manifest.to_vec()) };
    let mut patch = patch.clone();
    for (_, registry) in patch.as_table_like_mut().into_iter().flat_map(TableLike::iter_mut) {
        for (_, dependency) in registry.as_table_like_mut().into_iter().flat_map(TableLike::iter_mut) {
            change_path(dependency, root, &way);
        }
    }
    let mut own: DocumentMut = String::from_utf8_lossy(manifest)
        .parse()
        .map_err(|error: toml_edit::TomlError| Failure::new(format!("the generated manifest is broken: {error}")))?;
    own.insert("patch", patch);
    Ok(own.to_string().into_bytes())
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
    fn patches_are_taken_over_with_their_paths_changed() {
        let root = tempfile::tempdir().unwrap();
        let users =
            "[workspace]\n[patch.crates-io]\nserde = { path = \"vendor/serde\" }\nsyn = { git = \"https://x\" }\n";
        std::fs::write(root.path().join("Cargo.toml"), users).unwrap();
        let absolute = |path: &Path| path.display().to_string();
        let text = String::from_utf8(add(b"[workspace]\nmembers = []\n", root.path(), absolute).unwrap()).unwrap();
        let path = root.path().join("vendor/serde").display().to_string();
        assert!(text.contains("[patch.crates-io]") && text.contains(&path) && text.contains("https://x"), "{text}");
    }
}
