//! The user's `[patch]` tables, so that `.tierup/` builds the dependencies that the user's own workspace builds.

use std::path::Path;

use toml_edit::{DocumentMut, Item, TableLike};

use crate::failure::{Failure, Result};

/// Adds the patches of the workspace in `root` to a manifest, paths made absolute.
pub(crate) fn add(manifest: &[u8], root: &Path) -> Result<Vec<u8>> {
    let file = root.join("Cargo.toml");
    let text = tierup_runner::read_text(&file)?.unwrap_or_default();
    let users: DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| Failure::new(format!("`{}`: {error}", file.display())))?;
    let Some(patch) = users.get("patch") else { return Ok(manifest.to_vec()) };
    let mut patch = patch.clone();
    for (_, registry) in patch.as_table_like_mut().into_iter().flat_map(TableLike::iter_mut) {
        for (_, dependency) in registry.as_table_like_mut().into_iter().flat_map(TableLike::iter_mut) {
            make_absolute(dependency, root);
        }
    }
    let mut own: DocumentMut = String::from_utf8_lossy(manifest)
        .parse()
        .map_err(|error: toml_edit::TomlError| Failure::new(format!("the generated manifest is broken: {error}")))?;
    own.insert("patch", patch);
    Ok(own.to_string().into_bytes())
}

fn make_absolute(dependency: &mut Item, root: &Path) {
    let Some(path) = dependency.get("path").and_then(Item::as_str) else { return };
    let absolute = root.join(path).display().to_string();
    if let Some(table) = dependency.as_table_like_mut() {
        table.insert("path", toml_edit::value(absolute));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_are_taken_over_with_absolute_paths() {
        let root = tempfile::tempdir().unwrap();
        let users =
            "[workspace]\n[patch.crates-io]\nserde = { path = \"vendor/serde\" }\nsyn = { git = \"https://x\" }\n";
        std::fs::write(root.path().join("Cargo.toml"), users).unwrap();
        let text = String::from_utf8(add(b"[workspace]\nmembers = []\n", root.path()).unwrap()).unwrap();
        let path = root.path().join("vendor/serde").display().to_string();
        assert!(text.contains("[patch.crates-io]") && text.contains(&path) && text.contains("https://x"), "{text}");
    }
}
