//! Finds out what a change affects, for `cargo xtask test quick`.
//!
//! In: the names of the changed files, and the packages with their dependencies. Out: the packages to test, the hosts
//! to run conformance for, and the files that only the full run tests.

use std::collections::BTreeSet;

/// A package of the workspace.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    /// Relative to the repository, with `/` between its parts.
    pub(crate) folder: String,
    /// Other packages of the workspace.
    pub(crate) dependencies: Vec<String>,
}

/// The things to test.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Reached {
    /// Packages with a changed file.
    pub(crate) changed: BTreeSet<String>,
    /// Other packages that directly depend on a changed one.
    pub(crate) users: BTreeSet<String>,
    /// Hosts whose own folder changed.
    pub(crate) hosts: BTreeSet<String>,
    /// Wasm tools with a changed file.
    pub(crate) wasm_tools: BTreeSet<&'static str>,
    /// Files outside all packages.
    pub(crate) elsewhere: Vec<String>,
}

/// Files that affect every build.
const OF_ALL: [&str; 6] =
    ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "clippy.toml", "rustfmt.toml", ".cargo/config.toml"];
/// The Wasm tools, which are programs outside the workspace.
pub(crate) const WASM_TOOLS: [&str; 2] = ["tools/wasm", "tools/precompile"];
/// The package that embeds the sources of the Wasm tools.
const EMBEDS_WASM_TOOLS: &str = "tierup-codegen";
const CONFORMANCE: &str = "conformance";

pub(crate) fn reached(files: &[String], packages: &[Package]) -> Reached {
    let mut reached = Reached::default();
    let hosts: BTreeSet<&str> = packages.iter().filter_map(|package| package.folder.strip_prefix("hosts/")).collect();
    for file in files {
        let owner = packages.iter().find(|package| inside(file, &package.folder));
        if let Some(package) = owner {
            reached.changed.insert(package.name.clone());
            reached.hosts.extend(package.folder.strip_prefix("hosts/").map(str::to_owned));
        } else if OF_ALL.contains(&file.as_str()) {
            reached.changed.extend(packages.iter().map(|package| package.name.clone()));
        } else if let Some(tool) = WASM_TOOLS.into_iter().find(|tool| inside(file, tool)) {
            reached.wasm_tools.insert(tool);
            reached.changed.insert(EMBEDS_WASM_TOOLS.to_owned());
        } else if let Some(host) = hosts.iter().find(|host| inside(file, &format!("{CONFORMANCE}/{host}"))) {
            reached.hosts.insert((*host).to_owned());
        } else if ["src", "project.rs", "Cargo.toml", "Cargo.lock", "tierup.toml"]
            .iter()
            .any(|part| inside(file, &format!("{CONFORMANCE}/{part}")))
        {
            reached.hosts.extend(hosts.iter().map(|host| (*host).to_owned()));
        } else {
            reached.elsewhere.push(file.clone());
        }
    }
    let uses = |package: &&Package| package.dependencies.iter().any(|name| reached.changed.contains(name));
    let users = packages.iter().filter(uses).map(|package| package.name.clone());
    reached.users = users.filter(|name| !reached.changed.contains(name)).collect();
    reached
}

fn inside(file: &str, folder: &str) -> bool {
    file.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[&str], changed: &[&str], users: &[&str], hosts: &[&str], elsewhere: &[&str]) -> Reached {
        let package = |name: &str, folder: &str, dependencies: &[&str]| Package {
            name: name.to_owned(),
            folder: folder.to_owned(),
            dependencies: dependencies.iter().map(|name| (*name).to_owned()).collect(),
        };
        let all = [
            package("tierup-codegen", "crates/tierup-codegen", &[]),
            package("tierup-stats", "crates/tierup-stats", &[]),
            package("tierup-bench", "crates/tierup-bench", &["tierup-stats"]),
            package("tierup-host-node", "hosts/node", &["tierup-codegen"]),
            package("tierup-host-go", "hosts/go", &["tierup-codegen"]),
            package("tierup", "crates/tierup", &["tierup-host-node", "tierup-host-go", "tierup-bench"]),
        ];
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let found = reached(&files, &all);
        let names = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>();
        assert_eq!(names(&found.changed), changed);
        assert_eq!(names(&found.users), users);
        assert_eq!(names(&found.hosts), hosts);
        assert_eq!(found.elsewhere, elsewhere);
        found
    }

    #[test]
    fn a_crate_affects_its_direct_users() {
        check(&["crates/tierup-stats/src/lib.rs"], &["tierup-stats"], &["tierup-bench"], &[], &[]);
        let hosts = ["tierup-host-go", "tierup-host-node"];
        check(&["crates/tierup-codegen/templates/core/lib.rs"], &["tierup-codegen"], &hosts, &[], &[]);
        // `tierup` is not a part of `tierup-stats`, although its name is a prefix.
        check(&["crates/tierup/src/main.rs"], &["tierup"], &[], &[], &[]);
    }

    #[test]
    fn a_changed_host_needs_its_conformance_tests() {
        let template = "hosts/node/templates/package/lib/wire.js";
        check(&[template], &["tierup-host-node"], &["tierup"], &["node"], &[]);
        check(&["conformance/go/values_test.go"], &[], &[], &["go"], &[]);
        check(&["conformance/src/lib.rs"], &[], &[], &["go", "node"], &[]);
        check(&["conformance/work/run.sh"], &[], &[], &[], &["conformance/work/run.sh"]);
    }

    #[test]
    fn the_wasm_tools_belong_to_codegen() {
        let hosts = ["tierup-host-go", "tierup-host-node"];
        for tool in WASM_TOOLS {
            let found = check(&[&format!("{tool}/src/main.rs")], &["tierup-codegen"], &hosts, &[], &[]);
            assert_eq!(found.wasm_tools, BTreeSet::from([tool]));
        }
    }

    #[test]
    fn every_changed_file_is_tested_or_listed() {
        check(&[], &[], &[], &[], &[]);
        let elsewhere = ["docs/method.md", "examples/a/b.rs"];
        check(&elsewhere, &[], &[], &[], &elsewhere);
        let all = ["tierup", "tierup-bench", "tierup-codegen", "tierup-host-go", "tierup-host-node", "tierup-stats"];
        check(&["Cargo.lock"], &all, &[], &[], &[]);
    }
}
