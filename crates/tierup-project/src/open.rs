//! Reads `tierup.toml` and the interface of the crate that it names.

use std::{
    fs,
    path::{Path, PathBuf, absolute},
};

use tierup_codegen::{Host, Project, Server};
use tierup_diagnostic::{Diagnostic, Failure, Place, Result};
use tierup_model::{CrateInfo, Interface, Sources, read_interface};
use toml::{Spanned, de::DeValue};

use crate::{
    FILE, Loaded, alternatives, bench, check,
    document::{Document, Table, Text, finished},
    downstream, enclosing, golden, health, host,
    keys::schema,
    manifest::read_crate,
    profile, rollout, route, shown,
};

/// Reads the project in `folder`. `hosts` are those that it may name.
///
/// # Errors
/// All problems of `tierup.toml` and of the crate's signatures.
pub fn open(folder: &Path, hosts: &[&'static dyn Host]) -> Result<Loaded> {
    let loaded = open_before_health(folder, hosts)?;
    if loaded.project.health.as_ref().is_some_and(|health| health.sha256.is_empty()) {
        return Err(Failure::usage(format!("{}: `health` lacks `sha256`", shown(&loaded.folder.join(FILE))))
            .hint("`tierup health --write` makes the call and stores the answer's hash"));
    }
    Ok(loaded)
}

/// Reads a project like [`open`], except that `[health]` may still lack its hashes.
///
/// # Errors
/// As [`open`].
pub fn open_before_health(folder: &Path, hosts: &[&'static dyn Host]) -> Result<Loaded> {
    let folder = clean(folder)?;
    let file = folder.join(FILE);
    let text = tierup_runner::read_text(&file)?.ok_or_else(|| no_project(&folder))?;
    let document = Document::new(shown(&file), text);
    let parsed = document.parse()?;
    let root = document.root(&parsed);

    let function = root.required_table("function").map(|table| read_function(&table, &document)).unwrap_or_default();
    let server = root.table("server").and_then(|table| {
        let folder = table.required_text("crate");
        table.finish();
        folder
    });
    let schema = schema(&hosts.iter().map(|host| host.name()).collect::<Vec<_>>());
    let hosts = host::read(&root, &document, &folder, hosts);
    let routes = root.tables("route");
    let health = root.table("health");
    let downstream =
        root.table("downstream").and_then(|table| finished(&table, |table| downstream::read(table, &document)));
    let bench = root.table("bench").map(|table| finished(&table, |table| bench::read(table, &document, &folder)));
    let check = root.table("check").map(|table| finished(&table, |table| check::read(table, &document)));
    let profile = root.table("profile").map(|table| finished(&table, |table| profile::read(table, &document)));
    let rollout = root
        .table("rollout")
        .map(|table| finished(&table, |table| rollout::read(table, &document, root.has("downstream"))));
    root.finish();
    document.result()?;

    let crate_name = function.crate_name.as_ref().ok_or_else(|| Failure::usage("`crate` is missing"))?;
    let crate_folder = existing_folder(&folder, crate_name, &document)?;
    // This check comes before cargo runs: if `.tierup/` exists already, cargo fails without naming the remedy.
    enclosing::check(&folder)?;
    let crate_ = read_crate(&crate_folder)?;
    let interface = function.interface(&crate_.info, &crate_folder, &document)?;
    let places: Vec<_> = routes.iter().map(|table| table.place("request")).collect();
    let routes: Vec<_> =
        routes.iter().filter_map(|table| route::read(table, &document, &interface, crate_.blocks)).collect();
    let health_table = health;
    let health = health_table.as_ref().and_then(|table| health::read(table, &document, &interface, &routes));
    let server = match server {
        Some(name) => Server::Own { folder: existing_folder(&folder, &name, &document)? },
        None if routes.is_empty() => Server::None,
        None => Server::Generated,
    };
    document.result()?;
    let head_limit = hosts.first().map_or(64 << 10, |(host, _)| host.identity().head_limit);
    let project = Project { interface, pure: function.pure, crate_folder, routes, server, health, head_limit };
    check_server(&project, &places, &file)?;
    let golden = health_table.and_then(|table| {
        golden::read(
            &table.text("request")?.value,
            table.text("body").as_ref().map(|body| body.value.as_str()),
            &project,
        )
    });
    Ok(Loaded {
        work: folder.join(".tierup"),
        folder,
        project,
        hosts,
        workspace_root: crate_.workspace_root,
        bench: bench.unwrap_or_default(),
        check: check.unwrap_or_default(),
        golden,
        profile: profile.unwrap_or_default(),
        rollout: rollout.unwrap_or_default(),
        schema,
        downstream,
    })
}

/// `[function]`.
#[derive(Default)]
struct Function {
    crate_name: Option<Text>,
    export: Vec<Text>,
    /// Indices into `export`.
    pure: Vec<usize>,
    /// Names of alternatives, with their paths.
    others: Vec<(Text, Text)>,
}

fn read_function(table: &Table<'_>, document: &Document) -> Function {
    let (crate_name, export) = (table.required_text("crate"), table.required_texts("export"));
    let others = table.table("alternatives").map(|table| alternatives::entries(&table, document)).unwrap_or_default();
    if export.as_ref().is_some_and(Vec::is_empty) {
        document.add(Diagnostic::new("`export` is empty").at(table.place("export")));
    }
    let export = export.unwrap_or_default();
    let pure = pure(table, &export, document);
    table.finish();
    Function { crate_name, export, pure, others }
}

/// `pure = true`, or the names of some functions.
fn pure(table: &Table<'_>, export: &[Text], document: &Document) -> Vec<usize> {
    match table.value("pure").map(Spanned::get_ref) {
        None | Some(DeValue::Boolean(false)) => Vec::new(),
        Some(DeValue::Boolean(true)) => (0..export.len()).collect(),
        Some(_) => {
            let names = table.texts("pure").unwrap_or_default();
            let place = |name: &Text| {
                let found = export.iter().position(|one| one.value == name.value);
                if found.is_none() {
                    let problem = Diagnostic::new(format!("`{}` is not in `export`", name.value));
                    document.add(problem.at(document.place(&name.span)));
                }
                found
            };
            names.iter().filter_map(place).collect()
        }
    }
}

impl Function {
    /// The signatures of the exported functions and their alternatives.
    fn interface(&self, info: &CrateInfo, crate_folder: &Path, document: &Document) -> Result<Interface> {
        let names: Vec<String> = self.export.iter().map(|text| text.value.clone()).collect();
        let sources = Folder(crate_folder);
        let mut interface = read_interface(info, &names, &sources).map_err(|problems| {
            let placed = problems.into_iter().map(|mut problem| {
                match (&mut problem.place, problem.export) {
                    (Some(place), _) => place.file = shown(&crate_folder.join(&place.file)),
                    (None, Some(index)) => {
                        problem.place = self.export.get(index).map(|text| document.place(&text.span))
                    }
                    (None, None) => {}
                }
                problem
            });
            Failure::Diagnostics(placed.collect())
        })?;
        interface.alternatives =
            alternatives::read(&self.others, document, (info, crate_folder), &interface, &sources)?;
        Ok(interface)
    }
}

/// Refuses routes that no server can be generated for. `places` are the routes' places in the file.
fn check_server(project: &Project, places: &[Place], file: &Path) -> Result<()> {
    if project.server != Server::Generated {
        return Ok(());
    }
    tierup_codegen::shims::server::check(project).map_err(|refusal| {
        // Each table has become a route, or `document.result` would have failed.
        match refusal.route.and_then(|(index, _)| places.get(index)) {
            Some(place) => Failure::Diagnostics(vec![Diagnostic::new(refusal.reason).at(place.clone())]),
            None => Failure::usage(format!("{}: {}", shown(file), refusal.reason)),
        }
    })
}

/// Reads the crate's sources from the disk.
struct Folder<'a>(&'a Path);

impl Sources for Folder<'_> {
    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.0.join(path)).ok()
    }
}

/// The absolute path without `.`, `..` and links, as cargo prints it.
fn clean(folder: &Path) -> Result<PathBuf> {
    let there = fs::canonicalize(folder).map_err(|_| {
        Failure::usage(format!("there is no folder `{}`", folder.display()))
            .hint("give the folder that holds tierup.toml")
    })?;
    // Cargo and npm do not understand Windows' verbatim paths (`\\?\C:\…`).
    if cfg!(windows) { Ok(absolute(folder).unwrap_or(there)) } else { Ok(there) }
}

fn no_project(folder: &Path) -> Failure {
    Failure::usage(format!("there is no {FILE} in `{}`", shown(folder)))
        .hint("`tierup new NAME --host node` creates a project; `tierup init` adds tierup to an existing server")
}

fn existing_folder(project: &Path, text: &Text, document: &Document) -> Result<PathBuf> {
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
