//! What a host is to the rest of tierup. A new host implements [`Host`] in a folder of its own.

use std::path::PathBuf;

use crate::{Command, Files, Machine, Project, Recipe, Variant};

/// A language runtime that users' servers run on.
pub trait Host: Sync {
    /// The word for it in `tierup.toml` and on the command line: `node`.
    fn name(&self) -> &'static str;

    /// What people call it: `Node.js`.
    fn title(&self) -> &'static str;

    /// Whether this host can do a variant at all on a machine, and why not.
    fn support(&self, variant: Variant, machine: &Machine) -> Support;

    /// The programs that building and serving need, beside Rust's own.
    fn tools(&self) -> Vec<Tool>;

    /// Whether a folder with these file names looks like a server of this host.
    fn detects(&self, file_names: &[String]) -> bool;

    /// The command that starts an existing server, if its manifest names one. Most languages' manifests do not.
    fn start(&self, _folder: &dyn ServerFolder) -> Option<Vec<String>> {
        None
    }

    /// Folders whose programs come first on `PATH` when the server is started, relative to the server's folder: those of
    /// the environment that [`Host::install`] fills.
    fn programs(&self, _folder: &dyn ServerFolder) -> Vec<String> {
        Vec::new()
    }

    /// Whether a package of this host cannot have this name.
    fn takes(&self, _name: &str) -> bool {
        false
    }

    /// The package's source, without anything built: below `.tierup/<host>/`.
    ///
    /// # Errors
    /// What in the interface this host cannot express, in plain words.
    fn package(&self, project: &Project, settings: &HostSettings) -> Result<Files, String>;

    /// What builds one variant for a machine into the package, given that the shims that all hosts share stand as
    /// [`crate::shims`] says. Only asked for variants that are supported.
    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe;

    /// What installs the server's own dependencies, by the tool that its owner uses. By default, nothing.
    fn install(&self, _folder: &dyn ServerFolder) -> Install {
        Install::default()
    }

    /// A program that reaches every variant and every baseline for `check`, `bench --in-process` and conformance:
    /// its files (below `.tierup/<host>/`) and the command that starts it. It speaks `docs/driver.md` on file
    /// descriptors 3 (requests) and 4 (answers).
    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command);

    /// The host's part of `tierup new`: a server that calls `function` of the package `name`.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold;

    /// How a server comes to depend on the package. `way` leads to the package from the server's folder, with `/` between
    /// its parts: `../.tierup/node`.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency;

    /// What the owner of an existing server changes in its source, as lines to show.
    fn adoption_hint(&self, project: &Project, folder: &dyn ServerFolder) -> String;
}

/// `[host.<name>]` in `tierup.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSettings {
    /// The server's folder, absolute; by default `<project>/<host>`.
    pub folder: PathBuf,
    /// What gets the server's dependencies.
    pub install: InstallBy,
    /// The command that makes of the server's source what `start` starts, run there after every build; empty where
    /// there is nothing to make.
    pub prepare: Vec<String>,
    /// The command that starts the server there.
    pub start: Vec<String>,
    /// Baselines by row label (`None` is `0` itself), named as the host names things.
    pub baselines: Vec<(Option<String>, String)>,
}

/// A server as `tierup new` writes it, and what `tierup.toml` says of it. `tierup init` says the same of a server that
/// exists, as far as the server itself says nothing.
#[derive(Debug, Clone, Default)]
pub struct Scaffold {
    /// Below the server's folder.
    pub files: Files,
    /// [`HostSettings::prepare`]: empty where the host's program starts a file of source.
    pub prepare: Vec<String>,
    /// [`HostSettings::start`]. Where nothing is prepared, it is the host's program and the file that it starts.
    pub start: Vec<String>,
    /// The server's own function as a baseline, as the host names things.
    pub baseline: String,
}

/// `install` of `[host.<name>]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum InstallBy {
    /// What the server's folder tells.
    #[default]
    Found,
    /// This command.
    Command(Vec<String>),
    /// Nobody: the owner does.
    Nobody,
}

/// A server's folder, as hosts look at it. Names are relative to it and may lead upwards: `../pnpm-lock.yaml`.
pub trait ServerFolder {
    /// The text of a file.
    fn read(&self, name: &str) -> Option<String>;
    /// What lies in a folder; `""` is the server's own.
    fn names(&self, folder: &str) -> Vec<String>;
    fn exists(&self, name: &str) -> bool;
    /// [`HostSettings::start`]; empty if nothing says yet how the server is started.
    fn start(&self) -> &[String] {
        &[]
    }

    /// The texts of the files of this name in the folder and in those above it.
    fn read_above(&self, name: &str) -> Vec<String> {
        const MOST_UP: usize = 16;
        (0..=MOST_UP).filter_map(|up| self.read(&format!("{}{name}", "../".repeat(up)))).collect()
    }
}

/// How a server's own dependencies are got, and when they must be got anew. Names are of the server's folder.
#[derive(Debug, Clone, Default)]
pub struct Install {
    /// Run there, in order (`npm ci`); none where the server says of no dependencies.
    pub commands: Vec<Command>,
    /// What tells that it is these commands: `pnpm-lock.yaml`.
    pub found_by: String,
    /// The files whose texts decide what is installed: the manifest and the lock file.
    pub decided_by: Vec<String>,
    /// What the installation leaves; somebody may have removed it.
    pub leaves: String,
    /// Whether what is there is what those files ask for.
    pub is_there: IsThere,
}

/// Whether the dependencies that a server asks for are there already, whoever installed them.
#[derive(Debug, Clone, Default)]
pub enum IsThere {
    #[default]
    No,
    Yes,
    /// Where this command succeeds in the server's folder.
    Ask(Command),
}

/// How a server depends on the generated package.
#[derive(Debug, Clone)]
pub struct Dependency {
    pub add: Add,
    pub is_there: Depends,
    pub by_path: ByPath,
}

/// What the server's owner does once, when the package is there.
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
    /// The server's manifests say so, or there is none to tell.
    Known(bool),
    /// This is then there, in the server's folder or in one above it.
    Place(String),
    /// This command, run in the server's folder, ends with this code where the server does not.
    Unless { command: Command, code: i32 },
}

/// The files in which a server's owner may declare or import the package by its path (`../.tierup/node`): names, or
/// patterns with one `*`.
#[derive(Debug, Clone, Copy)]
pub struct ByPath {
    /// Here the path is a literal or starts one. Comments and commands have a space in front of the path.
    pub quoted: &'static [&'static str],
    /// Here it stands anywhere in a line that is not a comment.
    pub plain: &'static [&'static str],
}

/// Whether a host can do a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    Yes,
    /// Not, and why: shown in `tierup hosts` and in every table.
    No(String),
}

/// A program that tierup calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// What it is called on `PATH`, e.g. `node`.
    pub program: &'static str,
    /// A part of it that systems package by itself, e.g. `venv`; `None` for the program as such.
    pub part: Option<&'static str>,
    /// What it is needed for.
    pub purpose: &'static str,
    /// Arguments that make it print its version, and fail if the part is missing.
    pub version_arguments: &'static [&'static str],
    /// The oldest version that works, e.g. `18.0.0`.
    pub minimum: &'static str,
    /// The command or the address that gets it.
    pub install: &'static str,
}
