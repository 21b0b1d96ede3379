//! A host as the rest of tierup sees it. A new host implements [`Host`] in a folder of its own.

use std::path::{Path, PathBuf};

use crate::{
    Command, Crossing, Declared, Files, FrameRule, KnownCost, Machine, Project, Recipe, Sensor, Stub, Variant, Watch,
    Witness, Wrapping,
};

/// A language runtime that users' servers run on.
pub trait Host: Sync {
    /// The word for it in `tierup.toml` and on the command line: `node`.
    fn name(&self) -> &'static str;

    /// Its name for people: `Node.js`.
    fn title(&self) -> &'static str;

    /// The language that its servers are written in: `JavaScript`.
    fn language(&self) -> &'static str {
        self.title()
    }

    /// Whether this host can do a variant at all on a machine, and why not.
    fn support(&self, variant: Variant, machine: &Machine) -> Support;

    /// The variants that this host can do on a machine.
    fn supported(&self, machine: &Machine) -> Vec<Variant> {
        Variant::ALL.into_iter().filter(|variant| self.support(*variant, machine) == Support::Yes).collect()
    }

    /// Whether this host's package can put something around the server's own function, and why not. By default it cannot.
    fn wraps(&self, _wrapping: Wrapping) -> Support {
        Support::no(format!("the package for {} does not have it yet", self.title()))
    }

    /// Whether the package can run a variant with an alternative of the function, and why not.
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

    /// Names of files that only servers of this host have: `package.json`.
    fn tell_tales(&self) -> &'static [&'static str];

    /// Whether a folder with these file names looks like a server of this host.
    fn detects(&self, file_names: &[String]) -> bool {
        file_names.iter().any(|name| self.tell_tales().contains(&name.as_str()))
    }

    /// Programs that run servers of this host, besides one of its name, without a version at their ends: `puma`.
    fn launchers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The command that starts an existing server, if its manifest names one. Most languages' manifests do not.
    fn start(&self, _folder: &dyn ServerFolder) -> Option<Vec<String>> {
        None
    }

    /// The command that builds an existing server which `start` starts, if its manifest names one.
    fn build(&self, _folder: &dyn ServerFolder, _start: &[String]) -> Vec<String> {
        Vec::new()
    }

    /// Folders that come first on `PATH` when the server is started, relative to the server's folder: those of the
    /// environment that [`Host::install`] fills.
    fn programs(&self, _folder: &dyn ServerFolder) -> Vec<String> {
        Vec::new()
    }

    /// Whether a package of this host cannot have this name.
    fn takes(&self, _name: &str) -> bool {
        false
    }

    /// The package's source files below `.tierup/<host>/`, without build output.
    ///
    /// # Errors
    /// The part of the interface that this host cannot express, in plain words.
    fn package(&self, project: &Project, settings: &HostSettings) -> Result<Files, String>;

    /// The package that the server's owner commits, for clones in which nothing is built: types, tier 0, and either what finds the
    /// package of `.tierup/<host>/`, or a list of what `tierup build` adds. The files that decide what may call what contain the hash of
    /// the interface. In these settings, the server's folder is relative to the package. By default, there is none.
    ///
    /// # Errors
    /// Why there is none: of the host, or the part of the interface that it cannot express.
    fn stub(&self, _project: &Project, _settings: &HostSettings) -> Result<Stub, String> {
        Err(format!("tierup has no package to commit for {} yet: clones need `tierup build`", self.title()))
    }

    /// The recipe that builds one variant for a machine into the package. The shims shared by all hosts are already in
    /// place, as [`crate::shims`] describes. Only called for supported variants.
    fn recipe(&self, project: &Project, variant: Variant, machine: &Machine) -> Recipe;

    /// How to install the server's own dependencies with the tool that its owner uses. By default, nothing is
    /// installed.
    fn install(&self, _folder: &dyn ServerFolder) -> Install {
        Install::default()
    }

    /// The owners of the code in this host's stacks, for `tierup profile`. By default, all code is the user's own.
    fn frames(&self) -> &'static [FrameRule] {
        &[]
    }

    /// Costs of this host's libraries that a profile names where they are large.
    fn known_costs(&self) -> &'static [KnownCost] {
        &[]
    }

    /// The cost of a call of Rust, for bounds before anything is built. `None` if it was not measured.
    fn crossing(&self) -> Option<Crossing> {
        None
    }

    /// A program that reaches every variant and every baseline for `check`, `bench --in-process` and conformance:
    /// its files (below `.tierup/<host>/`) and the command that starts it. It speaks `docs/driver.md` on file
    /// descriptors 3 (requests) and 4 (answers).
    fn driver(&self, project: &Project, settings: &HostSettings) -> (Files, Command);

    /// The host's part of `tierup new`: a server that calls `function` of the package `name`.
    fn scaffold(&self, name: &str, function: &str) -> Scaffold;

    /// How to make a server depend on the package. `way` is the path from the server's folder to the package, with `/`
    /// between its parts: `../.tierup/node`.
    fn dependency(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> Dependency;

    /// The command that builds a server of this host, run in the server's folder; empty if the host's program runs a source
    /// file directly. `way` is that of [`Host::dependency`].
    fn prepare(&self, _way: &str) -> Vec<String> {
        Vec::new()
    }

    /// The changes that the owner of an existing server makes in its source, as lines to show. `way` is that of
    /// [`Host::dependency`].
    fn adoption_hint(&self, project: &Project, way: &str, folder: &dyn ServerFolder) -> String;

    /// How a profile of the unchanged server is taken. `folder` is the server's, and `private` the absolute path of a folder
    /// that exists for as long as the run, for the sensor's files and profiles.
    ///
    /// # Errors
    /// Why this server, or this host, cannot be profiled.
    fn sensor(&self, _settings: &HostSettings, _folder: &dyn ServerFolder, _private: &Path) -> Result<Sensor, String> {
        Err(format!("tierup has no profiler for {}", self.title()))
    }

    /// How the calls of functions of the unchanged server are seen, for `tierup profile` and `tierup init --function`.
    /// `folder` is the server's. By default, they are not.
    ///
    /// # Errors
    /// Why this server cannot be watched.
    fn witness(
        &self,
        _settings: &HostSettings,
        _folder: &dyn ServerFolder,
        _watch: &Watch<'_>,
    ) -> Option<Result<Witness, String>> {
        None
    }

    /// A function's declaration in the source, for `tierup init --function`, in languages that declare types. `file` is its
    /// path from the server's folder. By default, functions are watched instead.
    ///
    /// # Errors
    /// Why its declaration cannot be read.
    fn declared(&self, _folder: &dyn ServerFolder, _file: &str, _name: &str) -> Option<Result<Declared, String>> {
        None
    }

    /// So many folders above the server's begins the repository whose packages it may use. `declared` and `compiled` are asked with
    /// that folder and paths from there. By default, it is the server's folder.
    fn repository(&self, _folder: &dyn ServerFolder) -> usize {
        0
    }

    /// The files that a source may run as: `dist/price.js`, `dist/bundle.js` of `src/price.ts`. By default, sources run themselves.
    fn compiled(&self, _folder: &dyn ServerFolder, _source: &str) -> Vec<String> {
        Vec::new()
    }

    /// Whether a function of a profile has no name of its own, so that this host's stacks name it after another. A declared
    /// function may have such a name. By default, no function is.
    fn is_closure(&self, _function: &str) -> bool {
        false
    }

    /// Why a function without a name on this line of a file cannot move as it is: it is a framework's handler. `file` is its path from the
    /// server's folder. By default, there is no reason.
    fn handles(&self, _folder: &dyn ServerFolder, _file: &str, _line: u32) -> Option<String> {
        None
    }

    /// The file of the server's folder that declares a function of a profile, where this host's stacks name no files.
    fn source_of(&self, _folder: &dyn ServerFolder, _function: &str) -> Option<String> {
        None
    }

    /// How a server is profiled that runs already: `folder` is where its process runs. By default, this is
    /// [`Host::sensor`], where that one needs nothing of the server's start.
    ///
    /// # Errors
    /// As [`Host::sensor`].
    fn attached_sensor(
        &self,
        settings: &HostSettings,
        folder: &dyn ServerFolder,
        private: &Path,
    ) -> Result<Sensor, String> {
        match self.sensor(settings, folder, private) {
            Ok(sensor) if sensor.attaches() => Ok(sensor),
            Ok(sensor) => Err(format!("{} must be there when the server starts", sensor.title)),
            Err(why) => Err(why),
        }
    }

    /// Other sensors for the same server, by the name that `--sensor` gives them: a second opinion, such as `perf`. `private` is as
    /// for [`Host::sensor`].
    fn further_sensors(&self, _private: &Path) -> Vec<(&'static str, Sensor)> {
        Vec::new()
    }

    /// The one of [`Host::further_sensors`] that is taken where [`Host::sensor`] cannot be had.
    fn fallback_sensor(&self) -> Option<&'static str> {
        None
    }

    /// The programs that [`Host::sensor`] needs besides [`Host::tools`].
    fn sensor_tools(&self) -> Vec<Tool> {
        Vec::new()
    }
}

