//! Where the candidates of a profile are in the source. In: their frames and the server's folder. Out: names and files.

use std::path::{Path, PathBuf};

use tierup_build::OnDisk;
use tierup_codegen::Host;
use tierup_profile::Frame;

/// A candidate with less of the CPU is neither watched nor read.
pub(super) const LEAST: f64 = 0.005;

/// The name without the class that some runtimes put before it.
pub(in crate::commands::profile) fn name_of(frame: &Frame) -> &str {
    let name = frame.function.rsplit(['.', ':']).next().unwrap_or(&frame.function);
    match name.split_once('#') {
        // Without a class, it is a private name.
        Some((class, method)) if !class.is_empty() => method,
        _ => name,
    }
}

/// The file that declares a function, from the server's folder. Nothing for those outside of it.
pub(super) fn file(host: &dyn Host, folder: &Path, frame: &Frame) -> Option<String> {
    if frame.file.is_empty() {
        return host.source_of(&OnDisk(folder), &frame.function);
    }
    let file = Path::new(&frame.file).canonicalize().ok()?;
    Some(file.strip_prefix(folder.canonicalize().ok()?).ok()?.display().to_string())
}

/// The absolute path of a function's file: empty if nobody names one, nothing if it is not there.
pub(super) fn path(host: &dyn Host, folder: &Path, frame: &Frame) -> Option<String> {
    let path = match &frame.file[..] {
        "" => match file(host, folder, frame) {
            Some(file) => folder.join(file),
            None => return Some(String::new()),
        },
        file => PathBuf::from(file),
    };
    let path = path.canonicalize().ok().filter(|path| path.is_file())?;
    Some(path.display().to_string())
}
