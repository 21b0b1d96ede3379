//! A host as the rest of tierup sees it. A new host implements [`Host`] and [`Packaging`] in a folder of its own, and
//! [`Profiling`] if its servers can be profiled.

mod image;
mod packaging;
mod pipeline;
mod profiling;
mod publishable;
mod server_folder;

use std::path::PathBuf;

pub use image::{Image, System, Version, healthcheck, pinned};
pub use packaging::{Add, ByPath, Dependency, Depends, Install, IsThere, Packaging, Scaffold};
pub use pipeline::{Forge, Pipeline};
pub use profiling::{Crossing, Profiling};
pub use publishable::{About, BuiltFor, Pack, Parts, Publishable};
pub use server_folder::{EmptyFolder, ServerFolder};

use crate::{Command, Files, Machine, Project, Recipe, Variant, Wrapping};

/// A language runtime that users' servers run on.
pub trait Host: Packaging + Profiling + Sync {
    /// What it is called, and how its servers are recognised.
    fn identity(&self) -> &'static Identity;

    /// See [`Identity::name`].
    fn name(&self) -> &'static str {
        self.identity().name
    }

    /// See [`Identity::title`].
    fn title(&self) -> &'static str {
        self.identity().title
    }

    /// Whether this host supports a variant on a machine, and if not, why.
    fn support(&self, variant: Variant, machine: &Machine) -> Support;

    /// The variants that this host supports on a machine.
    fn supported(&self, machine: &Machine) -> Vec<Variant> {
        Variant::ALL.into_iter().filter(|variant| self.support(*variant, machine) == Support::Yes).collect()
    }

    /// Whether this host's package can wrap the server's own function, and if not, why. By default it cannot.
    fn wraps(&self, _wrapping: Wrapping) -> Support {
        Support::no(format!("the package for {} does not have it yet", self.title()))
    }

    /// Whether the package can run a variant with an alternative of the function, and if not, why.
    fn alternatives(&self, variant: Variant) -> Support {
        match variant {
            Variant::Bindgen | Variant::Component => {
                Support::no(format!("{variant} calls the exported function only: use 2:core, or 3:native"))
            }
            _ => Support::Yes,
        }
    }

    /// The programs needed to build and serve, besides Rust's own.
    fn tools(&self) -> Vec<Tool>;

    /// Whether a folder with these file names looks like a server of this host.
    fn detects(&self, file_names: &[String]) -> bool {
        file_names.iter().any(|name| self.identity().tell_tales.contains(&name.as_str()))
    }

    /// The recipe that builds one variant for a machine into the package. The shims shared by all hosts are already in
    /// place, as [`crate::shims`] describes. Only called for supported variants.
    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe;

    /// A program that reaches every variant and every baseline for `check`, `bench --in-process` and conformance:
    /// its files (below `.tierup/<host>/`) and the command that starts it. It speaks `docs/driver.md` on file
    /// descriptors 3 (requests) and 4 (answers).
    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command);

    /// The files that may hold a baseline's code, the likeliest first, relative to the server's folder. `name` is the
    /// baseline's name in `[host.NAME.baseline]`. By default none is known.
    fn baseline_files(&self, _folder: &dyn ServerFolder, _name: &str) -> Vec<String> {
        Vec::new()
    }
}

/// What a host is called, and how its servers are recognised.
#[derive(Debug)]
pub struct Identity {
    /// The word for it in `tierup.toml` and on the command line: `node`.
    pub name: &'static str,
    /// Its name for people: `Node.js`.
    pub title: &'static str,
    /// The language that its servers are written in: `JavaScript`.
    pub language: &'static str,
    /// Names of files that only servers of this host have: `package.json`.
    pub tell_tales: &'static [&'static str],
    /// Programs of other names that run its servers, without version suffixes: `puma`.
    pub launchers: &'static [&'static str],
    /// The most bytes of a request's line and headers that its usual server accepts by default.
    pub head_limit: usize,
}

/// `[host.<name>]` in `tierup.toml`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostSettings {
    /// The server's folder, absolute; by default `<project>/<host>`.
    pub folder: PathBuf,
    /// How to install the server's dependencies.
    pub install: InstallBy,
    /// The command that builds, from source, the server that `start` runs. It runs in the server's folder after every
    /// build; empty if there is nothing to build.
    pub prepare: Vec<String>,
    /// The command that starts the server, run in its folder; empty if there is no server.
    pub start: Vec<String>,
    /// Baselines by row label (`None` is `0` itself), named as the host names things.
    pub baselines: Vec<(Option<String>, String)>,
}

impl HostSettings {
    /// The baselines as entries of a map in the host's language: `'' => 'baseline', 'tuned' => 'faster'`. `literal`
    /// writes a string in that language.
    pub fn baseline_entries(&self, literal: impl Fn(&str) -> String) -> String {
        let entry = |(label, name): &(Option<String>, String)| {
            format!("{} => {}", literal(label.as_deref().unwrap_or_default()), literal(name))
        };
        self.baselines.iter().map(entry).collect::<Vec<_>>().join(", ")
    }
}

/// The setting `install` of `[host.<name>]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum InstallBy {
    /// Detected from the server's folder.
    #[default]
    Found,
    /// This command.
    Command(Vec<String>),
    /// tierup installs nothing: the owner does.
    Nobody,
}

/// Whether a host supports a variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    Yes,
    /// Not supported, with the reason that `tierup hosts` and every table show.
    No(String),
}

impl Support {
    /// [`Support::No`], with this reason.
    pub fn no(reason: impl Into<String>) -> Support {
        Support::No(reason.into())
    }
}

/// A program that tierup calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name on `PATH`, e.g. `node`.
    pub program: &'static str,
    /// A part of it that systems package separately, e.g. `venv`; `None` for the program itself.
    pub part: Option<&'static str>,
    /// Why it is needed.
    pub purpose: &'static str,
    /// Arguments that make it print its version, and fail if the part is missing.
    pub version_arguments: &'static [&'static str],
    /// The oldest version that works, e.g. `18.0.0`.
    pub minimum: &'static str,
    /// The command that installs it, or the address to get it from.
    pub install: &'static str,
}
