//! The server's own dependencies (`npm ci`), got once and again when what asks for them changed.

use std::{fs, path::Path};

use tierup_codegen::{Host, HostSettings, Install};
use tierup_runner::{Progress, read_text, run, write_file};

use crate::{console::Console, failure::Result};

/// Gets what is missing, in a server's folder that says what it needs.
pub(crate) fn install(host: &dyn Host, settings: &HostSettings, work: &Path, console: &mut Console) -> Result<()> {
    let folder = &settings.folder;
    let install = host.install(&names_in(folder));
    let stamp = work.join(format!(".installed-{}", host.name()));
    if install.commands.is_empty() || read_text(&stamp)? == Some(state(&install, folder)?) {
        return Ok(());
    }
    for command in &install.commands {
        console.started(&command.to_string());
        let done = run(command, folder, &[], console);
        console.finished();
        done?;
    }
    write_file(&stamp, state(&install, folder)?.as_bytes())?;
    Ok(())
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// What decides an installation, and whether the last one is still there.
fn state(install: &Install, folder: &Path) -> Result<String> {
    let mut state = format!("{}: {}\n", install.leaves, folder.join(install.leaves).exists());
    for name in install.decided_by {
        let text = read_text(&folder.join(name))?;
        state.push_str(&format!("{name}: {text:?}\n"));
    }
    Ok(state)
}
