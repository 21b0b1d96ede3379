//! The packages of the workspace and their integration tests, as `cargo metadata` lists them.

use std::{collections::BTreeSet, path::PathBuf};

use serde_json::Value;

use crate::{
    changes::Package,
    repository::{answer, root},
};

/// All packages; empty if cargo does not list them.
pub(crate) fn all() -> Vec<Package> {
    listed().iter().filter_map(package).collect()
}

/// The integration tests that a plain `cargo test` runs, with their packages. Excludes tests that build whole projects,
/// need a browser, or take minutes.
pub(crate) fn integration_tests() -> BTreeSet<(String, String)> {
    let is_plain = |target: &Value| target["test"] == true && list(&target["kind"]).contains(&"test".into());
    let of = |package: Value| {
        let targets = list(&package["targets"]).into_iter().filter(is_plain).collect::<Vec<_>>();
        targets.into_iter().map(move |target| (text(&package["name"]), text(&target["name"])))
    };
    listed().into_iter().flat_map(of).collect()
}

fn listed() -> Vec<Value> {
    let said = answer("cargo", &["metadata", "--no-deps", "--format-version", "1"]).unwrap_or_default();
    let metadata: Value = serde_json::from_str(&said).unwrap_or_default();
    list(&metadata["packages"])
}

fn package(package: &Value) -> Option<Package> {
    let manifest = PathBuf::from(text(&package["manifest_path"]));
    let folder = manifest.parent()?.strip_prefix(root()).ok()?;
    let folder = folder.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
    let own = list(&package["dependencies"]).into_iter().filter(|dependency| dependency["path"].is_string());
    let dependencies = own.map(|dependency| text(&dependency["name"])).collect();
    Some(Package { name: text(&package["name"]), folder, dependencies })
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If cargo's format changed, no change would affect any package.
    #[test]
    fn the_packages_of_this_workspace_are_found() {
        let packages = all();
        let tierup = packages.iter().find(|package| package.name == "tierup").expect("the program is there");
        assert_eq!(tierup.folder, "crates/tierup");
        assert!(tierup.dependencies.iter().any(|name| name == "tierup-host-node"), "{tierup:?}");
    }

    #[test]
    fn integration_tests_exclude_those_that_run_separately() {
        let tests: BTreeSet<String> = integration_tests().into_iter().map(|(_, test)| test).collect();
        assert!(tests.contains("commands") && tests.contains("architecture"), "{tests:?}");
        assert!(!tests.contains("end_to_end") && !tests.contains("tierup"), "{tests:?}");
    }
}
