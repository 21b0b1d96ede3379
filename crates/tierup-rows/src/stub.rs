//! The package that a server's owner commits to `tierup/<package>/` of the project, so that clones work unbuilt.
//!
//! In: a project's hosts. Out: the package's files, and whether those on disk fit the interface.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tierup_codegen::{Files, Host, HostSettings, Stub, abi};
use tierup_diagnostic::{Failure, Result};
use tierup_project::{Loaded, relative};
use tierup_runner::Observer;

/// The first line of the package's README, which marks the folder as tierup's.
const MARK: &str = "<!-- Made by tierup stub. -->";

/// Whether the package exists and is up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Missing,
    Current,
    /// The package has another interface or golden answer, or lacks files.
    Stale,
}

/// The folder of the package `name`, relative to the project's folder.
pub fn folder(name: &str) -> String {
    format!("tierup/{name}")
}

/// The folder of a host's package that loads the built files from its own folder.
pub fn own_folder(name: &str, host: &dyn Host) -> String {
    format!("{}/{}", folder(name), host.name())
}

/// The package's folder in a project.
fn place(loaded: &Loaded) -> PathBuf {
    loaded.folder.join(folder(&loaded.project.interface.package))
}

/// Generates the package of a host.
///
/// # Errors
/// The reason why there is no package.
pub fn make(loaded: &Loaded, host: &dyn Host) -> std::result::Result<Stub, String> {
    let package = loaded.folder.join(own_folder(&loaded.project.interface.package, host));
    let settings = loaded.hosts.iter().find(|(one, _)| one.name() == host.name()).map(|(_, settings)| settings);
    let settings = settings.ok_or_else(|| format!("tierup.toml has no [host.{}]", host.name()))?;
    let folder = relative(&package, &settings.folder).into();
    host.stub(&loaded.project, &HostSettings { folder, ..settings.clone() })
}

/// The folder of a host's package. Packages that load the built one share a folder: their file names differ.
fn own_place(loaded: &Loaded, host: &dyn Host, stub: &Stub) -> PathBuf {
    let package = &loaded.project.interface.package;
    loaded.folder.join(if stub.added.is_empty() { folder(package) } else { own_folder(package, host) })
}

/// Writes the package for these hosts, over an older one. Returns whether anything changed.
///
/// # Errors
/// A host has no package, tierup did not make the folder, or a file cannot be written.
pub fn write(loaded: &Loaded, hosts: &[&dyn Host]) -> Result<bool> {
    let place = place(loaded);
    check_free(&place)?;
    let common = Files::new()
        .with("README.md", readme(&loaded.project.interface.package))
        .with(".gitignore", ignored(loaded))
        .with(".gitattributes", "* linguist-generated\n");
    let mut has_changed = false;
    let mut write = |place: &Path, files: &Files| -> Result<()> {
        for (name, content) in files.iter() {
            has_changed |= tierup_runner::write_file(&place.join(name), content)?;
        }
        Ok(())
    };
    for host in hosts {
        let stub = make(loaded, *host).map_err(Failure::usage)?;
        write(&own_place(loaded, *host, &stub), &stub.files)?;
    }
    write(&place, &common)?;
    Ok(has_changed)
}

/// Overrides rules of the repository (e.g. for `lib/`), and ignores what tools and `tierup build` write here.
fn ignored(loaded: &Loaded) -> String {
    let added = loaded.hosts.iter().flat_map(|(host, _)| {
        let added = make(loaded, *host).map(|stub| stub.added).unwrap_or_default();
        added.into_iter().map(|path| format!("/{}/{path}\n", host.name()))
    });
    let tools = "!*\n__pycache__/\n*.egg-info/\nnode_modules/\n_build/\ntarget/\n.generated\n";
    tools.to_owned() + &added.collect::<String>()
}

