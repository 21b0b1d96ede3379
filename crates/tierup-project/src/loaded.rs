//! A project that has been read.

use std::path::{Path, PathBuf};

use tierup_codegen::{Host, HostSettings, Project};
use tierup_diagnostic::{Failure, Result};

use crate::{BenchSettings, CheckSettings, DownstreamSettings, GoldenRequest, ProfileSettings, RolloutSettings};

/// The file that marks a folder as a project.
pub const FILE: &str = "tierup.toml";

/// A project and its folders.
pub struct Loaded {
    /// The project's folder, as an absolute path.
    pub folder: PathBuf,
    /// The folder `.tierup/` of the project, which tierup generates and builds.
    pub work: PathBuf,
    /// The part of the settings that generators need.
    pub project: Project,
    /// The hosts, in the order of `tierup.toml`.
    pub hosts: Vec<(&'static dyn Host, HostSettings)>,
    /// The root of the user's cargo workspace, with its lock file and patches.
    pub workspace_root: PathBuf,
    /// `[bench]`.
    pub bench: BenchSettings,
    /// `[check]`.
    pub check: CheckSettings,
    /// The golden call of `[health]` as a request, if it is given as one.
    pub golden: Option<GoldenRequest>,
    /// `[profile]`.
    pub profile: ProfileSettings,
    /// `[rollout]`.
    pub rollout: RolloutSettings,
    /// The JSON schema of [`FILE`], for editors.
    pub schema: serde_json::Value,
    /// `[downstream]`.
    pub downstream: Option<DownstreamSettings>,
}

impl Loaded {
    /// A host's settings, if the project has that host.
    pub fn host(&self, name: &str) -> Option<&HostSettings> {
        self.hosts.iter().find(|(host, _)| host.name() == name).map(|(_, settings)| settings)
    }

    /// A note about routes that a rollout leaves to the control, though their requests may change nothing, with the
    /// setting to add to `[rollout]`. `None` if there are no such routes, or if the servers call another service.
    pub fn undeclared(&self) -> Option<String> {
        if self.downstream.is_some() { None } else { self.rollout.undeclared(&self.project.routes) }
    }

    /// A host that the user asked for, with its settings.
    ///
    /// # Errors
    /// The project does not have this host.
    pub fn asked_host(&self, name: &str) -> Result<(&'static dyn Host, &HostSettings)> {
        let found = self.hosts.iter().find(|(host, _)| host.name() == name);
        found.map(|(host, settings)| (*host, settings)).ok_or_else(|| {
            let names: Vec<_> = self.hosts.iter().map(|(host, _)| host.name()).collect();
            Failure::usage(format!("`{name}` is not a host of this project"))
                .hint(format!("it has: {}; add `[host.{name}]` to {FILE} for another", names.join(", ")))
        })
    }

    /// A path as people would type it in the current folder.
    pub fn shown(&self, path: &Path) -> String {
        shown(path)
    }
}

/// The path from one folder to another, with `/` between its parts, as in manifests.
pub fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A path relative to the current folder if it lies below it.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let inside = path.strip_prefix(&here).unwrap_or(path);
    if inside.as_os_str().is_empty() { ".".into() } else { inside.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_path_goes_up_and_then_down() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(way("/a/app/server", "/a/app"), "..");
        assert_eq!(way("/a/app/crates/server", "/a/app/hot"), "../../hot");
        assert_eq!(way("/a/shop", "/a/shop/.tierup/node"), ".tierup/node");
    }
}
