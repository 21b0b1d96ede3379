//! A built file is converted into other files, unless that was done before with the same input.

use std::{
    env, fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use sha2::{Digest, Sha256};
use tierup_codegen::Converter;

use crate::{Error, Result, files};

/// Converts `from`, and makes `into` hold what comes out. `root` remembers what was converted.
pub(crate) fn convert(from: &Path, into: &Path, converter: &Converter, root: &Path) -> Result<()> {
    let bytes = fs::read(from).map_err(Error::file("read", from))?;
    let fingerprint = fingerprint(&bytes);
    let list = root.join(".converted").join(list_name(root, into));
    let complete = files::listed(&list)?.iter().all(|name| into.join(name).exists());
    if complete && files::first_line(&list)?.as_ref() == Some(&fingerprint) {
        return Ok(());
    }
    let converted = converter.convert(&bytes).map_err(|reason| Error::Convert { from: from.to_owned(), reason })?;
    files::write_listed(&converted, into, &list, &fingerprint)?;
    Ok(())
}

/// Of the input and of the program that converts it: another tierup may convert otherwise.
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