/// Adds the built files to a package that loads them from its own folder, and brings that package up to date: a
/// compiler needs files of one version.
///
/// # Errors
/// A file cannot be read or written.
pub(crate) fn complete(loaded: &Loaded, host: &dyn Host, observer: &mut dyn Observer) -> Result<()> {
    let Ok(stub) = make(loaded, host) else { return Ok(()) };
    if stub.added.is_empty() || standing(loaded, host) == Standing::Missing {
        return Ok(());
    }
    let (from, to) = (loaded.work.join(host.name()), own_place(loaded, host, &stub));
    if write(loaded, &[host])? {
        observer.note(&format!("wrote {} again: commit it", loaded.shown(&to)));
    }
    let mut built = Files::new();
    for path in stub.added {
        read(&from, path.trim_end_matches('/').to_owned(), &mut built)?;
    }
    tierup_runner::write(&built, &to)?;
    for (name, _) in built.iter() {
        let (from, to) = (from.join(name), to.join(name));
        let permissions = fs::metadata(&from).map(|file| file.permissions());
        permissions.and_then(|permissions| fs::set_permissions(&to, permissions)).map_err(cannot("copy", &from))?;
    }
    Ok(())
}

/// Adds the file with this name, or all files below the folder with this name, if it exists.
fn read(root: &Path, name: String, files: &mut Files) -> Result<()> {
    let path = root.join(&name);
    if let Ok(entries) = fs::read_dir(&path) {
        return entries
            .flatten()
            .try_for_each(|entry| read(root, format!("{name}/{}", entry.file_name().to_string_lossy()), files));
    }
    if path.exists() {
        files.add(name, fs::read(&path).map_err(cannot("read", &path))?);
    }
    Ok(())
}

fn cannot(verb: &str, path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    move |error| Failure::because(format!("cannot {verb} {}", tierup_project::shown(path)), error)
}

/// Whether tierup wrote this folder.
pub(crate) fn is_ours(place: &Path) -> bool {
    fs::read_to_string(place.join("README.md")).is_ok_and(|text| text.starts_with(MARK))
}

/// Refuses a folder with files that tierup did not make.
///
/// # Errors
/// There are such files. The error names the folder.
pub fn check_free(place: &Path) -> Result<()> {
    let is_used = fs::read_dir(place).is_ok_and(|mut entries| entries.next().is_some());
    if !is_used || is_ours(place) {
        return Ok(());
    }
    Err(Failure::usage(format!("`{}` already exists, and tierup did not make it", tierup_project::shown(place)))
        .hint("tierup writes the package to commit there: move your files away"))
}

/// The state of a host's package. Files that depend on the interface contain its hash and the hashes of `[health]`.
pub fn standing(loaded: &Loaded, host: &dyn Host) -> Standing {
    let Ok(stub) = make(loaded, host) else { return Standing::Missing };
    let (place, interface) = (own_place(loaded, host, &stub), abi::hash_text(&loaded.project.interface));
    let files = stub.files;
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

/// The advice for packages that are out of date; `None` if there are none.
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

/// The path from a server's folder to its package: the committed one if it exists, otherwise the one in `.tierup/`.
pub fn package_way(loaded: &Loaded, host: &dyn Host, settings: &HostSettings) -> String {
    let package = match (standing(loaded, host), make(loaded, host)) {
        (Standing::Current | Standing::Stale, Ok(stub)) => own_place(loaded, host, &stub),
        _ => loaded.work.join(host.name()),
    };
    relative(&settings.folder, &package)
}

fn readme(package: &str) -> String {
    format!(
        "{MARK}\n# {package}\n\nThis package is committed, so that a clone works without Rust and tierup. `tierup stub` writes it again; \
         changes here\nare lost then.\n\n- If `tierup build` has built variants, they are loaded: from `.tierup/`, or from here, where \
         git ignores them.\n- Otherwise your own \
         code runs, at tier 0. A line on standard error says so, once.\n- `TIERUP_TIER=3`, or any other tier but 0, is an error then: run \
         `tierup build`.\n"
    )
}
