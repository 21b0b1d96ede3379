//! The files that `new` and `init` write: a small crate with a hot function, and a `tierup.toml` around it. Also how commands
//! name a host and a folder.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tierup_codegen::source::fill;
use tierup_codegen::{Files, Host, quoted};
use tierup_diagnostic::nearest;

use crate::{
    failure::{Failure, Result},
    hosts,
};

/// The crate, with `name` as its package's name.
pub(crate) fn hot_crate(name: &str) -> Files {
    crate_with(name, include_str!("../../templates/new/lib.rs"))
}

/// The crate with this library instead.
pub(crate) fn crate_with(name: &str, library: &str) -> Files {
    Files::new()
        .with("Cargo.toml", fill(include_str!("../../templates/new/Cargo.toml"), &[("name", name)]))
        .with("src/lib.rs", library)
}

/// `tierup.toml`, with the hot crate in `crate_folder`.
pub(crate) fn settings(crate_folder: &str, host_table: &str) -> String {
    fill(include_str!("../../templates/new/tierup.toml"), &[("crate", crate_folder), ("host", host_table.trim_end())])
}

/// The sample function of a new project.
pub(crate) const SAMPLE: &str = "slugify";

/// A host by its name on the command line.
pub(crate) fn find_host(name: &str) -> Result<&'static dyn Host> {
    hosts::find(name).ok_or_else(|| {
        let names: Vec<_> = hosts::all().iter().map(|host| host.name()).collect();
        let failure = Failure::usage(format!("`{name}` is not a host"));
        match nearest(name, names.iter().copied()) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None => failure.hint(format!("hosts are: {}", names.join(", "))),
        }
    })
}

/// A name that both cargo and the hosts' registries accept.
pub(crate) fn check_name(name: &str) -> Result<()> {
    // Keywords of Rust, crates that come with it, and names that cargo refuses.
    const TAKEN: &str = "abstract alloc as async await become box break build const continue core crate deps do dyn else \
        enum examples extern false final fn for gen if impl in incremental let loop macro match mod move mut override \
        priv proc-macro proc_macro pub ref return self static std struct super test trait true try type typeof unsafe \
        unsized use virtual where while yield";
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
    if !starts || !name.chars().all(plain) || name.len() > 64 {
        return Err(Failure::usage(format!("`{name}` is not a valid name for a crate and a package"))
            .hint("take lower-case letters, digits, `-` and `_`, a letter first, 64 at most"));
    }
    // Any host may be added to a project later.
    if TAKEN.split_whitespace().any(|taken| taken == name) || hosts::all().iter().any(|host| host.takes(name)) {
        return Err(Failure::usage(format!("`{name}` is a reserved name in Rust or in a host"))
            .hint(format!("take another, e.g. `{name}-fast`")));
    }
    Ok(())
}

/// Writes files, or fails if one of them already exists.
pub(crate) fn write_new(files: &Files, folder: &Path) -> Result<()> {
    if let Some((name, _)) = files.iter().find(|(name, _)| folder.join(name).exists()) {
        return Err(Failure::usage(format!(
            "`{}` already exists, and tierup does not overwrite it",
            folder.join(name).display()
        ))
        .hint("move it away, or continue with the existing file"));
    }
    for (name, content) in files.iter() {
        tierup_runner::write_file(&folder.join(name), content)?;
    }
    Ok(())
}

/// A folder's absolute path, whether it exists or not.
pub(crate) fn absolute(folder: &Path) -> Result<PathBuf> {
    std::path::absolute(folder)
        .map_err(|error| Failure::because(format!("cannot find the folder `{}`", folder.display()), error))
}

/// A project's folder as an argument in a line for a shell, after a space; empty for the current folder.
pub(crate) fn argument(folder: &Path) -> String {
    if folder == Path::new(".") { String::new() } else { format!(" {}", quoted(&folder.display().to_string())) }
}

/// The names in a folder.
pub(crate) fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}
