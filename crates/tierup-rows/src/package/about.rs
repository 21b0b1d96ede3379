//! The parts of a package besides code: the description of the user's crate, and the licences of all linked crates.
//!
//! In: the output of `cargo metadata` for the generated workspace. Out: [`About`].

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use tierup_codegen::{About, Files};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;

use super::{
    metadata::{Metadata, Package},
    sbom,
};

/// The parts, and the crates without a licence text in the package. `roots` are the built packages.
pub(super) fn about(metadata: &Metadata, loaded: &Loaded, roots: &BTreeSet<String>) -> Result<(About, Vec<String>)> {
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
    let (third_party, without) = third_party(&linked);
    let mut files = Files::new().with("THIRD-PARTY-LICENSES.txt", third_party);
    licenses.into_iter().for_each(|(name, text)| files.add(name, text));
    let docs = || loaded.project.interface.docs.lines().next().unwrap_or_default().to_owned();
    let description = own.description.clone().unwrap_or_else(docs);
    let sbom = sbom::sbom(own, &linked, metadata);
    Ok((About { license, description, repository: own.repository.clone(), licenses: files, sbom }, without))
}

/// The licence. A missing licence, or a placeholder such as `TODO`, is an error.
fn license(given: Option<&str>) -> std::result::Result<String, String> {
    let given = given.ok_or("it names no licence, and nobody may use a package without one")?;
    match spdx::Expression::parse(given) {
        Ok(_) => Ok(given.to_owned()),
        Err(error) => Err(format!("`{given}` is no licence: {}", error.reason)),
    }
}

/// The packages whose code is linked into `roots`, except those that tierup wrote into `work`.
fn linked<'a>(metadata: &'a Metadata, roots: &BTreeSet<String>, work: &Path) -> Vec<&'a Package> {
    let packages: BTreeMap<_, _> = metadata.packages.iter().map(|package| (&*package.id, package)).collect();
    let is_generated = |package: &Package| Path::new(&package.manifest_path).starts_with(work);
    let is_macro =
        |package: &Package| package.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"));
    let roots = metadata.packages.iter().filter(|package| is_generated(package) && roots.contains(&package.name));
    let (mut waiting, mut seen) = (roots.map(|package| &*package.id).collect::<Vec<_>>(), BTreeSet::new());
    while let Some(id) = waiting.pop() {
        let Some(package) = packages.get(id).filter(|package| !is_macro(package)) else { continue };
        if seen.insert((&package.name, &package.version, id)) {
            waiting.extend(metadata.linked_by(id));
        }
    }
    let found = seen.into_iter().filter_map(|(_, _, id)| packages.get(id).copied());
    found.filter(|package| !is_generated(package)).collect()
}

/// A list of all crates with their licences, then each text once; and the crates without a text.
fn third_party(linked: &[&Package]) -> (String, Vec<String>) {
    let mut list =
        "The programs and libraries in this package contain code of Rust's standard library (MIT OR Apache-2.0,\n\
                    https://www.rust-lang.org), may contain code of LLVM's libunwind and compiler-rt (Apache-2.0 WITH\n\
                    LLVM-exception), musl (MIT) and MinGW-w64's runtime (ZPL-2.1), and contain code of these crates:\n\n"
            .to_owned();
    let (mut by_text, mut without) = (BTreeMap::<String, Vec<String>>::new(), Vec::new());
    // Rust's COPYRIGHT file says this.
    for (license, text) in
        standard("MIT OR Apache-2.0", "The Rust Project Developers (see https://thanks.rust-lang.org)")
    {
        by_text.entry(text).or_default().push(format!("Rust's standard library, {license}"));
    }
    for package in linked {
        let name = format!("{} {}", package.name, package.version);
        let license = package.license.as_deref().unwrap_or("see its text below");
        let repository = package.repository.as_deref().unwrap_or_default();
        list += format!("{name}: {license} {repository}").trim_end();
        list += "\n";
        let folder = Path::new(&package.manifest_path).parent().unwrap_or(Path::new("."));
        let mut texts: Vec<_> = texts(folder, is_about_rights).into_iter().collect();
        if texts.is_empty() {
            let authors = package.authors.join(", ");
            let holders = if authors.is_empty() { format!("the authors of {}", package.name) } else { authors };
            let known = standard(package.license.as_deref().unwrap_or_default(), &holders);
            texts = known.into_iter().map(|(license, text)| (format!("the usual text of {license}"), text)).collect();
        }
        if texts.is_empty() {
            without.push(format!("{name} ({license})"));
        }
        for (file, text) in texts {
            let text = text.replace("\r\n", "\n").trim().to_owned();
            by_text.entry(text).or_default().push(format!("{name}, {file}"));
        }
    }
    let mut texts: Vec<_> = by_text.into_iter().map(|(text, names)| (names, text)).collect();
    texts.sort();
    let all = texts
        .into_iter()
        .fold(list, |all, (names, text)| all + &format!("\n{}\n{}\n\n{text}\n", "-".repeat(80), names.join("\n")));
    (all, without)
}

