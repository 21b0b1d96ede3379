//! Checks that each file below a `templates` folder is named in the source of its crate
//! (docs/decisions/0023-templates-are-listed.md).

use std::fs;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the folder can be read").flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, found),
            path => found.push(path),
        }
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(folder, &mut found);
    found
}

#[test]
fn every_template_is_named_in_its_crate() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    let mut crates: Vec<PathBuf> =
        fs::read_dir(root.join("hosts")).expect("it is there").flatten().map(|it| it.path()).collect();
    crates.extend(["crates/tierup-codegen", "conformance/minimal-host"].map(|folder| root.join(folder)));
    let mut count = 0;
    for folder in crates {
        let templates = folder.join("templates");
        let source: String = below(&folder.join("src"))
            .into_iter()
            .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
            .map(|path| fs::read_to_string(path).expect("source is text"))
            .collect();
        for template in below(&templates) {
            let name = template.strip_prefix(&templates).expect("it is below").to_str().expect("it is UTF-8");
            // The whole path, or the path in a folder that a macro or askama names. Java's macro adds the extension.
            let spellings = [name, name.strip_suffix(".java").unwrap_or(name)];
            let ends = spellings.iter().flat_map(|name| {
                let folders = name.match_indices('/').map(|(end, _)| end + 1);
                folders.chain([0]).map(|start| &name[start..])
            });
            let is_named =
                ends.flat_map(|end| [format!("\"{end}\""), format!("/{end}\"")]).any(|quoted| source.contains(&quoted));
            assert!(is_named, "{} is named nowhere in {}/src", template.display(), folder.display());
            count += 1;
        }
    }
    assert!(count > 150, "{count}");
}
