//! Assembles the content of a project's `.tierup/`, from the shims that all hosts share and from the hosts.
//!
//! Everything is generated each time, whatever is built of it: generation is quick, and the workspace stays whole. Only
//! the output of the Wasm tools is added when its variant is built.

use std::{collections::BTreeSet, path::PathBuf};

use tierup_codegen::{Files, Machine, Project, Server, Step, Variant, shims};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use toml_edit::DocumentMut;

use crate::{
    patches::{self, users_manifest},
    profile,
};

/// The shims that several hosts or variants build on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommonShim {
    Cli,
    Component,
    Server,
    /// The functions without a host, which variants are compared with. No variant needs it.
    Alone,
}

impl CommonShim {
    pub(crate) fn needed_by(variant: Variant) -> Option<CommonShim> {
        match variant {
            Variant::Spawn | Variant::Pool => Some(CommonShim::Cli),
            Variant::Component => Some(CommonShim::Component),
            Variant::Server => Some(CommonShim::Server),
            Variant::Bindgen | Variant::Core | Variant::Native | Variant::Async => None,
        }
    }
}

/// The files of a project, and the build steps of the shared shims. Hosts know their own steps.
pub(crate) struct Plan {
    /// All files except the workspace's manifest, whose members are not known yet.
    pub(crate) files: Files,
    /// The folders that are crates.
    pub(crate) members: Vec<String>,
    shared: Vec<(CommonShim, Vec<Step>)>,
    pub(crate) project: Project,
    /// The manifest of the user's workspace.
    pub(crate) users: DocumentMut,
    users_root: PathBuf,
}

impl Plan {
    pub(crate) fn shared(&self, shared: CommonShim) -> Vec<Step> {
        let found = self.shared.iter().find(|(one, _)| *one == shared);
        found.map(|(_, steps)| steps.clone()).unwrap_or_default()
    }

    /// The workspace's manifest for these members, with the patches and the profile of the user's workspace.
    pub(crate) fn manifest(&self, members: &[String]) -> Result<Vec<u8>> {
        Ok(self.manifest_and_rest(members)?.0.into_bytes())
    }

    /// The settings of the user's `[profile.release]` that are not copied.
    pub(crate) fn profile_left_out(&self) -> Result<Vec<String>> {
        Ok(self.manifest_and_rest(&[])?.1)
    }

    fn manifest_and_rest(&self, members: &[String]) -> Result<(String, Vec<String>)> {
        let files = shims::workspace(&self.project, members);
        let text = String::from_utf8_lossy(files.get("Cargo.toml").unwrap_or_default()).into_owned();
        let mut own: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            Failure::new(format!("the generated manifest is broken: {error}"))
        })?;
        let left_out = profile::add(&mut own, &self.users);
        patches::add(&mut own, &self.users, &self.users_root, |path| path.display().to_string());
        Ok((own.to_string(), left_out))
    }
}

/// Generates the files and steps of a project.
pub(crate) fn assemble(loaded: &Loaded) -> Result<Plan> {
    let (project, machine) = (&loaded.project, Machine::this());
    let mut files = Files::new().with(".gitignore", "*\n").with("schema.json", format!("{:#}\n", loaded.schema));
    merge(&mut files, shims::calls(project));
    merge(&mut files, shims::json::json(project));
    merge(&mut files, shims::core(project));
    let mut recipes = vec![
        (CommonShim::Cli, shims::cli(project, &machine)),
        (CommonShim::Component, shims::component::component(project)),
        (CommonShim::Alone, shims::driver(project)),
    ];
    if project.server != Server::None {
        recipes.push((CommonShim::Server, shims::server::server(project, &machine)));
    }
    let mut shared = Vec::new();
    for (one, recipe) in recipes {
        merge(&mut files, recipe.files);
        shared.push((one, recipe.steps));
    }
    for (host, settings) in &loaded.hosts {
        let cannot = |reason| Failure::usage(format!("{} does not support this interface: {reason}", host.title()));
        let mut package = host.package(project, settings).map_err(cannot)?;
        merge(&mut package, host.driver(project, settings).0);
        files.extend_below(host.name(), package);
        for variant in host.supported(&machine) {
            merge(&mut files, host.recipe(project, variant, &machine).files);
        }
    }
    let members: Vec<String> = members(&files).into_iter().collect();
    let users_root = loaded.workspace_root.clone();
    let users = users_manifest(&users_root)?;
    Ok(Plan { files, members, shared, project: project.clone(), users, users_root })
}

/// Adds files. Two variants may build the same crate, so a file may be there already.
fn merge(files: &mut Files, other: Files) {
    for (name, content) in other.iter() {
        if files.get(name) != Some(content) {
            files.add(name, content);
        }
    }
}

/// The folders that are crates.
fn members(files: &Files) -> BTreeSet<String> {
    files.iter().filter_map(|(name, _)| name.strip_suffix("/Cargo.toml")).map(str::to_owned).collect()
}
