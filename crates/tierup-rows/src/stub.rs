//! The package that a server's owner commits, in `tierup/<package>/` of the project, so that a clone works in which nothing is built.
//!
//! In: a project's hosts. Out: its files, and whether those on disk fit the interface.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tierup_codegen::{Files, Host, HostSettings, abi};
use tierup_diagnostic::{Failure, Result};
use tierup_project::{Loaded, relative};

/// The first line of the package's README: a folder with it was written by tierup.
const MARK: &str = "<!-- Made by tierup stub. -->";

/// Whether the package is committed, and up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Missing,
    Current,
    /// It is that of another interface or another golden answer, or lacks files.
    Stale,
}

/// The folder of the package `name`, from the project's folder.
pub fn folder(name: &str) -> String {
    format!("tierup/{name}")
}

/// Where it is in a project.
fn place(loaded: &Loaded) -> PathBuf {
    loaded.folder.join(folder(&loaded.project.interface.package))
}

/// Writes it for these hosts, over an older one.
///
/// # Errors
/// If the folder is somebody else's, or a file cannot be written.
pub fn write(loaded: &Loaded, hosts: &[Files]) -> Result<()> {
    let place = place(loaded);
    check_free(&place)?;
    let common = Files::new()
        .with("README.md", readme(&loaded.project.interface.package))
        // What the repository ignores elsewhere, such as `lib/`, is part of this package.
        .with(".gitignore", "!*\n__pycache__/\n*.egg-info/\nnode_modules/\n")
        .with(".gitattributes", "* linguist-generated\n");
    for (name, content) in hosts.iter().chain([&common]).flat_map(Files::iter) {
        tierup_runner::write_file(&place.join(name), content)?;
    }
    Ok(())
}

/// Whether a folder is such a package.
pub(crate) fn is_ours(place: &Path) -> bool {
    fs::read_to_string(place.join("README.md")).is_ok_and(|text| text.starts_with(MARK))
}

/// Refuses a folder with files that tierup did not make.
///
/// # Errors
/// Names it.
pub fn check_free(place: &Path) -> Result<()> {
    let is_used = fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_some());
    if !is_used || is_ours(place) {
        return Ok(());
    }
    Err(Failure::usage(format!("`{}` already exists, and tierup did not make it", tierup_project::shown(place)))
        .hint("tierup writes the package to commit there: move your files away".to_owned()))
}

/// Whether a host's package is there, and fits the project. Files that depend on the interface contain its hash and those of
/// `[health]`.
pub fn standing(loaded: &Loaded, host: &dyn Host) -> Standing {
    let Ok(files) = host.stub(&loaded.project) else { return Standing::Missing };
    let (place, interface) = (place(loaded), abi::hash_text(&loaded.project.interface));
    let health = loaded.project.health.as_ref().map_or(&[][..], |health| &health.sha256);
    let has = |content: &[u8], hash: &str| String::from_utf8_lossy(content).contains(hash);
    let names = files.iter().filter(|(_, content)| has(content, &interface)).map(|(name, _)| place.join(name));
    let found: Vec<_> = names.filter_map(|name| fs::read(name).ok()).collect();
    if found.is_empty() {
        return Standing::Missing;
    }
    let is_whole = files.iter().all(|(name, _)| place.join(name).exists());
    let fits = |content: &Vec<u8>| has(content, &interface) && health.iter().all(|hash| has(content, hash));
    if is_whole && found.iter().all(fits) { Standing::Current } else { Standing::Stale }
}

/// What to do about packages that are not up to date; `None` if there are none.
pub fn advice<'a>(loaded: &Loaded, hosts: impl IntoIterator<Item = &'a dyn Host>) -> Option<String> {
    let stale = hosts.into_iter().any(|host| standing(loaded, host) == Standing::Stale);
    let place = loaded.shown(&place(loaded));
    stale.then(|| {
        format!(
            "{place} lacks files, or is older than your crate's interface or [health]: run `tierup stub`, and commit what it \
             writes"
        )
    })
}

/// The path from a server's folder to the package that it depends on: the one that is committed, otherwise the one in `.tierup/`.
pub fn package_way(loaded: &Loaded, host: &dyn Host, settings: &HostSettings) -> String {
    let package = match standing(loaded, host) {
        Standing::Missing => loaded.work.join(host.name()),
        Standing::Current | Standing::Stale => place(loaded),
    };
    relative(&settings.folder, &package)
}

fn readme(package: &str) -> String {
    format!(
        "{MARK}\n# {package}\n\nThis package is committed, so that a clone works without Rust and tierup. `tierup stub` writes it again; \
         changes here\nare lost then.\n\n- If `tierup build` has built variants in `.tierup/`, they are loaded from there.\n- Otherwise your own \
         code runs, at tier 0. A line on standard error says so, once.\n- `TIERUP_TIER=3`, or any other tier but 0, is an error then: run \
         `tierup build`.\n"
    )
}
