//! What `cargo metadata` says of the crates of a workspace, and of those that they depend on.

use std::path::Path;

use serde::Deserialize;
use tierup_diagnostic::{Failure, Result};

#[derive(Deserialize)]
pub(super) struct Metadata {
    pub(super) packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
pub(super) struct Package {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) description: Option<String>,
    pub(super) repository: Option<String>,
    pub(super) manifest_path: String,
    /// `None` if the package is in a folder of this machine.
    pub(super) source: Option<String>,
    pub(super) targets: Vec<Kinds>,
}

#[derive(Deserialize)]
pub(super) struct Kinds {
    pub(super) kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None` if the dependency is linked; otherwise `build` or `dev`.
    kind: Option<String>,
}

impl Metadata {
    pub(super) fn read(said: &str) -> Result<Metadata> {
        serde_json::from_str(said)
            .map_err(|error| Failure::new(format!("`cargo metadata` said what tierup does not read: {error}")))
    }

    #[cfg(test)]
    pub(super) fn package(&self, id: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.id == id)
    }

    /// The identities of the crates whose code is linked into this one, because it depends on them.
    pub(super) fn linked_by<'a>(&'a self, id: &'a str) -> impl Iterator<Item = &'a str> {
        let nodes = self.resolve.nodes.iter().filter(move |node| node.id == id);
        let linked = |one: &&Dependency| one.dep_kinds.iter().any(|kind| kind.kind.is_none());
        nodes.flat_map(move |node| node.deps.iter().filter(linked)).map(|dependency| &*dependency.pkg)
    }

    /// The folders of crates that exist only on this machine.
    pub(super) fn local_folders(&self) -> impl Iterator<Item = String> {
        let local = self.packages.iter().filter(|package| package.source.is_none());
        local.filter_map(|package| Some(Path::new(&package.manifest_path).parent()?.display().to_string()))
    }
}
