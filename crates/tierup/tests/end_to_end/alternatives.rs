//! `[function.alternatives]`: another implementation runs in every variant that can run it and is checked too; the
//! exported function never runs in its place.

use std::{fs, path::Path};

use crate::{passed, serve, tierup};

/// One alternative is right; the other one is wrong, which shows where it runs.
const OTHERS: &str = r#"
pub mod other {
    use super::SlugError;

    pub fn slugify(text: &str) -> Result<String, SlugError> {
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
        if words.is_empty() { Err(SlugError) } else { Ok(words.join("-").to_ascii_lowercase()) }
    }

    pub fn wrong(text: &str) -> Result<String, SlugError> {
        slugify(text).map(|slug| slug + "-wrong")
    }
}
"#;

#[test]
fn an_alternative_runs_in_the_functions_variants() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("slug");
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "node"]).output().unwrap());
    declare(&project, "split = \"other::slugify\", wrong = \"other::wrong\"");

    let check = |tiers: &str| {
        let check = ["check", "--seed", "1", "--hostile", "20", "--tiers", tiers];
        let output = tierup(&project, &check).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (code, said) = check("3:native,3:native#split,2:core#split,1:pool#split");
    assert_eq!(code, Some(0), "{said}");
    // All differ, as no row runs the exported function instead.
    let wrong = ["3:native#wrong", "3:async#wrong", "2:core#wrong", "1:pool#wrong", "1:spawn#wrong"];
    let (code, said) = check(&wrong.join(","));
    assert_eq!(code, Some(1), "{said}");
    for row in wrong {
        let line = said.lines().find(|line| line.starts_with(&format!("node {row} "))).unwrap_or_default();
        assert!(line.ends_with("DIFFERS"), "{row}: {said}");
    }
    serve(&project, "node", "3:native#split");

    for (row, reason) in [
        ("2:bindgen#split", "2:bindgen calls the exported function only"),
        ("4:server#split", "the Rust server calls the exported function only"),
        ("3:native#other", "tierup.toml has split, wrong, not `other`"),
    ] {
        let output = tierup(&project, &["serve", "--host", "node", "--tier", row]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(reason), "{row}: {said}");
    }
}

/// Adds the functions, and the entries of `[function.alternatives]`.
fn declare(project: &Path, entries: &str) {
    let library = project.join("src/lib.rs");
    fs::write(&library, fs::read_to_string(&library).unwrap() + OTHERS).unwrap();
    let file = project.join("tierup.toml");
    let text = fs::read_to_string(&file).unwrap();
    let export = "export = [\"slugify\"]\n";
    fs::write(&file, text.replace(export, &format!("{export}alternatives = {{ {entries} }}\n"))).unwrap();
}
