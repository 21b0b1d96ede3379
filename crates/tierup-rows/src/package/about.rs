//! What goes into a package besides code: what the user's crate says of itself, and the licences of all crates that are linked.
//!
//! In: what `cargo metadata` says of the generated workspace. Out: [`About`].

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde::Deserialize;
use tierup_codegen::{About, Files};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;

#[derive(Deserialize)]
pub(super) struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    description: Option<String>,
    repository: Option<String>,
    manifest_path: String,
    /// `None`: it is in a folder of this machine.
    source: Option<String>,
    targets: Vec<Kinds>,
}

#[derive(Deserialize)]
struct Kinds {
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// `None`: it is linked; else `build` or `dev`.
    kind: Option<String>,
}

impl Metadata {
    pub(super) fn read(said: &str) -> Result<Metadata> {
        serde_json::from_str(said)
            .map_err(|error| Failure::new(format!("`cargo metadata` said what tierup does not read: {error}")))
    }

    /// The folders of crates that are on this machine only.
    pub(super) fn local_folders(&self) -> impl Iterator<Item = String> {
        let local = self.packages.iter().filter(|package| package.source.is_none());
        local.filter_map(|package| Some(Path::new(&package.manifest_path).parent()?.display().to_string()))
    }
}

/// `roots`: the packages that are built.
pub(super) fn about(metadata: &Metadata, loaded: &Loaded, roots: &BTreeSet<String>) -> Result<About> {
    let manifest = loaded.project.crate_folder.join("Cargo.toml");
    let own = metadata.packages.iter().find(|package| Path::new(&package.manifest_path) == manifest);
    let own = own.ok_or_else(|| Failure::new(format!("`cargo metadata` does not know {}", loaded.shown(&manifest))))?;
    let license = license(own.license.as_deref()).map_err(|message| {
        Failure::usage(format!("{}: {message}", loaded.shown(&manifest))).hint(
            "set `license` in its [package] to an SPDX expression (https://spdx.org/licenses), e.g. \"MIT\", or to a name of your \
             own, e.g. \"LicenseRef-Proprietary\"",
        )
    })?;
    let mut licenses = texts(&loaded.project.crate_folder, is_license);
    if licenses.is_empty() {
        licenses = texts(&loaded.workspace_root, is_license);
    }
    let linked = linked(metadata, roots, &loaded.work);
    let linked: Vec<_> = linked.into_iter().filter(|package| package.id != own.id).collect();
    let mut files = Files::new().with("THIRD-PARTY-LICENSES.txt", third_party(&linked));
    licenses.into_iter().for_each(|(name, text)| files.add(name, text));
    let docs = || loaded.project.interface.docs.lines().next().unwrap_or_default().to_owned();
    Ok(About {
        license,
        description: own.description.clone().unwrap_or_else(docs),
        repository: own.repository.clone(),
        licenses: files,
    })
}

/// The licence, unless there is none, or a word that stands in for one.
fn license(given: Option<&str>) -> std::result::Result<String, String> {
    let given = given.ok_or("it names no licence, and nobody may use a package without one")?;
    match spdx::Expression::parse(given) {
        Ok(_) => Ok(given.to_owned()),
        Err(error) => Err(format!("`{given}` is no licence: {}", error.reason)),
    }
}

/// The packages whose code ends up in what is built from `roots`, without those that tierup wrote into `work`.
fn linked<'a>(metadata: &'a Metadata, roots: &BTreeSet<String>, work: &Path) -> Vec<&'a Package> {
    let packages: BTreeMap<_, _> = metadata.packages.iter().map(|package| (&package.id, package)).collect();
    let nodes: BTreeMap<_, _> = metadata.resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let is_generated = |package: &Package| Path::new(&package.manifest_path).starts_with(work);
    let is_macro =
        |package: &Package| package.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"));
    let roots = metadata.packages.iter().filter(|package| is_generated(package) && roots.contains(&package.name));
    let (mut waiting, mut seen) = (roots.map(|package| &package.id).collect::<Vec<_>>(), BTreeSet::new());
    while let Some(id) = waiting.pop() {
        let Some(package) = packages.get(id).filter(|package| !is_macro(package)) else { continue };
        if seen.insert((&package.name, &package.version, id)) {
            let is_linked = |dependency: &&Dependency| dependency.dep_kinds.iter().any(|kind| kind.kind.is_none());
            let dependencies = nodes.get(id).into_iter().flat_map(|node| node.deps.iter().filter(is_linked));
            waiting.extend(dependencies.map(|dependency| &dependency.pkg));
        }
    }
    let found = seen.into_iter().filter_map(|(_, _, id)| packages.get(id).copied());
    found.filter(|package| !is_generated(package)).collect()
}

