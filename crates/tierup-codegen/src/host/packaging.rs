//! A host's package: its files, a server that calls it, and how an existing server starts to call it.

use super::{Forge, HostSettings, Image, Parts, Pipeline, Publishable, ServerFolder, System};
use crate::{Command, Files, Project, Stub, Tier};

/// The package through which servers of a host call Rust.
pub trait Packaging {
    /// The package's source files below `.tierup/<host>/`, without build output.
    ///
    /// # Errors
    /// If this host cannot express a part of the interface: which part, in plain words.
    fn package(&self, project: &Project, settings: &HostSettings) -> Result<Files, String>;

    /// The package that the server's owner commits, so that a fresh clone works before `tierup build`. It has the types,
    /// the user's own code (tier 0), and either code that loads the built package from `.tierup/<host>/` or a list of the
    /// files that a build adds. Files that must match a build contain the interface's hash. In `_settings`, the server's
    /// folder is relative to the package.
    ///
    /// # Errors
    /// By default, and if the package cannot express a part of the interface.
    fn stub(&self, _project: &Project, _settings: &HostSettings) -> Result<Stub, String> {
        Err("tierup has no package to commit for this host yet: clones need `tierup build`".to_owned())
    }

    /// Whether the package manager chooses dependencies by platform, so that each platform's files can be a package.
    fn splits(&self) -> bool {
        false
    }

    /// The packages that others install without Rust (`tierup package`). By default, there are none.
    ///
    /// # Errors
    /// Why there are none: this host has no such packages, or cannot express a part of the interface.
    fn publishable(&self, _project: &Project, _parts: &Parts<'_>) -> Result<Vec<Publishable>, String> {
        Err("packages of this host are not made yet".to_owned())
    }

    /// The host's part of a Dockerfile for a server with a published package (`tierup package --image`). By default, there is none.
    ///
    /// # Errors
    /// Why this host, this server or this tier has none.
    fn image(
        &self,
        _project: &Project,
        _folder: &dyn ServerFolder,
        _system: System,
        _tier: Tier,
    ) -> Result<Image, String> {
        Err("a package of this host has no image yet; `--tier 4` needs none".to_owned())
    }

    /// The host's part of a CI file that makes and publishes packages (`tierup package --ci`). By default, there is none.
    ///
    /// # Errors
    /// Why there is none.
    fn pipeline(&self, _project: &Project, _forge: Forge) -> Result<Pipeline, String> {
        Err("it is written for npm and PyPI only".to_owned())
    }

    /// The host's part of `tierup new`: a server that calls `function` of the package `name`.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold;

    /// How to make a server depend on the package. `way` is the path from the server's folder to the package, with `/`
    /// between its parts: `../.tierup/node`.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency;

    /// The command that builds a server of this host, run in the server's folder; empty if the host's program runs a
    /// source file directly. `way` is that of [`Packaging::dependency`].
    fn prepare(&self, _way: &str) -> Vec<String> {
        Vec::new()
    }

    /// The changes that the owner of an existing server makes in its source, as lines to show. `way` is that of
    /// [`Packaging::dependency`].
    fn adoption_hint(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> String;

    /// How to install the server's own dependencies with the tool that its owner uses. By default, nothing is
    /// installed.
    fn install(&self, _folder: &dyn ServerFolder) -> Install {
        Install::default()
    }

    /// Folders that come first on `PATH` when the server is started, relative to the server's folder: those of the
    /// environment that [`Packaging::install`] fills.
    fn programs(&self, _folder: &dyn ServerFolder) -> Vec<String> {
        Vec::new()
    }

    /// The command that starts an existing server, if its manifest names one. Most languages' manifests do not.
    fn start(&self, _folder: &dyn ServerFolder) -> Option<Vec<String>> {
        None
    }

    /// The command that builds the existing server that `start` runs, if its manifest names one.
    fn build(&self, _folder: &dyn ServerFolder, _start: &[String]) -> Vec<String> {
        Vec::new()
    }

    /// Whether this name is reserved, so that a package of this host cannot have it.
    fn takes(&self, _name: &str) -> bool {
        false
    }
}

/// A server as `tierup new` writes it, with its settings for `tierup.toml`. For an existing server, `tierup init` uses
/// the same settings wherever the server itself does not specify them.
#[derive(Debug, Clone, Default)]
pub struct Scaffold {
    /// Below the server's folder.
    pub files: Files,
    /// [`HostSettings::start`]. If [`Packaging::prepare`] is empty: the host's program and the file to start.
    pub start: Vec<String>,
    /// The server's own function as a baseline, as the host names things.
    pub baseline: String,
}

/// How to install a server's own dependencies, and when to install them again. Names are relative to the server's
/// folder.
#[derive(Debug, Clone, Default)]
pub struct Install {
    /// Run in the server's folder, in order (`npm ci`); empty if the server declares no dependencies.
    pub commands: Vec<Command>,
    /// The file that decided on these commands: `pnpm-lock.yaml`.
    pub found_by: String,
    /// The files whose texts decide what is installed: the manifest and the lock file.
    pub decided_by: Vec<String>,
    /// The file or folder that the installation makes. If somebody has removed it, tierup installs again.
    pub leaves: String,
    /// Whether the installed dependencies match those files.
    pub is_there: IsThere,
}

/// Whether a server's dependencies are already installed, no matter who installed them.
#[derive(Debug, Clone, Default)]
pub enum IsThere {
    #[default]
    No,
    Yes,
    /// Yes, if this command succeeds in the server's folder.
    Ask(Command),
}

/// How a server depends on the generated package.
#[derive(Debug, Clone)]
pub struct Dependency {
    pub add: Add,
    pub is_there: Depends,
    pub by_path: ByPath,
}

/// The step that the server's owner takes once, after the package exists.
#[derive(Debug, Clone)]
pub enum Add {
    /// Run in the server's folder.
    Run(Command),
    /// Written into this file.
    Lines { file: &'static str, lines: String },
}

/// How to tell whether a server depends on the package.
#[derive(Debug, Clone)]
pub enum Depends {
    /// Decided by the server's manifests, or by their absence.
    Known(bool),
    /// It does if this path exists in the server's folder or in one above it.
    Place(String),
    /// It does unless this command, run in the server's folder, exits with this code.
    Unless { command: Command, code: i32 },
}

impl Depends {
    /// Reads the server's own source: whether one of `sources`, the usual names of its first file, uses the package. A
    /// server without these files is assumed to depend on it.
    pub fn in_sources(folder: &dyn ServerFolder, sources: &[&str], uses: impl Fn(&str) -> bool) -> Depends {
        let sources: Vec<_> = sources.iter().filter_map(|name| folder.read(name)).collect();
        Depends::Known(sources.is_empty() || sources.iter().any(|text| uses(text)))
    }
}

/// The files in which a server's owner may declare or import the package by its path (`../.tierup/node`): names, or
/// patterns with one `*`.
#[derive(Debug, Clone, Copy)]
pub struct ByPath {
    /// Files with the path at the start of a string literal. Comments and commands have a space before the path.
    pub quoted: &'static [&'static str],
    /// Files in which the path stands anywhere in a line that is not a comment.
    pub plain: &'static [&'static str],
}
