//! `tierup.toml`, up to the crate that it names: there is none, so that no program is started.

#![no_main]

use std::{fs, sync::LazyLock};

use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;
use tierup_project::{
    edit::{with_hashes, with_server},
    open_before_health,
};

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a folder"));

fuzz_target!(|text: &str| {
    fs::write(FOLDER.path().join("tierup.toml"), text).expect("there is room");
    match open_before_health(FOLDER.path(), &[tierup_host_ruby::ruby()]) {
        Ok(_) => panic!("there is no crate"),
        Err(failure) => drop(failure.to_string()),
    }
    let Ok(edited) = with_server(text, "server") else { return };
    let again = with_server(&edited, "server").expect("it is TOML still");
    assert_eq!(
        lines(&again),
        lines(&edited),
        "nothing else changes, but for the order of tables that stand in each other's way"
    );
    drop(with_hashes(text, "sha256 = \"00\" # node 0").expect("it is TOML"));
});

fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    lines
}
