//! Every way to get `tierup.toml` wrong: `broken/*.toml`, each beside what the user is told.
//! A new case is a new file; `UPDATE_EXPECT=1 cargo test --test broken` writes what it says.

use std::{fs, path::Path};

use expect_test::expect_file;

use crate::{run, write};

const CRATE: &str = r#"
pub enum Color { Red, Green }

pub fn slugify(text: &str) -> Result<String, String> { Ok(text.to_owned()) }
pub fn total(items: &[f64], label: Option<&str>) -> f64 { items.iter().sum() }
pub fn paint(color: Color, times: u8) -> Vec<u8> { vec![times] }
pub fn generic<T>(value: T) {}
pub fn plain(text: &str) -> String { text.to_owned() }
"#;

#[test]
fn every_broken_file_is_explained() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut count = 0;
    for entry in fs::read_dir(&cases).unwrap() {
        let case = entry.unwrap().path();
        if case.extension().is_none_or(|kind| kind != "toml") {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let manifest = "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
        write(folder.path(), &[("Cargo.toml", manifest), ("src/lib.rs", CRATE), ("node/server.js", "")]);
        fs::copy(&case, folder.path().join("tierup.toml")).unwrap();
        let said = run(folder.path(), &["build", "--tiers", "0"]);
        expect_file![case.with_extension("expected")].assert_eq(&said);
        assert!(said.starts_with("exit code: 2\n"), "{}: {said}", case.display());
        assert!(!folder.path().join(".tierup").exists(), "{}: something was generated", case.display());
        count += 1;
    }
    assert!(count > 20);
}
