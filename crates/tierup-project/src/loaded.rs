//! A project that was read.

use std::path::{Path, PathBuf};

use tierup_codegen::{Host, HostSettings, Project};
use tierup_diagnostic::{Failure, Result};

use crate::{BenchSettings, CheckSettings, DownstreamSettings, GoldenRequest, ProfileSettings, RolloutSettings, shown};

/// The file that makes a folder a project.
pub const FILE: &str = "tierup.toml";

/// A project and its folders.
pub struct Loaded {
    /// The project's folder, absolute.
    pub folder: PathBuf,
    /// `.tierup/` in it, which tierup generates and builds.
    pub work: PathBuf,
    /// The part that generators need.
    pub project: Project,
    /// In the order of `tierup.toml`.
    pub hosts: Vec<(&'static dyn Host, HostSettings)>,
    /// The root of the user's cargo workspace, with its lock file and patches.
    pub workspace_root: PathBuf,
    /// `[bench]`.
    pub bench: BenchSettings,
    /// `[check]`.
    pub check: CheckSettings,
    /// `[health]` as a request, where it is one.
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
    /// A host's settings, where the project has that host.
    pub fn host(&self, name: &str) -> Option<&HostSettings> {
        self.hosts.iter().find(|(host, _)| host.name() == name).map(|(_, settings)| settings)
    }

    /// A host that the user asked for, with its settings.
    ///
    /// # Errors
    /// Where the project does not have it.
    pub fn asked_host(&self, name: &str) -> Result<(&'static dyn Host, &HostSettings)> {
        let found = self.hosts.iter().find(|(host, _)| host.name() == name);
        found.map(|(host, settings)| (*host, settings)).ok_or_else(|| {
            let names: Vec<_> = self.hosts.iter().map(|(host, _)| host.name()).collect();
            Failure::usage(format!("`{name}` is not a host of this project"))
                .hint(format!("it has: {}; add `[host.{name}]` to {FILE} for another", names.join(", ")))
        })
    }

    /// A path below the project as people would type it from where they are.
    pub fn shown(&self, path: &Path) -> String {
        shown(path)
    }
}
