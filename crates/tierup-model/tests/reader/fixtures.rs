//! Fixtures: one `.rs` file is one crate, and beside it is a `.expected` with the result of reading it.
//!
//! A line `// export: f, shapes::area` names the exports (`f` without this line), and `// file: src/shapes.rs` starts
//! another file of the crate. `UPDATE_EXPECT=1 cargo test` writes the `.expected` anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tierup_diagnostic::Diagnostic;
use tierup_model::{CrateInfo, Interface, read_interface};

pub(crate) struct Fixture {
    pub(crate) path: PathBuf,
    pub(crate) export: Vec<String>,
    pub(crate) files: BTreeMap<String, String>,
}

/// All fixtures in a folder of `tests/`.
pub(crate) fn fixtures(folder: &str) -> Vec<Fixture> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect();
    paths.sort();
    paths.into_iter().map(|path| Fixture::new(&fs::read_to_string(&path).unwrap(), path)).collect()
}

impl Fixture {
    fn new(text: &str, path: PathBuf) -> Self {
        let mut export = vec!["f".to_string()];
        let mut files = BTreeMap::new();
        let mut file = "src/lib.rs".to_string();
        for line in text.split_inclusive('\n') {
            if let Some(name) = line.strip_prefix("// file: ") {
                file = name.trim().to_string();
                continue;
            }
            if let Some(names) = line.strip_prefix("// export:") {
                export = names.split(',').map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect();
            }
            files.entry(file.clone()).or_insert_with(String::new).push_str(line);
        }
        Fixture { path, export, files }
    }

    pub(crate) fn read(&self) -> Result<Interface, Vec<Diagnostic>> {
        read_interface(&info(), &self.export, &self.files)
    }

    /// Compares with the `.expected` beside the fixture. Prints differences, and returns whether there are none.
    pub(crate) fn expect(&self, actual: &str) -> bool {
        let path = self.path.with_extension("expected");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, actual).unwrap();
            return true;
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        if expected != actual {
            eprintln!("{}:\n--- expected\n{expected}\n--- actual\n{actual}", self.path.display());
        }
        expected == actual
    }
}

pub(crate) fn info() -> CrateInfo {
    CrateInfo {
        package: "fix-ture".to_string(),
        library: "fixture".to_string(),
        version: "0.1.0".to_string(),
        root: "src/lib.rs".to_string(),
    }
}
