//! `--keep`: adds the mismatches of a run to the project's corpus, so that every later run repeats them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};
use tierup_runner::{read_text, write_file};

use super::{case::REQUESTS, inputs::files};
use tierup_diagnostic::{Failure, Result};

/// Copies every case of a run into `corpus`, and returns the new files. A name is a hash of the content, so nothing is
/// kept twice.
pub fn keep(cases: &Path, corpus: &Path) -> Result<Vec<PathBuf>> {
    let mut kept = Vec::new();
    let folders = fs::read_dir(cases).into_iter().flatten().flatten().map(|entry| entry.path());
    for folder in folders.filter(|path| path.is_dir()) {
        let Some(name) = folder.file_name() else { continue };
        for file in files(&folder) {
            let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            // A body is copied with its request.
            if ending == "body" {
                continue;
            }
            let target = corpus.join(name);
            let content = fs::read(&file)
                .map_err(|error| Failure::because(format!("cannot read `{}`", file.display()), error))?;
            let new = if name == REQUESTS { request(&file, &target)? } else { bytes(&content, ending, &target)? };
            kept.extend(new);
        }
    }
    kept.sort();
    Ok(kept)
}

fn bytes(content: &[u8], ending: &str, target: &Path) -> Result<Option<PathBuf>> {
    let file = target.join(format!("{}.{ending}", short_hash(content)));
    if file.exists() {
        return Ok(None);
    }
    write_file(&file, content)?;
    Ok(Some(file))
}

/// Copies a request, with its body file if it has one.
fn request(file: &Path, target: &Path) -> Result<Option<PathBuf>> {
    let text = read_text(file)?.unwrap_or_default();
    let body_file = file.with_extension("body");
    let body = fs::read(&body_file).unwrap_or_default();
    let (Some(old), Some(old_body)) = (file.file_stem(), body_file.file_name()) else { return Ok(None) };
    // Another run may give the body another file name; the same request must still get the same name.
    let plain = text.replace(&*old_body.to_string_lossy(), "body");
    let name = short_hash(&[plain.as_bytes(), &body].concat());
    let new = target.join(format!("{name}.http"));
    if new.exists() {
        return Ok(None);
    }
    let own_body = format!("{}.body", old.to_string_lossy());
    if body_file.exists() {
        write_file(&target.join(format!("{name}.body")), &body)?;
    }
    write_file(&new, text.replace(&format!("./{own_body}"), &format!("./{name}.body")).as_bytes())?;
    Ok(Some(new))
}

fn short_hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
