//! When and how a server's dependencies are installed. Fake package managers log their calls.
#![cfg(unix)]

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use expect_test::expect;

use crate::{MANIFEST, shown, tierup, write};

const SETTINGS: &str =
    "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";
/// Logs its call; `ls`, which asks whether packages are installed, fails.
const MANAGER: &str = "#!/bin/sh\nname=$(basename \"$0\")\ntest \"$1\" = ls && exit 1\n\
                       echo \"$name $1\" >> \"$(dirname \"$0\")/calls\"\nmkdir -p node_modules\n";
const WANTS: &str = r#"{ "dependencies": { "left-pad": "1.3.0" } }"#;

struct Project(tempfile::TempDir);

impl Project {
    fn new(settings: &str, files: &[(&str, &str)]) -> Project {
        let project = Project(tempfile::tempdir().unwrap());
        let folder = project.0.path();
        write(
            folder,
            &[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn shout(text: &str) -> String { text.into() }")],
        );
        write(folder, &[("tierup.toml", settings)]);
        write(folder, files);
        for name in ["npm", "yarn", "pnpm", "bun", "uv", "poetry", "pipenv"] {
            project.program(name, MANAGER);
        }
        project
    }

    fn node() -> Project {
        Project::new(SETTINGS, &[("node/package.json", WANTS)])
    }

    fn program(&self, name: &str, script: &str) {
        let file = format!("programs/{name}");
        write(self.0.path(), &[(&file, script)]);
        fs::set_permissions(self.0.path().join(file), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn folder(&self) -> PathBuf {
        self.0.path().join("node")
    }

    /// Installs the dependencies, but builds no variant.
    fn run(&self) -> String {
        let programs = self.0.path().join("programs");
        let path = format!("{}:{}", programs.display(), env::var("PATH").unwrap());
        let output = tierup(self.0.path(), &["build", "--tiers", "0"]).env("PATH", path).output().unwrap();
        shown(&output, self.0.path())
    }

    /// Like `run`; returns all calls of the managers so far.
    fn set_up(&self) -> Vec<String> {
        let said = self.run();
        assert!(said.starts_with("exit code: 0\n"), "{said}");
        calls(&self.0.path().join("programs"))
    }
}

fn calls(programs: &Path) -> Vec<String> {
    let calls = fs::read_to_string(programs.join("calls")).unwrap_or_default();
    calls.lines().map(str::to_owned).collect()
}

#[test]
fn only_manifest_and_lock_file_changes_install_again() {
    let project = Project::node();
    assert_eq!(project.set_up(), ["npm install"]);
    for (name, content) in [("server.js", "// changed"), ("notes.toml", "a = 1"), ("data.json", "{}"), ("a/b.txt", "")]
    {
        write(&project.folder(), &[(name, content)]);
        assert_eq!(project.set_up().len(), 1, "{name}");
    }
    write(&project.folder(), &[("package-lock.json", "{}")]);
    assert_eq!(project.set_up(), ["npm install", "npm ci"]);
    write(&project.folder(), &[("package.json", &WANTS.replace("1.3.0", "1.2.0"))]);
    assert_eq!(project.set_up().len(), 3);
    assert_eq!(project.set_up().len(), 3);
    fs::remove_dir(project.folder().join("node_modules")).unwrap();
    assert_eq!(project.set_up().len(), 4);
}

#[test]
fn without_a_manifest_or_dependencies_nothing_is_installed() {
    let project = Project::node();
    fs::remove_file(project.folder().join("package.json")).unwrap();
    assert_eq!(project.set_up(), [""; 0]);
    write(&project.folder(), &[("package.json", "{ \"name\": \"shop\" }")]);
    assert_eq!(project.set_up(), [""; 0]);
}

#[test]
fn the_servers_own_package_manager_is_used() {
    let files: [(&[(&str, &str)], &str); 4] = [
        (&[("node/yarn.lock", "# yarn lockfile v1\n")], "yarn install"),
        (&[("node/pnpm-lock.yaml", "lockfileVersion: '9.0'\n")], "pnpm install"),
        (&[("node/bun.lock", "{}")], "bun install"),
        (&[("pnpm-workspace.yaml", ""), ("pnpm-lock.yaml", "")], "pnpm install"),
    ];
    for (files, call) in files {
        let project = Project::node();
        write(project.0.path(), files);
        assert_eq!(project.set_up(), [call], "{files:?}");
    }
    let python = SETTINGS.replace("host.node", "host.python").replace("\"node\"", "\"python3\"");
    for (lock_file, call) in
        [("uv.lock", "uv sync"), ("poetry.lock", "poetry install"), ("Pipfile.lock", "pipenv sync")]
    {
        let project = Project::new(&python, &[(&format!("python/{lock_file}"), "")]);
        assert_eq!(project.set_up(), [call]);
    }
    let requirements = ("python/requirements.txt", "no-such-package-here==1.0\n");
    let project = Project::new(&python, &[requirements, ("python/.venv/pyvenv.cfg", "")]);
    assert_eq!(project.set_up(), ["uv pip"], "there is no pip in the environment");
}

#[test]
fn installed_dependencies_are_not_installed_again() {
    let project = Project::node();
    let lock = "left-pad@1.3.0:\n  version \"1.3.0\"\n";
    let package = ("node_modules/left-pad/package.json", r#"{ "version": "1.3.0" }"#);
    write(&project.folder(), &[("yarn.lock", lock), package]);
    assert_eq!(project.set_up(), [""; 0]);
    // If the required version changes, the package is installed.
    write(&project.folder(), &[("yarn.lock", &lock.replace("1.3.0", "1.2.0"))]);
    write(&project.folder(), &[("package.json", &WANTS.replace("1.3.0", "1.2.0"))]);
    assert_eq!(project.set_up(), ["yarn install"]);
}

#[test]
fn the_install_setting_takes_precedence() {
    let project = Project::new(&format!("{SETTINGS}install = false\n"), &[("node/package.json", WANTS)]);
    assert_eq!(project.set_up(), [""; 0]);
    write(project.0.path(), &[("tierup.toml", &format!("{SETTINGS}install = [\"bun\", \"special\"]\n"))]);
    assert_eq!(project.set_up(), ["bun special"]);
    assert_eq!(project.set_up().len(), 1, "nothing has changed");
}

#[test]
fn a_missing_manager_is_named_with_the_file_that_requires_it() {
    let project = Project::new(SETTINGS, &[("node/package.json", WANTS), ("node/pnpm-lock.yaml", "")]);
    // `bun` must not be found on this machine's PATH either.
    let manifest = WANTS.replacen('{', r#"{ "packageManager": "bun@1.0.0","#, 1);
    write(&project.folder(), &[("package.json", &manifest)]);
    fs::remove_file(project.0.path().join("programs/bun")).unwrap();
    expect![[r#"
        exit code: 3
        -- stdout
        -- stderr
            bun install
        error: there is no program `bun`, which installs the dependencies in node (by `packageManager` in package.json)
        hint: install `bun`, or install them yourself and set `install = false` in [host.node] of tierup.toml
    "#]]
    .assert_eq(&project.run());
}

/// The real npm and pip, with local packages: nothing is downloaded.
#[test]
fn the_real_npm_and_pip_do_not_install_again() {
    let project = Project::new(
        SETTINGS,
        &[
            ("node/package.json", r#"{ "dependencies": { "pad": "file:../pad" } }"#),
            ("pad/package.json", r#"{ "name": "pad", "version": "1.0.0" }"#),
        ],
    );
    fs::remove_file(project.0.path().join("programs/npm")).unwrap();
    assert!(project.run().contains("    npm install"));
    assert!(project.folder().join("node_modules/pad").exists());
    for _ in 0..2 {
        let _ = fs::remove_file(project.0.path().join(".tierup/.installed-node"));
        let said = project.run();
        assert!(said.starts_with("exit code: 0\n") && !said.contains("npm"), "{said}");
        // Without a lock file, npm itself tells whether the packages are installed.
        let _ = fs::remove_file(project.folder().join("package-lock.json"));
    }

    let python = SETTINGS.replace("host.node", "host.python").replace("\"node\"", "\"python3\"");
    // A new environment already contains pip.
    let project = Project::new(&python, &[("python/requirements.txt", "# what is there\npip >= 9  # any\n")]);
    let folder = project.0.path().join("python");
    let made = Command::new("python3").args(["-m", "venv", ".venv"]).current_dir(&folder).status();
    assert!(made.unwrap().success());
    let said = project.run();
    assert!(said.starts_with("exit code: 0\n") && !said.contains("pip"), "{said}");
    write(&folder, &[("requirements.txt", "-e ./nowhere\n")]);
    let said = project.run();
    assert!(said.contains("-m pip install"), "{said}");
}

/// The environment whose Python starts the server counts, not the one named `.venv`.
#[test]
fn the_environment_that_starts_the_server_is_checked() {
    let python = SETTINGS.replace("host.node", "host.python").replace("\"node\"", "\"venv/bin/python\"");
    let project = Project::new(&python, &[("python/requirements.txt", "made-by-hand == 1.0\n")]);
    let folder = project.0.path().join("python");
    for name in ["venv", ".venv"] {
        let made = Command::new("python3").args(["-m", "venv", "--without-pip", name]).current_dir(&folder).status();
        assert!(made.unwrap().success());
    }
    let ask = "import sysconfig; print(sysconfig.get_path('purelib'), end='')";
    let packages = Command::new(folder.join("venv/bin/python")).args(["-c", ask]).output().unwrap().stdout;
    let package = Path::new(str::from_utf8(&packages).unwrap()).join("made_by_hand-1.0.dist-info");
    write(&package, &[("METADATA", "Metadata-Version: 2.1\nName: made-by-hand\nVersion: 1.0\n")]);
    assert_eq!(project.set_up(), [""; 0]);
}
