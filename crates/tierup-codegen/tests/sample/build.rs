//! Builds programs that are generated for the sample.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use tierup_codegen::Files;

/// A folder that stays, so that only the first run is slow.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(name)
}

pub(crate) fn add(files: &mut Files, more: Files) {
    more.iter().for_each(|(name, content)| files.add(name, content));
}

/// The sample's crate.
pub(crate) fn sample(folder: &Path) {
    let files = Files::new()
        .with(
            "Cargo.toml",
            "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n\
             [dependencies]\ntokio = { version = \"1\", features = [\"rt\"] }\n",
        )
        .with("src/lib.rs", concat!(include_str!("lib.rs"), include_str!("blocking.rs")));
    write(&folder.join("sample"), &files);
}

/// Writes only files that have changed, so that cargo sees no other change.
pub(crate) fn write(folder: &Path, files: &Files) {
    for (name, content) in files.iter() {
        let path = folder.join(name);
        if fs::read(&path).ok().as_deref() != Some(content) {
            fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("folder made");
            fs::write(path, content).expect("written");
        }
    }
}

/// Builds a program in the workspace `folder`, as little optimised as other tests and in their build folder, `whole`,
/// because most of it is dependencies. The program is then at `whole/name`.
pub(crate) fn cargo_build(whole: &Path, folder: &Path, program: &str, name: &str) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let target = whole.join("target");
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc starts");
    let rustc = String::from_utf8_lossy(&rustc.stdout);
    // Names the target, as the recipe does: cargo keeps builds for an unnamed target apart.
    let machine = rustc.lines().find_map(|line| line.strip_prefix("host: ")).expect("it names its host");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--target", machine, "--bin", program])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_BUILD_BUILD_DIR", concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/cache/build"))
        .envs(
            [("OPT_LEVEL", "1"), ("LTO", "off"), ("CODEGEN_UNITS", "16"), ("PANIC", "unwind"), ("STRIP", "debuginfo")]
                .map(|(setting, value)| (format!("CARGO_PROFILE_RELEASE_{setting}"), value)),
        )
        .output()
        .expect("cargo starts");
    let said = String::from_utf8_lossy(&output.stderr);
    // cargo repeats the warnings of a package that it does not compile again.
    assert!(output.status.success() && !said.contains("warning"), "{said}");
    let copy = whole.join(name);
    // Removes the old file first: another running test may have it open.
    let _ = fs::remove_file(&copy);
    fs::copy(target.join(machine).join("release").join(program), &copy).expect("copied");
    copy
}
