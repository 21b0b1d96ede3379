//! The user's project: `tierup.toml`, read and checked against the crate that it names.
//!
//! In: a folder. Out: a [`Loaded`] project, or every problem that was found, each with its place.

mod bench;
mod cargo;
mod check;
mod cost;
mod document;
mod downstream;
pub(crate) mod enclosing;
mod health;
mod host;
mod lock;
mod request;
mod route;
mod route_call;
mod value;

use std::{
    fs,
    path::{Path, PathBuf, absolute},
};

use tierup_codegen::{Host, HostSettings, Project, Server};
use tierup_diagnostic::Diagnostic;
use tierup_model::{Sources, read_interface};

use self::document::{Document, Table};
pub(crate) use self::{
    bench::BenchSettings,
    check::{CheckSettings, Normalizer},
    downstream::DownstreamSettings,
    route_call::{RouteCall, route_call},
    value::{from_json, to_json},
};
use crate::{
    failure::{Failure, Result},
    paths::relative,
};

use self::cargo::read_crate;

/// The file that makes a folder a project.
pub(crate) const FILE: &str = "tierup.toml";

/// A project, and where it lies.
pub struct Loaded {
    /// The project's folder, absolute.
    pub folder: PathBuf,
    /// What tierup generates and builds: `.tierup/` in it.
    pub work: PathBuf,
    /// What generators need to know.
    pub project: Project,
    /// In the order of `tierup.toml`.
    pub hosts: Vec<(&'static dyn Host, HostSettings)>,
    /// The root of the user's cargo workspace: where its lock file and patches are.
    pub workspace_root: PathBuf,
    /// `[bench]`.
    pub(crate) bench: BenchSettings,
    /// `[check]`.
    pub(crate) check: CheckSettings,
    /// `[downstream]`.
    pub(crate) downstream: Option<DownstreamSettings>,
}

impl Loaded {
    /// A host's settings, where the project has that host.
    pub fn host(&self, name: &str) -> Option<&HostSettings> {
        self.hosts.iter().find(|(host, _)| host.name() == name).map(|(_, settings)| settings)
    }

    /// The same, where the user asked for it.
    pub(crate) fn asked_host(&self, name: &str) -> Result<(&'static dyn Host, &HostSettings)> {
        let found = self.hosts.iter().find(|(host, _)| host.name() == name);
        found.map(|(host, settings)| (*host, settings)).ok_or_else(|| {
            let names: Vec<_> = self.hosts.iter().map(|(host, _)| host.name()).collect();
            Failure::new(format!("`{name}` is not a host of this project"))
                .hint(format!("it has: {}; add `[host.{name}]` to {FILE} for another", names.join(", ")))
        })
    }

    /// The way from a server's folder to its host's generated package.
    pub(crate) fn package_way(&self, host: &dyn Host, settings: &HostSettings) -> String {
        relative(&settings.folder, &self.work.join(host.name()))
    }

    /// A path below the project as people would type it from where they are.
    pub(crate) fn shown(&self, path: &Path) -> String {
        shown(path)
    }
}

/// A path relative to the current folder where it lies below it.
pub(crate) fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let inside = path.strip_prefix(&here).unwrap_or(path);
    if inside.as_os_str().is_empty() { ".".into() } else { inside.display().to_string() }
}

/// Reads the project in `folder`.
///
/// # Errors
/// Everything that is wrong with `tierup.toml` and the crate's signatures.
pub fn open(folder: &Path) -> Result<Loaded> {
    let loaded = open_before_health(folder)?;
    if loaded.project.health.as_ref().is_some_and(|health| health.sha256.is_empty()) {
        return Err(Failure::new(format!("{}: `health` lacks `sha256`", shown(&loaded.folder.join(FILE))))
            .hint("`tierup health --write` makes the call and stores the answer's hash".into()));
    }
    Ok(loaded)
}

