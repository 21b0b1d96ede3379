//! Installs the server's own dependencies (`npm ci`): once if they are missing, and again when the files that determine
//! them change.

use std::path::Path;

use tierup_codegen::{Command, Host, HostSettings, Install, InstallBy, IsThere};
use tierup_diagnostic::{Failure, Result};
use tierup_project::{FILE, Loaded};
use tierup_runner::{Error, Observer, capture_with, read_text, run, write_file};

use crate::Described;

/// Installs the missing dependencies of a server.
pub(crate) fn install(
    loaded: &Loaded,
    host: &dyn Host,
    settings: &HostSettings,
    observer: &mut dyn Observer,
) -> Result<()> {
    let folder = &settings.folder;
    let mut install = host.install(&Described(settings));
    match &settings.install {
        InstallBy::Found => {}
        InstallBy::Nobody => return Ok(()),
        InstallBy::Command(words) => {
            let (program, rest) = words.split_first().map_or(("", &[][..]), |(program, rest)| (program, rest));
            install.commands = vec![Command::new(program, rest.iter().map(String::as_str))];
            install.found_by = format!("`install` in {FILE}");
            install.is_there = IsThere::No;
        }
    }
    let stamp = loaded.work.join(format!(".installed-{}", host.name()));
    if install.commands.is_empty() || read_text(&stamp)? == Some(state(&install, &settings.install, folder)?) {
        return Ok(());
    }
    if !is_there(&install, folder) {
        for command in &install.commands {
            observer.started(&command.to_string());
            let done = run(command, folder, &[], observer);
            observer.finished();
            done.map_err(|error| failure(error, &install, loaded, host, folder))?;
        }
    }
    write_file(&stamp, state(&install, &settings.install, folder)?.as_bytes())?;
    Ok(())
}

/// Whether all dependencies are installed. If the command that checks this fails, they are installed again.
fn is_there(install: &Install, folder: &Path) -> bool {
    match &install.is_there {
        IsThere::No => false,
        IsThere::Yes => true,
        IsThere::Ask(command) => capture_with(command, folder, &[]).is_ok(),
    }
}

fn failure(error: Error, install: &Install, loaded: &Loaded, host: &dyn Host, folder: &Path) -> Failure {
    let own = format!("or install them yourself and set `install = false` in [host.{}] of {FILE}", host.name());
    let (by, place) = (&install.found_by, loaded.shown(folder));
    match error {
        Error::Missing { program } => {
            let message =
                format!("there is no program `{program}`, which installs the dependencies in {place} (by {by})");
            let hint = Some(format!("install `{program}`, {own}"));
            Failure::Missing { message, program, hint, otherwise: None }
        }
        error => Failure::from(error)
            .or_hint(|| format!("it installs the dependencies in {place} (by {by}): correct what it names, {own}")),
    }
}

/// The content of the files that determine an installation, and whether the last installation is still there.
fn state(install: &Install, by: &InstallBy, folder: &Path) -> Result<String> {
    let mut state = format!("{}: {}\n", install.leaves, folder.join(&install.leaves).exists());
    if let InstallBy::Command(words) = by {
        state.push_str(&format!("{words:?}\n"));
    }
    for name in &install.decided_by {
        // A lock file may be binary (`bun.lockb`).
        let content = std::fs::read(folder.join(name)).unwrap_or_default();
        state.push_str(&format!("{name}: {:?}\n", String::from_utf8_lossy(&content)));
    }
    Ok(state)
}