/// The usual texts of an expression's licences, for the many crates that are published without them.
fn standard(license: &str, holders: &str) -> Vec<(&'static str, String)> {
    let Ok(expression) = spdx::Expression::parse_mode(license, spdx::ParseMode::LAX) else { return Vec::new() };
    let ids = expression.requirements().filter_map(|one| Some(one.req.license.id()?.name));
    let text = |id| match id {
        "MIT" => Some(include_str!("../../templates/licenses/MIT.txt").replace("{{holders}}", holders)),
        "Apache-2.0" => Some(include_str!("../../templates/licenses/Apache-2.0.txt").to_owned()),
        _ => None,
    };
    ids.filter_map(|id| Some((id, text(id)?.trim().to_owned()))).collect()
}

const BEGINNINGS: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];
const ENDINGS: [&str; 4] = [".md", ".txt", ".rst", ".adoc"];

/// The rest of a licence file's name after its usual beginning, in lower case and without endings such as `.md`.
fn rest(name: &str) -> Option<String> {
    let name = name.to_lowercase();
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    BEGINNINGS.iter().find_map(|beginning| stem.strip_prefix(beginning)).map(str::to_owned)
}

/// Whether a user's file is a licence by its name, such as `LICENSE-MIT`. Other files may hold secrets.
fn is_license(name: &str) -> bool {
    rest(name).is_some_and(|rest| {
        let word = rest.trim_start_matches(['-', '_', '.']);
        let is_known = spdx::identifiers::LICENSES.iter().any(|license| license.0.eq_ignore_ascii_case(word));
        rest.is_empty()
            || rest != word && (is_known || ["apache", "apache2", "bsd", "gpl", "lesser", "mpl"].contains(&word))
    })
}

/// Whether a file of a published crate is about rights. As it is public, more names are accepted.
fn is_about_rights(name: &str) -> bool {
    rest(name).is_some()
}

/// The texts in a crate's folder whose names fit.
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

    /// For example, napi's crates have no text.
    #[test]
    fn a_crate_published_without_a_text_gets_the_usual_one() {
        let folder = tempfile::tempdir().unwrap();
        let package = |name: &str, license: &str| Package {
            id: name.to_owned(),
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: Some(license.to_owned()),
            authors: if name == "napi" { vec!["Ada".to_owned()] } else { Vec::new() },
            description: None,
            repository: None,
            manifest_path: folder.path().join("Cargo.toml").display().to_string(),
            source: None,
            targets: Vec::new(),
        };
        let [napi, old, rare] = [("napi", "MIT"), ("old", "MIT/Apache-2.0"), ("rare", "Zlib")]
            .map(|(name, license)| package(name, license));
        let (text, without) = third_party(&[&napi, &old, &rare]);
        assert!(text.contains("\nnapi 1.0.0, the usual text of MIT\n\nCopyright (c) Ada\n\nPermission is"), "{text}");
        assert!(text.contains("\n\nCopyright (c) the authors of old\n"), "{text}");
        let apache =
            "\nRust's standard library, Apache-2.0\nold 1.0.0, the usual text of Apache-2.0\n\nApache License\n";
        assert!(text.contains(apache), "{text}");
        assert!(text.contains("\nRust's standard library, MIT\n\nCopyright (c) The Rust Project Developers"), "{text}");
        assert_eq!(without, ["rare 1.0.0 (Zlib)"]);
    }

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
    fn a_placeholder_is_no_licence() {
        assert_eq!(license(Some("MIT OR Apache-2.0")).unwrap(), "MIT OR Apache-2.0");
        assert_eq!(license(Some("LicenseRef-Proprietary")).unwrap(), "LicenseRef-Proprietary");
        for word in ["", "TODO", "UNLICENSED", "Proprietary", "<licence>"] {
            assert!(license(Some(word)).is_err(), "{word}");
        }
        assert!(license(None).is_err());
    }
}
