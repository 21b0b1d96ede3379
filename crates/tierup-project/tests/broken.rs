//! Every way to get `tierup.toml` wrong: each `broken/*.toml` stands beside the message to the user. A new case is a
//! new file; `UPDATE_EXPECT=1 cargo test -p tierup-project --test broken` writes its message.

use std::{fs, path::Path};

use expect_test::expect_file;
use tierup_diagnostic::Exit;

const MANIFEST: &str = "[package]\nname = \"words\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
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
    let cases = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken")).unwrap();
    let cases: Vec<_> = cases.map(|entry| entry.unwrap().path()).collect();
    let cases: Vec<_> = cases.iter().filter(|case| case.extension().is_some_and(|kind| kind == "toml")).collect();
    assert!(cases.len() > 90, "{}", cases.len());
    for case in cases {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [("Cargo.toml", MANIFEST), ("src/lib.rs", CRATE), ("node/server.js", "")] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::copy(case, folder.path().join("tierup.toml")).unwrap();
        let failure = tierup_project::open(folder.path(), &[tierup_host_node::node()]).err();
        let failure = failure.unwrap_or_else(|| panic!("{} is read", case.display()));
        let said = failure.to_string().replace(&format!("{}/", folder.path().display()), "");
        expect_file![case.with_extension("expected")].assert_eq(&format!("{said}\n"));
        assert_eq!(failure.exit(), Exit::Usage, "{}", case.display());
    }
}
