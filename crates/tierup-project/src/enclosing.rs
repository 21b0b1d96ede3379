//! The cargo workspaces around a project. If a pattern in their `members` matches `.tierup/`, cargo takes it for a
//! member, and cargo commands fail there, including the user's own.
//!
//! In: a project's folder. Out: nothing, or an error with the line that excludes `.tierup/`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use glob::{MatchOptions, Pattern};
use tierup_diagnostic::{Failure, Result};
use toml::{Table, Value};

use crate::{relative, shown};

/// The folder that tierup generates.
const WORK: &str = ".tierup";

/// Refuses a project if a workspace around it would include `.tierup/`, even if that folder does not exist yet.
///
/// # Errors
/// `.tierup/` would be included. The error names the manifest and the line to add.
pub fn check(project: &Path) -> Result<()> {
    for folder in project.ancestors() {
        let manifest = folder.join("Cargo.toml");
        let Some(workspace) = workspace(&manifest) else { continue };
        let work = relative(folder, &project.join(WORK));
        let Some(pattern) = taken_in_by(&workspace, &work) else { continue };
        let mut exclude: Vec<&str> = texts(&workspace, "exclude").collect();
        exclude.push(&work);
        let message = format!(
            "`{}` takes in `{work}` as a member, by `{pattern}` in `members`: cargo would no longer work there",
            shown(&manifest)
        );
        let hint = format!(
            "tierup generates a workspace of its own in `{work}`; set there, in [workspace]: exclude = {exclude:?}"
        );
        return Err(Failure::usage(message).hint(hint));
    }
    Ok(())
}

/// The root of the workspace of the crate in `folder`, or the folder itself if there is none. By cargo's rules, it is
/// the nearest workspace that does not exclude the crate, and a crate that `members` names is not excluded.
pub(crate) fn workspace_root(folder: &Path, manifest: &Table) -> PathBuf {
    if manifest.contains_key("workspace") {
        return folder.to_owned();
    }
    let named = manifest.get("package").and_then(|package| package.get("workspace")?.as_str());
    if let Some(root) = named.and_then(|root| fs::canonicalize(folder.join(root)).ok()) {
        return root;
    }
    let takes_in = |root: &&Path| {
        let Some(workspace) = workspace(&root.join("Cargo.toml")) else { return false };
        let lists = |key| texts(&workspace, key).any(|path| folder.starts_with(root.join(plain(path))));
        lists("members") || !lists("exclude")
    };
    folder.ancestors().skip(1).find(takes_in).unwrap_or(folder).to_owned()
}

/// The table `[workspace]` of a manifest. An unreadable manifest has none: cargo reports it.
fn workspace(manifest: &Path) -> Option<Table> {
    let manifest: Table = fs::read_to_string(manifest).ok()?.parse().ok()?;
    manifest.get("workspace")?.as_table().cloned()
}

fn texts<'a>(workspace: &'a Table, key: &str) -> impl Iterator<Item = &'a str> {
    workspace.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// The pattern of `members` that matches `work` (or a crate in it), unless `exclude` names it.
fn taken_in_by<'a>(workspace: &'a Table, work: &str) -> Option<&'a str> {
    // Cargo compares `exclude` as paths, not as patterns.
    if texts(workspace, "exclude").any(|excluded| Path::new(work).starts_with(plain(excluded))) {
        return None;
    }
    // As in cargo, a `*` matches one folder, hidden or not.
    let options =
        MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: false };
    let crate_in_it = format!("{work}/calls");
    texts(workspace, "members").find(|members| {
        let pattern = Pattern::new(plain(members));
        pattern.is_ok_and(|pattern| [work, &crate_in_it].into_iter().any(|path| pattern.matches_with(path, options)))
    })
}

fn plain(path: &str) -> &str {
    path.trim_start_matches("./").trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(workspace: &str, work: &str, expected: Option<&str>) {
        let table: Table = workspace.parse().expect("the test's manifest is TOML");
        assert_eq!(taken_in_by(&table, work), expected, "{workspace}: {work}");
    }

    #[test]
    fn patterns_match_as_cargo_expands_them() {
        check("members = [\"*\"]", ".tierup", Some("*"));
        check("members = [\"./*\"]", ".tierup", Some("./*"));
        check("members = [\"hot\", \"**\"]", "a/b/.tierup", Some("**"));
        check("members = [\"*/*\"]", ".tierup", Some("*/*"));
        check("members = [\"crates/*\"]", "crates/.tierup", Some("crates/*"));
        check("members = [\"crates/*\"]", "crates/shop/.tierup", None);
        check("members = [\"crates/*/*\"]", "crates/shop/.tierup", Some("crates/*/*"));
        check("members = [\"crates/*\", \"h*\"]", ".tierup", None);
        check("", ".tierup", None);
    }

    #[test]
    fn excluded_folders_are_no_members() {
        for exclude in [".tierup", "./.tierup", ".tierup/"] {
            check(&format!("members = [\"*\"]\nexclude = [{exclude:?}]"), ".tierup", None);
        }
        check("members = [\"*\", \"*/*\"]\nexclude = [\"shop\"]", "shop/.tierup", None);
        // Cargo does not expand patterns in `exclude`.
        check("members = [\"*\"]\nexclude = [\".t*\"]", ".tierup", Some("*"));
    }
}