/// Each crate with its licence, then each text once.
fn third_party(linked: &[&Package]) -> String {
    let mut list =
        "The programs and libraries in this package contain code of Rust's standard library (MIT OR Apache-2.0,\n\
                    https://www.rust-lang.org), may contain code of LLVM's libunwind and compiler-rt (Apache-2.0 WITH\n\
                    LLVM-exception), musl (MIT) and MinGW-w64's runtime (ZPL-2.1), and contain code of these crates:\n\n"
            .to_owned();
    let mut by_text: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in linked {
        let name = format!("{} {}", package.name, package.version);
        let license = package.license.as_deref().unwrap_or("see its text below");
        let repository = package.repository.as_deref().unwrap_or_default();
        list += format!("{name}: {license} {repository}").trim_end();
        list += "\n";
        let folder = Path::new(&package.manifest_path).parent().unwrap_or(Path::new("."));
        for (file, text) in texts(folder, is_about_rights) {
            let text = text.replace("\r\n", "\n").trim().to_owned();
            by_text.entry(text).or_default().push(format!("{name}, {file}"));
        }
    }
    let mut texts: Vec<_> = by_text.into_iter().map(|(text, names)| (names, text)).collect();
    texts.sort();
    texts
        .into_iter()
        .fold(list, |all, (names, text)| all + &format!("\n{}\n{}\n\n{text}\n", "-".repeat(80), names.join("\n")))
}

const BEGINNINGS: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
const ENDINGS: [&str; 4] = [".md", ".txt", ".rst", ".adoc"];

/// What follows the beginning of a text's name, in small letters and without `.md` and the like.
fn rest(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    BEGINNINGS.iter().find_map(|beginning| stem.strip_prefix(beginning)).map(str::to_owned)
}

/// Of the user's own files only those that are a licence by their name: `LICENSE`, `LICENSE-MIT`, `COPYING.LESSER`. Others may be secrets.
fn is_license(name: &str) -> bool {
    rest(name).is_some_and(|rest| {
        let word = rest.trim_start_matches(['-', '_', '.']);
        let is_known = spdx::identifiers::LICENSES.iter().any(|license| license.0.eq_ignore_ascii_case(word));
        rest.is_empty()
            || rest != word && (is_known || ["apache", "apache2", "bsd", "gpl", "lesser", "mpl"].contains(&word))
    })
}

/// Of a crate that everybody can read.
fn is_about_rights(name: &str) -> bool {
    rest(name).is_some()
}

/// The texts in a crate's folder that have such names.
fn texts(folder: &Path, is_text: fn(&str) -> bool) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    named
        .filter(|(name, path)| is_text(name) && path.is_file())
        .filter_map(|(name, path)| Some((name, fs::read_to_string(path).ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_licences_of_the_owner_are_taken() {
        for name in [
            "LICENSE", "LICENSE-MIT", "License.txt", "LICENSE-APACHE", "license-apache-2.0.md", "COPYING.LESSER",
            "NOTICE",
        ] {
            assert!(is_license(name), "{name}");
        }
        for name in
            ["license.key", "license-key.txt", "licenses.rs", "notice_board.rs", "copyright_check", "LICENSE-server"]
        {
            assert!(!is_license(name), "{name}");
        }
    }

    #[test]
    fn a_word_that_stands_in_for_a_licence_is_none() {
        assert_eq!(license(Some("MIT OR Apache-2.0")).unwrap(), "MIT OR Apache-2.0");
        assert_eq!(license(Some("LicenseRef-Proprietary")).unwrap(), "LicenseRef-Proprietary");
        for word in ["", "TODO", "UNLICENSED", "Proprietary", "<licence>"] {
            assert!(license(Some(word)).is_err(), "{word}");
        }
        assert!(license(None).is_err());
    }
}