/// `[host.<name>]` in `tierup.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostSettings {
    /// The server's folder, absolute; by default `<project>/<host>`.
    pub folder: PathBuf,
    /// How to install the server's dependencies.
    pub install: InstallBy,
    /// The command that builds the server that `start` runs from its source. It runs in the server's folder after every
    /// build; empty if there is nothing to build.
    pub prepare: Vec<String>,
    /// The command that starts the server, run in its folder.
    pub start: Vec<String>,
    /// Baselines by row label (`None` is `0` itself), named as the host names things.
    pub baselines: Vec<(Option<String>, String)>,
}

impl HostSettings {
    /// The baselines as entries of a map in the host's language: `'' => 'baseline', 'tuned' => 'faster'`. `literal`
    /// writes a string there.
    pub fn baseline_entries(&self, literal: impl Fn(&str) -> String) -> String {
        let entry = |(label, name): &(Option<String>, String)| {
            format!("{} => {}", literal(label.as_deref().unwrap_or_default()), literal(name))
        };
        self.baselines.iter().map(entry).collect::<Vec<_>>().join(", ")
    }
}

/// A server as `tierup new` writes it, with its settings for `tierup.toml`. For an existing server, `tierup init` uses
/// the same settings wherever the server itself does not specify them.
#[derive(Debug, Clone, Default)]
pub struct Scaffold {
    /// Below the server's folder.
    pub files: Files,
    /// [`HostSettings::start`]. If [`Host::prepare`] is empty, this is the host's program and the file that it starts.
    pub start: Vec<String>,
    /// The server's own function as a baseline, as the host names things.
    pub baseline: String,
}

