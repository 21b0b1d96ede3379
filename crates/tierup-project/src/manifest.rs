//! The hot crate as its manifest describes it, by cargo's rules. Cargo itself is not asked, so that a project opens,
//! and its server runs at tier 0, without Rust.

use std::path::{Path, PathBuf};

use tierup_diagnostic::{Failure, Result};
use tierup_model::CrateInfo;
use toml::{Table, Value};

use crate::{enclosing, lock, shown};

/// A crate, and the workspace that it belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Crate {
    pub(crate) info: CrateInfo,
    pub(crate) workspace_root: PathBuf,
    /// Whether the crate depends on tokio, even indirectly, so that its functions may block on an async runtime.
    pub(crate) blocks: bool,
}

/// Reads the crate in `folder`.
pub(crate) fn read_crate(folder: &Path) -> Result<Crate> {
    let manifest = read(folder)?;
    let package = manifest.get("package").and_then(Value::as_table).ok_or_else(|| {
        Failure::usage(format!("`{}` contains a workspace but no package", shown(folder)))
            .hint("set `crate` in tierup.toml to the folder of the package with the function")
    })?;
    let workspace_root = enclosing::workspace_root(folder, &manifest);
    let root = if workspace_root == folder { manifest.clone() } else { read(&workspace_root)? };
    let workspace = |path: &[&str]| path.iter().try_fold(root.get("workspace")?, |value, key| value.get(key));

    let name = package.get("name").and_then(Value::as_str).ok_or_else(|| {
        Failure::usage(format!("`{}` names no package", shown(&folder.join("Cargo.toml"))))
            .hint("`cargo check` there says more")
    })?;
    let version =
        package.get("version").and_then(|own| own.as_str().or_else(|| workspace(&["package", "version"])?.as_str()));
    let library = library(folder, package, manifest.get("lib")).ok_or_else(|| {
        Failure::usage(format!("package `{name}` has no library that other crates can use"))
            .hint("put the function into src/lib.rs, and leave `crate-type` out of `[lib]`")
    })?;
    let info = CrateInfo {
        library: library.get("name").and_then(Value::as_str).unwrap_or(name).replace('-', "_"),
        package: name.to_owned(),
        version: version.unwrap_or("0.0.0").to_owned(),
        root: path_of(&library).trim_start_matches("./").replace('\\', "/"),
    };
    let lock = tierup_runner::read_text(&workspace_root.join("Cargo.lock"))?.unwrap_or_default();
    // A manifest may rename a dependency.
    let package_of = |(key, value): (&'_ String, &'_ Value)| {
        let inherited = value.get("workspace").and_then(|_| workspace(&["dependencies", key.as_str()]));
        inherited.unwrap_or(value).get("package").and_then(Value::as_str).unwrap_or(key).to_owned()
    };
    let direct: Vec<String> = dependencies(&manifest).map(package_of).collect();
    let blocks = lock::reaches(&lock, direct.iter().map(String::as_str), "tokio");
    Ok(Crate { info, workspace_root, blocks })
}

fn read(folder: &Path) -> Result<Table> {
    let file = folder.join("Cargo.toml");
    let text = tierup_runner::read_text(&file)?.unwrap_or_default();
    text.parse::<Table>().map_err(|error| Failure::usage(format!("`{}`: {error}", shown(&file))))
}

const LIBRARY: &str = "src/lib.rs";

/// The table `[lib]`, if other crates can use the library. The table is empty if cargo finds the library by itself.
fn library(folder: &Path, package: &Table, table: Option<&Value>) -> Option<Table> {
    let is_found = package.get("autolib").and_then(Value::as_bool) != Some(false);
    let library = match table.and_then(Value::as_table) {
        Some(table) => table.clone(),
        None if is_found => Table::new(),
        None => return None,
    };
    let kinds = library.get("crate-type").or_else(|| library.get("crate_type")).and_then(Value::as_array);
    let is_usable = kinds.is_none_or(|kinds| kinds.iter().any(|kind| matches!(kind.as_str(), Some("lib" | "rlib"))));
    let is_macro =
        ["proc-macro", "proc_macro"].iter().any(|key| library.get(*key).and_then(Value::as_bool) == Some(true));
    (is_usable && !is_macro && folder.join(path_of(&library)).is_file()).then_some(library)
}

fn path_of(library: &Table) -> &str {
    library.get("path").and_then(Value::as_str).unwrap_or(LIBRARY)
}