/// The same where `[health]` may lack its hashes still.
pub(crate) fn open_before_health(folder: &Path) -> Result<Loaded> {
    let folder = clean(folder)?;
    let file = folder.join(FILE);
    let text = tierup_runner::read_text(&file)?.ok_or_else(|| no_project(&folder))?;
    let document = Document::new(shown(&file), text);
    let parsed = document.parse()?;
    let root = document.root(&parsed);

    let function = root.required_table("function");
    let crate_name = function.as_ref().and_then(|function| function.required_text("crate"));
    let export = function.as_ref().and_then(|function| function.required_texts("export"));
    if let Some(function) = &function {
        if export.as_ref().is_some_and(Vec::is_empty) {
            document.add(Diagnostic::new("`export` is empty").at(function.place("export")));
        }
        function.finish();
    }
    let export = export.unwrap_or_default();
    let server = root.table("server").and_then(|table| {
        let folder = table.required_text("crate");
        table.finish();
        folder
    });
    let hosts = host::read(&root, &document, &folder);
    let routes = root.tables("route");
    let health = root.table("health");
    let downstream =
        root.table("downstream").and_then(|table| finished(&table, |table| downstream::read(table, &document)));
    let bench = root.table("bench").map(|table| finished(&table, |table| bench::read(table, &document, &folder)));
    let check = root.table("check").map(|table| finished(&table, |table| check::read(table, &document)));
    root.finish();
    document.result()?;

    let crate_name = crate_name.ok_or_else(|| Failure::new("`crate` is missing"))?;
    let crate_folder = existing_folder(&folder, &crate_name, &document)?;
    // Before cargo is asked, which fails without saying the way out where `.tierup/` is there already.
    enclosing::check(&folder)?;
    let crate_ = read_crate(&crate_folder)?;
    let names: Vec<String> = export.iter().map(|text| text.value.clone()).collect();
    let sources = Folder(&crate_folder);
    let interface = read_interface(&crate_.info, &names, &sources).map_err(|problems| {
        let placed = problems.into_iter().map(|mut problem| {
            match (&mut problem.place, problem.export) {
                (Some(place), _) => place.file = shown(&crate_folder.join(&place.file)),
                (None, Some(index)) => problem.place = export.get(index).map(|text| document.place(&text.span)),
                (None, None) => {}
            }
            problem
        });
        Failure::Diagnostics(placed.collect())
    })?;

    let places: Vec<_> = routes.iter().map(|table| table.place("request")).collect();
    let routes: Vec<_> =
        routes.iter().filter_map(|table| route::read(table, &document, &interface, crate_.blocks)).collect();
    let health = health.and_then(|table| health::read(&table, &document, &interface, &routes));
    let server = match server {
        Some(name) => Server::Own { folder: existing_folder(&folder, &name, &document)? },
        None if routes.is_empty() => Server::None,
        None => Server::Generated,
    };
    document.result()?;
    let project = Project { interface, crate_folder, routes, server, health };
    if project.server == Server::Generated {
        tierup_codegen::shims::server::check(&project).map_err(|refusal| {
            // Every table above has become a route, or there would have been problems.
            match refusal.route.and_then(|(index, _)| places.get(index)) {
                Some(place) => Failure::Diagnostics(vec![Diagnostic::new(refusal.reason).at(place.clone())]),
                None => Failure::new(format!("{}: {}", shown(&file), refusal.reason)),
            }
        })?;
    }
    Ok(Loaded {
        work: folder.join(".tierup"),
        folder,
        project,
        hosts,
        workspace_root: crate_.workspace_root,
        bench: bench.unwrap_or_default(),
        check: check.unwrap_or_default(),
        downstream,
    })
}

/// The crate's texts, on disk.
struct Folder<'a>(&'a Path);

impl Sources for Folder<'_> {
    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.0.join(path)).ok()
    }
}

/// Absolute and without `.`, `..` and links, as cargo prints paths.
fn clean(folder: &Path) -> Result<PathBuf> {
    let there = fs::canonicalize(folder).map_err(|_| {
        Failure::new(format!("there is no folder `{}`", folder.display()))
            .hint("give the folder that holds tierup.toml".to_owned())
    })?;
    // Windows' verbatim paths (`\\?\C:\…`) are nothing that cargo and npm understand.
    if cfg!(windows) { Ok(absolute(folder).unwrap_or(there)) } else { Ok(there) }
}

fn no_project(folder: &Path) -> Failure {
    Failure::new(format!("there is no {FILE} in `{}`", shown(folder))).hint(
        "`tierup new NAME --host node` creates a project; `tierup init` adds tierup to an existing server".to_owned(),
    )
}

fn existing_folder(project: &Path, text: &document::Text, document: &Document) -> Result<PathBuf> {
    let folder = project.join(&text.value);
    if folder.join("Cargo.toml").is_file() {
        return clean(&folder);
    }
    let problem = Diagnostic::new(format!("there is no crate in `{}`", shown(&folder)))
        .at(document.place(&text.span))
        .label("no Cargo.toml there")
        .hint("give the folder of a cargo package, relative to tierup.toml");
    Err(Failure::Diagnostics(vec![problem]))
}

/// Reads one table that must not hold anything but what `read` asks for.
fn finished<T>(table: &Table<'_>, read: impl FnOnce(&Table<'_>) -> T) -> T {
    let result = read(table);
    table.finish();
    result
}
