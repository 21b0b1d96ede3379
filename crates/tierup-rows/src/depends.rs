//! Whether a server depends on the generated package: otherwise, all rows that need it fail.
//!
//! In: a project's host. Out: nothing, or the one thing that the server's owner has to do.

use tierup_codegen::{Add, ByPath, Command, Dependency, Depends, Host, HostSettings};
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{Error, capture_with};

use crate::{
    rows::ProjectHost,
    server_folder::{Described, names_path, programs},
    stub,
};

impl ProjectHost<'_> {
    /// How to make the server depend on the package, for people: a command or lines. `None` if it does already, or if
    /// that cannot be known.
    pub fn missing_dependency(self) -> Option<String> {
        let dependency = self.dependency();
        let is_there = is_there(&dependency.is_there, self.host, self.settings);
        (!is_there && !self.is_there_by_path(dependency.by_path)).then(|| self.to_add(dependency.add))
    }

    /// How to make the server depend on the committed package; `None` if its files name that package already.
    pub fn missing_stub(self) -> Option<String> {
        let dependency = self.dependency();
        let path = stub::folder(&self.loaded.project.interface.package);
        // Maven's files do not say where the package is, but the command that builds it with the server does.
        let is_there = self.settings.prepare.iter().any(|word| word.contains(&path))
            || names_path(&self.settings.folder, &path, dependency.by_path);
        (!is_there).then(|| self.to_add(dependency.add))
    }

    /// Refuses to start a server that does not depend on the package yet.
    pub(crate) fn require_package(self) -> Result<()> {
        let Some(missing) = self.missing_dependency() else { return Ok(()) };
        let name = &self.loaded.project.interface.package;
        let folder = self.loaded.shown(&self.settings.folder);
        Err(Failure::usage(format!("the server in {folder} does not depend on `{name}` yet")).hint(missing))
    }

    fn dependency(self) -> Dependency {
        let ProjectHost { loaded, host, settings } = self;
        host.dependency(&loaded.project, &stub::package_way(loaded, host, settings), &Described(settings))
    }

    fn to_add(self, add: Add) -> String {
        let name = &self.loaded.project.interface.package;
        let place = self.loaded.shown(&self.settings.folder);
        match add {
            Add::Run(command) => format!("to add `{name}`, run in {place}: {command}"),
            Add::Lines { file, lines } => {
                let lines: String = lines.lines().map(|line| format!("\n      {line}")).collect();
                format!("to add `{name}`, add to {file} in {place}:{lines}")
            }
        }
    }

    /// Whether the server's files name the package by its path, in a way of the owner's choice.
    fn is_there_by_path(self, files: ByPath) -> bool {
        let settings = self.settings;
        let package = stub::folder(&self.loaded.project.interface.package);
        [format!(".tierup/{}", self.host.name()), package].iter().any(|path| {
            settings.start.iter().any(|word| word.contains(path)) || names_path(&settings.folder, path, files)
        })
    }
}

fn is_there(depends: &Depends, host: &dyn Host, settings: &HostSettings) -> bool {
    match depends {
        Depends::Known(is_there) => *is_there,
        Depends::Place(place) => {
            settings.folder.ancestors().any(|folder| folder.join(place).symlink_metadata().is_ok())
        }
        Depends::Unless { command, code } => {
            // Another interpreter than the server's may know other packages, so it is not asked.
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
