//! A wrong `tierup.toml` ends a command before anything is generated. `crates/tierup-project/tests/broken` has the
//! messages for all mistakes.

use crate::{MANIFEST, run, write};

#[test]
fn nothing_is_generated_from_a_wrong_file() {
    let folder = tempfile::tempdir().unwrap();
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
    let settings = "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.nodejs]\nstart = [\"node\"]\n";
    write(folder.path(), &[("tierup.toml", settings)]);
    let said = run(folder.path(), &["build", "--tiers", "0"]);
    let begins = "exit code: 2\n-- stdout\n-- stderr\nerror: `nodejs` is not a host\n --> tierup.toml:4:7\n";
    assert!(said.starts_with(begins) && said.ends_with("\nhint: did you mean `node`?\n"), "{said}");
    assert!(!folder.path().join(".tierup").exists());
}
