//! The server's own dependencies (`npm ci`), got once and again when what asks for them changed.

use std::{fs, path::Path};

use tierup_codegen::{Host, HostSettings};
use tierup_runner::{Progress, read_text, run, write_file};

use crate::{console::Console, failure::Result};

/// Files that may say what a server depends on, whatever the host: manifests and lock files, not sources.
const MANIFESTS: [&str; 13] =
    ["json", "lock", "toml", "mod", "sum", "xml", "txt", "gradle", "kts", "yaml", "yml", "gemspec", "cfg"];

/// Gets what is missing, in a server's folder that says what it needs.
pub(crate) fn install(host: &dyn Host, settings: &HostSettings, work: &Path, console: &mut Console) -> Result<()> {
    let commands = host.install(settings);
    let stamp = work.join(format!(".installed-{}", host.name()));
    let folder = &settings.folder;
    // Without a manifest of its own, a package manager would take the one of some folder above.
    if !host.detects(&names_in(folder)) || read_text(&stamp)?.is_some_and(|text| text == fingerprint(folder)) {
        return Ok(());
    }
    for mut command in commands {
        // A clean installation is one of a lock file; a new server has none yet.
        if command.program == "npm" && !folder.join("package-lock.json").exists() {
            command.arguments.iter_mut().filter(|argument| *argument == "ci").for_each(|ci| *ci = "install".into());
        }
        console.started(&command.to_string());
        let done = run(&command, folder, &[], console);
        console.finished();
        done?;
    }
    write_file(&stamp, fingerprint(folder).as_bytes())?;
    Ok(())
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The names in a folder, so that a `node_modules` that somebody removed is missed, and the texts of its manifests.
fn fingerprint(folder: &Path) -> String {
    let mut lines: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_manifest = path.extension().is_none_or(|kind| MANIFESTS.iter().any(|known| kind == *known));
        let text = if is_manifest { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
        lines.push(format!("{name}\n{text}\n"));
    }
    lines.sort();
    lines.concat()
}