/// The dependencies for all targets, without those of tests and build scripts.
fn dependencies(manifest: &Table) -> impl Iterator<Item = (&String, &Value)> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = std::iter::once(manifest).chain(targets.filter_map(Value::as_table));
    tables.filter_map(|table| table.get("dependencies")?.as_table()).flatten()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Reads the crate `hot` below a workspace; `files` are names with contents.
    fn crate_of(files: &[(&str, &str)]) -> std::result::Result<Crate, String> {
        let root = tempfile::tempdir().unwrap();
        for (name, content) in files.iter().chain(&[("hot/src/lib.rs", "")]) {
            let file = root.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        let read = read_crate(&root.path().join("hot")).map_err(|failure| failure.to_string())?;
        let workspace_root = read.workspace_root.strip_prefix(root.path()).unwrap().to_owned();
        Ok(Crate { workspace_root, ..read })
    }

    fn info(package: &str, library: &str, version: &str, root: &str) -> CrateInfo {
        let [package, library, version, root] = [package, library, version, root].map(str::to_owned);
        CrateInfo { package, library, version, root }
    }

    #[test]
    fn a_crate_without_settings_has_a_library_with_its_name() {
        let read = crate_of(&[("hot/Cargo.toml", "[package]\nname = \"my-hot\"\nversion = \"1.2.3\"\n")]).unwrap();
        assert_eq!(read.info, info("my-hot", "my_hot", "1.2.3", "src/lib.rs"));
        assert_eq!((read.workspace_root, read.blocks), ("hot".into(), false));
    }

    #[test]
    fn workspace_settings_are_inherited() {
        let workspace = "[workspace]\nmembers = [\"hot\"]\n[workspace.package]\nversion = \"4.5.6\"\n\
                         [workspace.dependencies]\nruntime = { package = \"tokio\", version = \"1\" }\n";
        let hot = "[package]\nname = \"hot\"\nversion.workspace = true\n[lib]\nname = \"fast\"\npath = \"./core/fast.rs\"\n\
                   [target.'cfg(unix)'.dependencies]\nruntime.workspace = true\n";
        let files = [("Cargo.toml", workspace), ("hot/Cargo.toml", hot), ("hot/core/fast.rs", "")];
        let read = crate_of(&files).unwrap();
        assert_eq!(read.info, info("hot", "fast", "4.5.6", "core/fast.rs"));
        assert_eq!((read.workspace_root, read.blocks), ("".into(), true));
    }

    #[test]
    fn a_workspace_that_excludes_the_crate_is_ignored() {
        let hot = ("hot/Cargo.toml", "[package]\nname = \"hot\"\n");
        let root = |workspace: &str| crate_of(&[("Cargo.toml", workspace), hot]).unwrap().workspace_root;
        assert_eq!(root("[workspace]\nexclude = [\"hot\"]\n"), PathBuf::from("hot"));
        assert_eq!(root("[workspace]\nexclude = [\"hot\"]\nmembers = [\"hot\"]\n"), PathBuf::new());
        assert_eq!(root("[package]\nname = \"outer\"\n"), PathBuf::from("hot"));
    }

    #[test]
    fn a_crate_without_a_usable_library_is_refused() {
        let said = |manifest: &str| crate_of(&[("hot/Cargo.toml", manifest)]).unwrap_err();
        let package = "[package]\nname = \"hot\"\n";
        for lib in ["[lib]\ncrate-type = [\"cdylib\"]\n", "[lib]\nproc-macro = true\n", "[lib]\npath = \"no.rs\"\n"] {
            assert!(said(&format!("{package}{lib}")).contains("package `hot` has no library"), "{lib}");
        }
        assert!(said("[workspace]\n").contains("contains a workspace but no package"));
        assert!(said("[package]\nversion = 1 2\n").contains("Cargo.toml`: TOML parse error"));
        assert!(
            crate_of(&[("hot/Cargo.toml", &format!("{package}[lib]\ncrate-type = [\"cdylib\", \"rlib\"]\n"))]).is_ok()
        );
    }

    /// Compares with what cargo says about crates of this repository.
    #[test]
    fn cargo_reads_the_same() {
        let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        for folder in ["conformance", "crates/tierup-model", "examples/qr", "examples/json-sum"] {
            let folder = repository.join(folder);
            let arguments = ["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"];
            let cargo =
                std::process::Command::new(env!("CARGO")).args(arguments).arg(folder.join("Cargo.toml")).output();
            let said: serde_json::Value = serde_json::from_slice(&cargo.unwrap().stdout).unwrap();
            let read = read_crate(&folder).unwrap();
            assert_eq!(said["workspace_root"], read.workspace_root.display().to_string());
            let of = |package: &&serde_json::Value| package["name"] == read.info.package;
            let package = said["packages"].as_array().unwrap().iter().find(of).unwrap();
            assert_eq!(package["version"], read.info.version);
            let path = folder.join(&read.info.root).display().to_string();
            let is_library =
                |target: &serde_json::Value| target["src_path"] == path && target["name"] == read.info.library;
            assert!(package["targets"].as_array().unwrap().iter().any(is_library), "{package}");
        }
    }
}
