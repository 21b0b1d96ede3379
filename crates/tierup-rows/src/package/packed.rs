//! Packs the files of a package, and tries the packed file out. In: a [`Publishable`]. Out: its file, which was installed
//! into an empty folder and called if it is for this machine.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use tierup_codegen::{Command, Pack, Publishable, Target};
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{Observer, run, run_without};

use super::{CrossTools, Packing, archive};

impl Packing<'_> {
    /// Whether a package is for this machine, too.
    pub(super) fn is_tried(&self, one: &Publishable) -> bool {
        let is_here = |target: &Target| target.triple == self.toolchain.this_machine;
        one.only_for.as_ref().map_or_else(|| self.order.targets.iter().any(is_here), is_here)
    }

    pub(super) fn pack(&self, one: &Publishable, observer: &mut dyn Observer) -> Result<PathBuf> {
        let packed = self.workshop.root.join("packed").join(&one.file);
        let cannot = |error| Failure::because(format!("cannot pack {}", one.file), error);
        let (command, made) = match &one.pack {
            Pack::TarGz => {
                tierup_runner::write_file(&packed, &archive::tar_gz(&one.files).map_err(cannot)?)?;
                return Ok(packed);
            }
            Pack::Run(command) => (command, None),
            Pack::RunThenTarGz { command, folder } => (command, Some(folder)),
        };
        let folder = packed.with_extension("");
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .map_err(|error| Failure::because(format!("cannot empty {}", folder.display()), error))?;
        }
        tierup_runner::write(&one.files, &folder)?;
        for (name, content) in one.files.iter() {
            set_mode(&folder.join(name), archive::mode(content))?;
        }
        // tierup's own list of files is not part of the package.
        let list = folder.join(".generated");
        fs::remove_file(&list).map_err(|error| Failure::because(format!("cannot remove {}", list.display()), error))?;
        self.command(&Command { folder: folder.clone(), ..command.clone() }, observer)?;
        if let Some(made) = made {
            let archive = archive::read(&folder.join(made)).and_then(|files| archive::tar_gz(&files));
            tierup_runner::write_file(&packed, &archive.map_err(cannot)?)?;
        }
        Ok(packed)
    }

    /// Installs a package into an empty folder, and runs its trial. `packed` are its file and those before it.
    pub(super) fn try_out(&self, one: &Publishable, packed: &[PathBuf], observer: &mut dyn Observer) -> Result<()> {
        if one.trial.is_empty() || !self.is_tried(one) {
            return Ok(());
        }
        let folder = tempfile::tempdir().map_err(|error| Failure::because("cannot make a folder", error))?;
        for file in packed {
            let copied = folder.path().join(file.file_name().unwrap_or_default());
            fs::copy(file, copied)
                .map_err(|error| Failure::because(format!("cannot copy {}", file.display()), error))?;
        }
        let names: Vec<_> = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).collect();
        let of_the_user =
            ["NODE_OPTIONS", "NODE_PATH", "PYTHONPATH", "PYTHONHOME", "RUBYOPT", "RUBYLIB", "ERL_LIBS", "ERL_FLAGS"];
        let begin = ["TIERUP", "COMPOSER", "MIX_"];
        let variables: Vec<_> = names
            .iter()
            .map(|name| &**name)
            .filter(|name| begin.iter().any(|one| name.starts_with(one)) || of_the_user.contains(name))
            .collect();
        for command in &one.trial {
            let command = Command { folder: folder.path().to_owned(), ..command.clone() };
            observer.started(&command.to_string());
            // The user's variables must not make another tier or package answer.
            let done = run_without(&command, &self.workshop.root, &variables, observer);
            observer.finished();
            done.map_err(|error| {
                Failure::from(error)
                    .or_hint(|| "the package was installed and called like this in an empty folder".to_owned())
            })?;
        }
        Ok(())
    }

    fn command(&self, command: &Command, observer: &mut dyn Observer) -> Result<()> {
        observer.started(&command.to_string());
        let environment = self.order.tools.as_ref().map(CrossTools::environment).unwrap_or_default();
        let done = run(command, &self.workshop.root, &environment, observer);
        observer.finished();
        Ok(done?)
    }
}

/// The user's own mask must not decide who can read an installed package.
#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|error| Failure::because(format!("cannot change {}", path.display()), error))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> Result<()> {
    Ok(())
}
