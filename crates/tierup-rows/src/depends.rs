//! Whether a server depends on the generated package: one that does not fails in every row that needs it.
//!
//! In: a project's host. Out: nothing, or what its owner has to do, once.

use tierup_codegen::{Add, ByPath, Command, Dependency, Depends, Host, HostSettings, Row, Tier, Variant};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{Error, capture_with};

use crate::{
    server_folder::{Described, names_path, programs},
    stub,
};

/// What makes the server depend on the package, where it does not yet, for people: a command or lines. Where nobody can
/// tell, nothing is said.
pub fn missing(loaded: &Loaded, host: &dyn Host, settings: &HostSettings) -> Option<String> {
    let dependency = dependency(loaded, host, settings);
    if is_there(&dependency.is_there, host, settings) || is_there_by_path(loaded, dependency.by_path, host, settings) {
        return None;
    }
    Some(command(loaded, settings, dependency.add))
}

/// What makes the server depend on the package that is committed, unless its files name that one already.
pub fn not_on_stub(loaded: &Loaded, host: &dyn Host, settings: &HostSettings) -> Option<String> {
    let dependency = dependency(loaded, host, settings);
    let path = stub::folder(&loaded.project.interface.package);
    // Maven's files do not say where the package is: the command that builds it with the server does.
    let is_there = settings.prepare.iter().any(|word| word.contains(&path))
        || names_path(&settings.folder, &path, dependency.by_path);
    (!is_there).then(|| command(loaded, settings, dependency.add))
}

fn dependency(loaded: &Loaded, host: &dyn Host, settings: &HostSettings) -> Dependency {
    host.dependency(&loaded.project, &stub::package_way(loaded, host, settings), &Described(settings))
}

fn command(loaded: &Loaded, settings: &HostSettings, add: Add) -> String {
    let name = &loaded.project.interface.package;
    let place = loaded.shown(&settings.folder);
    match add {
        Add::Run(command) => format!("to add `{name}`, run in {place}: {command}"),
        Add::Lines { file, lines } => {
            let lines: String = lines.lines().map(|line| format!("\n      {line}")).collect();
            format!("to add `{name}`, add to {file} in {place}:{lines}")
        }
    }
}

/// Whether any of these rows needs the package: tier 0 is the server as it was, tier 4 another program.
pub fn is_needed<'a>(rows: impl IntoIterator<Item = &'a Row>) -> bool {
    rows.into_iter().any(|row| match row {
        Row::Baseline(_) | Row::Variant(Variant::Server) | Row::Tier(Tier::Server | Tier::Baseline) => false,
        Row::Free | Row::Wrapped(_) | Row::Variant(_) | Row::Alternative(..) | Row::Tier(_) => true,
    })
}

/// Refuses to start a server at rows that it cannot have yet.
pub fn require(loaded: &Loaded, host: &dyn Host, settings: &HostSettings) -> Result<()> {
    let Some(missing) = missing(loaded, host, settings) else { return Ok(()) };
    let name = &loaded.project.interface.package;
    let message = format!("the server in {} does not depend on `{name}` yet", loaded.shown(&settings.folder));
    Err(Failure::usage(message).hint(missing))
}

/// Whether the owner depends on the package by its path, in a way of their own.
fn is_there_by_path(loaded: &Loaded, files: ByPath, host: &dyn Host, settings: &HostSettings) -> bool {
    let paths = [format!(".tierup/{}", host.name()), stub::folder(&loaded.project.interface.package)];
    paths
        .iter()
        .any(|path| settings.start.iter().any(|word| word.contains(path)) || names_path(&settings.folder, path, files))
}

fn is_there(depends: &Depends, host: &dyn Host, settings: &HostSettings) -> bool {
    match depends {
        Depends::Known(is_there) => *is_there,
        Depends::Place(place) => {
            settings.folder.ancestors().any(|folder| folder.join(place).symlink_metadata().is_ok())
        }
        Depends::Unless { command, code } => {
            // Another interpreter than the server's may know other packages.
            let Some(program) = settings.start.first().filter(|program| {
                program.rsplit(['/', '\\']).next().is_some_and(|name| name.starts_with(&command.program))
            }) else {
                return true;
            };
            let environment: Vec<_> =
                programs(host, settings).map(|path| ("PATH".to_owned(), path)).into_iter().collect();
            let command = Command { program: program.clone(), environment, ..command.clone() };
            let ending = match capture_with(&command, &settings.folder, &[]) {
                Err(Error::Failed { ending, .. }) => ending,
                _ => return true,
            };
            ending != format!("exit code {code}")
        }
    }
}