/// `install` of `[host.<name>]`.
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

/// A server's folder, as hosts look at it. Names are relative to it and may lead upwards: `../pnpm-lock.yaml`.
pub trait ServerFolder {
    /// The text of a file.
    fn read(&self, name: &str) -> Option<String>;
    /// The names of a folder's entries; `""` is the server's own folder.
    fn names(&self, folder: &str) -> Vec<String>;
    fn exists(&self, name: &str) -> bool;
    /// [`HostSettings::start`]; empty while the start command is not known.
    fn start(&self) -> &[String] {
        &[]
    }

    /// The texts of the files of this name in the folder and in those above it.
    fn read_above(&self, name: &str) -> Vec<String> {
        const MOST_UP: usize = 16;
        (0..=MOST_UP).filter_map(|up| self.read(&format!("{}{name}", "../".repeat(up)))).collect()
    }
}

/// A server's folder with nothing in it.
#[derive(Debug, Clone, Copy)]
pub struct EmptyFolder;

impl ServerFolder for EmptyFolder {
    fn read(&self, _: &str) -> Option<String> {
        None
    }

    fn names(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn exists(&self, _: &str) -> bool {
        false
    }
}

/// How to install a server's own dependencies, and when to install them again. Names are relative to the server's
/// folder.
#[derive(Debug, Clone, Default)]
pub struct Install {
    /// Run in the server's folder, in order (`npm ci`); empty if the server declares no dependencies.
    pub commands: Vec<Command>,
    /// The file that these commands were chosen by: `pnpm-lock.yaml`.
    pub found_by: String,
    /// The files whose texts decide what is installed: the manifest and the lock file.
    pub decided_by: Vec<String>,
    /// The result of the installation; somebody may have removed it.
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
    /// Decided by the server's own source: whether one of `sources`, the usual names of its first file, has a text that
    /// uses the package. A server without them is taken to depend on it, as this cannot be known.
    pub fn in_sources(folder: &dyn ServerFolder, sources: &[&str], uses: impl Fn(&str) -> bool) -> Depends {
        let sources: Vec<_> = sources.iter().filter_map(|name| folder.read(name)).collect();
        Depends::Known(sources.is_empty() || sources.iter().any(|text| uses(text)))
    }
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
