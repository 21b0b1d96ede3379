//! When `npm ci` runs: a program in its place tells.
#![cfg(unix)]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use crate::{MANIFEST, tierup, write};

const SETTINGS: &str =
    "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";
const NPM: &str = "#!/bin/sh\necho \"$1\" >> \"$(dirname \"$0\")/calls\"\nmkdir -p node_modules\n";

struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        let folder = project.0.path();
        write(
            folder,
            &[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn shout(text: &str) -> String { text.into() }")],
        );
        write(folder, &[("tierup.toml", SETTINGS), ("programs/npm", NPM), ("node/package.json", "{}")]);
        fs::set_permissions(folder.join("programs/npm"), fs::Permissions::from_mode(0o755)).unwrap();
        project
    }

    fn node(&self) -> PathBuf {
        self.0.path().join("node")
    }

    /// Builds nothing, but sets up; what npm has been asked for so far.
    fn set_up(&self) -> Vec<String> {
        let programs = self.0.path().join("programs");
        let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap());
        let output = tierup(self.0.path(), &["build", "--tiers", "0"]).env("PATH", path).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        calls(&programs)
    }
}

fn calls(programs: &Path) -> Vec<String> {
    let calls = fs::read_to_string(programs.join("calls")).unwrap_or_default();
    calls.lines().map(str::to_owned).collect()
}

#[test]
fn only_what_decides_the_dependencies_gets_them_again() {
    let project = Project::new();
    assert_eq!(project.set_up(), ["install"]);
    for (name, content) in [("server.js", "// changed"), ("notes.toml", "a = 1"), ("data.json", "{}"), ("a/b.txt", "")]
    {
        write(&project.node(), &[(name, content)]);
        assert_eq!(project.set_up().len(), 1, "{name}");
    }
    write(&project.node(), &[("package-lock.json", "{}")]);
    assert_eq!(project.set_up(), ["install", "ci"]);
    write(&project.node(), &[("package.json", "{ }")]);
    assert_eq!(project.set_up().len(), 3);
    assert_eq!(project.set_up().len(), 3);
    fs::remove_dir(project.node().join("node_modules")).unwrap();
    assert_eq!(project.set_up().len(), 4);
}

#[test]
fn a_server_without_a_manifest_needs_nothing() {
    let project = Project::new();
    fs::remove_file(project.node().join("package.json")).unwrap();
    assert_eq!(project.set_up(), [""; 0]);
}
