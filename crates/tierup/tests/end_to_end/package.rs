//! A published package, in an empty folder without Rust.

mod beam;
#[cfg(target_os = "linux")]
mod go;
mod java;
mod node;
mod php;
mod ruby;

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::{passed, tierup};

/// The offset of `e_machine` in an ELF file.
const MACHINE_OF_ELF: usize = 18;

/// It would be a pity after minutes of compiling.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_is_missing_is_named_before_anything_is_compiled() {
    let folder = tempfile::tempdir().unwrap();
    let project = licensed(folder.path(), "go");
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).unwrap();
    let path = env::var_os("PATH").unwrap();
    for program in env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        if program.file_name() != "tar" {
            // The first of a name counts.
            let _ = symlink(program.path(), programs.join(program.file_name()));
        }
    }
    let without = tierup(&project, &["package", "--host", "go"]).env("PATH", &programs).output().unwrap();
    let said = String::from_utf8_lossy(&without.stderr).into_owned();
    assert!(!without.status.success() && said.contains("the program `tar` was not found"), "{said}");
    assert!(said.contains("`tierup package` needs it") && !project.join(".tierup/package/target").exists(), "{said}");
}

/// A new project `slug` with a licence.
fn licensed(folder: &Path, host: &str) -> PathBuf {
    passed("new", &tierup(folder, &["new", "slug", "--host", host]).output().unwrap());
    let project = folder.join("slug");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("[package]\n", "[package]\nlicense = \"MIT\"\n")).unwrap();
    project
}

/// A new project `green-slug`, with a name and a version that many languages write otherwise.
fn unusual(folder: &Path, host: &str) -> PathBuf {
    passed("new", &tierup(folder, &["new", "green-slug", "--host", host]).output().unwrap());
    let project = folder.join("green-slug");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap().replace("\"0.1.0\"", "\"0.1.0-beta.1\"");
    let about = "[package]\nlicense = \"MIT OR Zlib\"\nrepository = \"https://a.example/slug\"\n";
    fs::write(&manifest, text.replace("[package]\n", about)).unwrap();
    project
}

/// Makes a package twice: the bytes are the same. Returns the table, and the package's file.
fn packaged(project: &Path, host: &str) -> (String, PathBuf) {
    let make = || passed("package", &tierup(project, &["package", "--host", host]).output().unwrap());
    let table = make();
    let file = Path::new(table.lines().last().unwrap()).file_name().unwrap();
    let file = project.join("dist").join(file);
    let first = fs::read(&file).unwrap();
    make();
    assert!(fs::read(&file).unwrap() == first, "built twice, the package differs");
    (table, file)
}

/// Compiling wasmtime for `2:core` takes as long as all else here: by default, the crate does not compile to Wasm.
fn only_some_have_core(project: &Path) -> bool {
    let has_core = crate::is_long();
    if !has_core {
        let library = project.join("src/lib.rs");
        let no_wasm = "\n#[cfg(target_arch = \"wasm32\")]\ncompile_error!(\"there is no clock here\");\n";
        fs::write(&library, fs::read_to_string(&library).unwrap() + no_wasm).unwrap();
    }
    has_core
}

/// A folder, and a `PATH` without Rust.
struct Elsewhere {
    folder: PathBuf,
    programs: PathBuf,
}

impl Elsewhere {
    fn new(root: &Path, needed: &[&str]) -> Elsewhere {
        let (folder, programs) = (root.join("elsewhere"), root.join("programs"));
        [&folder, &programs].into_iter().for_each(|folder| fs::create_dir(folder).unwrap());
        let path = env::var_os("PATH").unwrap();
        for name in needed {
            let found = env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.exists()).unwrap();
            symlink(found, programs.join(name)).unwrap();
        }
        Elsewhere { folder, programs }
    }

    fn run(&self, program: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).args(arguments).env("PATH", &self.programs).env_remove("TIERUP_TIER");
        command.envs(variables.iter().copied()).output().unwrap()
    }

    /// Binds twice, and prints the tier, an answer, and the field `instead` of `metrics()`.
    fn call(&self, variables: &[(&str, &str)]) -> Output {
        let script = "const slug = require('slug'); slug.with({ baseline: () => 'mine' });\n\
            const rust = slug.with({ baseline: () => 'mine' });\n\
            rust.slugify('Hello, World!').then((text) => { console.log(rust.tier, text, rust.metrics().instead); return rust.close(); });";
        self.run("node", &["-e", script], variables)
    }
}
