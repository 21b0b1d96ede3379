//! Converts a file into other files, unless that was done before with the same input.

use std::{
    env, fs, io,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};
use tierup_codegen::{Command, Converter, Files, WasmTool};

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
    let list = workshop.root.join(".converted").join(list_name(&workshop.root, into));
    let names = files::listed(&list)?;
    let complete = names.iter().all(|name| into.join(name).exists());
    if complete && files::first_line(&list)?.as_ref() == Some(&fingerprint) {
        return Ok(());
    }
    let refused = |reason| Error::Convert { from: from.to_owned(), reason };
    let converted = match converter {
        Converter::Function(convert) => convert(&bytes),
        Converter::Tool(tool, adapt) => adapt(by_tool(*tool, from, &list.with_extension("out"), workshop, progress)?),
    };
    files::write_listed(&converted.map_err(refused)?, into, &list, &fingerprint)?;
    Ok(())
}

/// Converts a file with a Wasm tool, by way of a temporary folder.
fn by_tool(
    tool: WasmTool,
    from: &Path,
    folder: &Path,
    workshop: &Workshop,
    progress: &mut dyn Progress,
) -> Result<Files> {
    let program = wasm_tool(tool.program(), workshop, progress)?;
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(Error::file("make the folder", folder))?;
    // The path is relative, because the path to the workshop need not be UTF-8.
    let inside = |path: &Path| path.strip_prefix(&workshop.root).unwrap_or(path).display().to_string();
    let arguments = [from, folder].map(inside);
    let arguments = [tool.word(), &arguments[0], &arguments[1]];
    let done = run(&Command::new(&program.display().to_string(), arguments), &workshop.root, &[], &mut Quiet);
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
    fs::read_dir(folder)?.try_fold(Files::new(), |files, entry| {
        let entry = entry?;
        Ok(files.with(entry.file_name().to_string_lossy(), fs::read(entry.path())?))
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

fn list_name(root: &Path, into: &Path) -> String {
    let inside = into.strip_prefix(root).unwrap_or(into);
    inside.to_string_lossy().replace(['/', '\\', ':'], "-")
}
