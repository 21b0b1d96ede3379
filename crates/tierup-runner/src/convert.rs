//! Converts a file into other files, unless that was done before with the same input.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};
use tierup_codegen::{Command, Converter, Files};

use crate::{Error, Progress, Quiet, Result, Workshop, files, process::run, wasm_tool::wasm_tool};

/// Converts `from`, and makes `into` hold the results. The workshop's folder records the converted input.
pub(crate) fn convert(
    from: &Path,
    into: &Path,
    converter: &Converter,
    workshop: &Workshop,
    progress: &mut dyn Progress,
) -> Result<()> {
    let bytes = fs::read(from).map_err(Error::file("read", from))?;
    let fingerprint = fingerprint(&bytes);
    let list = list(into, workshop);
    let names = files::listed(&list)?;
    let complete = names.iter().all(|name| into.join(name).exists());
    if complete && files::first_line(&list)?.as_ref() == Some(&fingerprint) {
        return Ok(());
    }
    let refused = |reason| Error::Convert { from: from.to_owned(), reason };
    let converted = match converter {
        Converter::Function(convert) => convert(&bytes),
        Converter::Tool(tool, adapt) => {
            let program = wasm_tool(tool.program(), workshop, progress)?.display().to_string();
            let command = |from: &str, folder: &str| Command::new(&program, [tool.word(), from, folder]);
            adapt(by_command(&command, from, &list.with_extension("out"), workshop)?)
        }
        Converter::Command(command, adapt) => {
            adapt(by_command(&**command, from, &list.with_extension("out"), workshop)?)
        }
    };
    files::write_listed(&converted.map_err(refused)?, into, &list, &fingerprint)?;
    Ok(())
}

/// What the last conversion wrote into a folder, which may also hold other files.
///
/// # Errors
/// A file cannot be read.
pub fn converted(into: &Path, workshop: &Workshop) -> Result<Files> {
    let mut made = Files::new();
    for name in files::listed(&list(into, workshop))? {
        let path = into.join(&name);
        made.add(name, fs::read(&path).map_err(Error::file("read", &path))?);
    }
    Ok(made)
}

/// Converts a file with a command, by way of a temporary folder.
fn by_command(
    command: &dyn Fn(&str, &str) -> Command,
    from: &Path,
    folder: &Path,
    workshop: &Workshop,
) -> Result<Files> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(Error::file("make the folder", folder))?;
    // The path is relative, because the path to the workshop need not be UTF-8.
    let inside = |path: &Path| path.strip_prefix(&workshop.root).unwrap_or(path).display().to_string();
    let done = run(&command(&inside(from), &inside(folder)), &workshop.root, &[], &mut Quiet);
    let made = done.and_then(|()| read(folder).map_err(Error::file("read", folder)));
    let _ = fs::remove_dir_all(folder);
    made.map_err(|error| match error {
        Error::Failed { ending, output, .. } => {
            let reason = if output.is_empty() { ending } else { output.join("\n") };
            Error::Convert { from: from.to_owned(), reason }
        }
        other => other,
    })
}

fn read(folder: &Path) -> io::Result<Files> {
    fs::read_dir(folder)?.try_fold(Files::new(), |mut files, entry| {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        match entry.file_type()?.is_dir() {
            true => files.extend_below(&name, read(&entry.path())?),
            false => files.add(name, fs::read(entry.path())?),
        }
        Ok(files)
    })
}

/// A fingerprint of the input and of the program that converts it: another tierup may convert it differently.
fn fingerprint(bytes: &[u8]) -> String {
    let program = env::current_exe().and_then(fs::metadata).ok();
    let built = program.and_then(|program| program.modified().ok()).unwrap_or(SystemTime::UNIX_EPOCH);
    let built = built.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{digest} {} {built}", env!("CARGO_PKG_VERSION"))
}

/// The file with the names of what was converted into a folder.
fn list(into: &Path, workshop: &Workshop) -> PathBuf {
    let inside = into.strip_prefix(&workshop.root).unwrap_or(into);
    workshop.root.join(".converted").join(inside.to_string_lossy().replace(['/', '\\', ':'], "-"))
}
