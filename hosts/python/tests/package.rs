//! The generated package, for the functions of `conformance/`: every type, every hostile name.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;
#[path = "../../../conformance/parts.rs"]
mod parts;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use conformance::{check_fallbacks, project, write};
use tierup_codegen::{HostSettings, Machine, Pack, Step, Target, Variant};
use tierup_host_python::python;

fn settings() -> HostSettings {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let baselines = vec![(None, "own".to_owned()), (Some("tuned".to_owned()), "own:echo_text".to_owned())];
    HostSettings { folder, install: Default::default(), start: vec![], prepare: vec![], baselines }
}

/// Writes the package and its driver, and returns the folder. Tests run concurrently, so each has a folder.
fn written(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(test);
    let _ = fs::remove_dir_all(&folder);
    write(&folder, &python().package(&project(), &settings()).unwrap());
    write(&folder, &python().driver(&project(), &settings()).0);
    folder
}

/// Runs Python in a folder and asserts that it succeeds.
fn run(folder: &Path, arguments: &[&str], environment: &[(&str, &str)]) {
    let output = Command::new("python3")
        .args(arguments)
        .current_dir(folder)
        .envs(environment.iter().copied())
        .env_remove("TIERUP_TIER")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .unwrap_or_else(|error| panic!("python3: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "python3 {arguments:?}: {}\n{out}\n{err}", output.status);
}

/// Files must be valid in the oldest supported version, too.
#[test]
fn every_file_is_valid_python() {
    let folder = written("syntax");
    write(&folder.join("committed"), &python().stub(&project(), &settings()).unwrap().files);
    let check = "import ast, pathlib, sys\n\
        for path in [*pathlib.Path('.').rglob('*.py'), *pathlib.Path('.').rglob('*.pyi')]:\n    \
        ast.parse(path.read_text(encoding='utf-8'), str(path), feature_version=(3, 9))";
    run(&folder, &["-W", "error", "-c", check], &[]);
}

#[test]
fn every_generated_file_says_what_made_it() {
    let package = python().package(&project(), &settings()).unwrap();
    for (name, content) in package.iter().chain(python().stub(&project(), &settings()).unwrap().files.iter()) {
        let text = std::str::from_utf8(content).unwrap();
        assert!(
            name.ends_with("py.typed") || text.lines().take(2).any(|line| line.contains("Made by tierup")),
            "{name}"
        );
    }
}

/// In an installed wheel nobody can build, so only `built.remedy` may say how to go on: it knows of wheels.
#[test]
fn only_one_module_says_to_run_tierup_build() {
    let package = python().package(&project(), &settings()).unwrap();
    let asks = package.iter().filter(|(_, content)| String::from_utf8_lossy(content).contains("run `tierup build"));
    let names: Vec<_> = asks.map(|(name, _)| name).filter(|name| name.starts_with("src/")).collect();
    assert_eq!(names, ["src/conformance/_tierup/built.py"]);
}

/// Runs `tests/python`: tests of the package without anything built, and with programs that act as workers.
#[test]
fn the_package_passes_its_python_tests() {
    let folder = written("behaviour");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    let source = folder.join("src").display().to_string();
    let environment = [("PACKAGE", folder.to_str().unwrap()), ("PYTHONPATH", source.as_str())];
    run(
        &tests,
        &["-W", "error::ResourceWarning", "-m", "unittest", "discover", "--pattern", "test_*.py"],
        &environment,
    );
}

#[test]
fn a_package_named_like_a_module_of_python_is_refused() {
    let mut project = project();
    project.interface.package = "json".into();
    let refused = python().package(&project, &settings()).unwrap_err();
    assert!(refused.contains("`json` is already a module"), "{refused}");
}

#[test]
fn built_files_have_the_names_of_the_machine_that_they_are_for() {
    let copies = |target: &str, variant| {
        let recipe = python().recipe(&project(), variant, &Machine::from_target(target).unwrap());
        let copies = recipe.steps.into_iter().filter_map(|step| match step {
            Step::Copy { from, to } => Some(format!("{} -> {}", from.display(), to.display())),
            _ => None,
        });
        copies.collect::<String>()
    };
    assert_eq!(
        copies("x86_64-pc-windows-msvc", Variant::Pool),
        "target/x86_64-pc-windows-msvc/release/conformance.exe -> python/src/conformance/artifacts/conformance.exe"
    );
    assert_eq!(
        copies("aarch64-apple-darwin", Variant::Native),
        "target/aarch64-apple-darwin/release/libtierup_python_native_conformance.dylib -> \
         python/src/conformance/_native.abi3.so"
    );
}

/// Uses only Python itself, as few have its package `wheel`.
#[test]
fn a_wheel_lists_its_files_with_their_digests() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join("wheel");
    let _ = fs::remove_dir_all(&folder);
    let made = parts::with_parts(&[Target::ALL[0]], "src/conformance/artifacts/conformance", |_, parts| {
        python().publishable(&project(), parts).unwrap()
    });
    let [wheel] = &made[..] else { panic!("one wheel for one platform") };
    let Pack::Run(pack) = &wheel.pack else { panic!("another program packs it") };
    let packed = || {
        write(&folder.join("files"), &wheel.files);
        let arguments: Vec<_> = pack.arguments.iter().map(String::as_str).collect();
        run(&folder.join("files"), &["-S"].into_iter().chain(arguments).collect::<Vec<_>>(), &[]);
        fs::read(folder.join(&wheel.file)).unwrap()
    };
    let first = packed();
    fs::remove_dir_all(folder.join("files")).unwrap();
    assert!(packed() == first, "packed twice, the wheel differs");
    let check = "import base64, csv, hashlib, io, sys, zipfile\n\
        with zipfile.ZipFile(sys.argv[1]) as wheel:\n    \
            names = wheel.namelist()\n    \
            rows = list(csv.reader(io.StringIO(wheel.read(names[-1]).decode())))\n    \
            assert names[-1].endswith('.dist-info/RECORD') and [row[0] for row in rows] == names, names\n    \
            for name, digest, size in rows[:-1]:\n        \
                content = wheel.read(name)\n        \
                found = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')\n        \
                assert (digest, size) == (f'sha256={found}', str(len(content))), name\n    \
            assert {'conformance/artifacts/conformance', 'conformance/built.json'} < set(names), names";
    run(&folder, &["-c", check, &wheel.file], &[]);
}

/// A repository with the committed package. Returns its folder.
fn repository(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(test);
    let _ = fs::remove_dir_all(&folder);
    write(&folder.join("tierup/conformance"), &python().stub(&project(), &settings()).unwrap().files);
    let server = "import conformance\n\
        own = conformance.bind(baseline={'echo_text': lambda text: text + '!'})\n\
        conformance.bind(baseline={'echo_text': lambda text: text})\n\
        print(own.tier, own.echo_text('a'), ','.join(conformance.__all__), conformance.__doc__)\n\
        import os\n\
        if 'METRICS' in os.environ: print(own.metrics().instead)\n";
    fs::write(folder.join("server.py"), server).unwrap();
    folder
}

/// Runs the server, and returns its standard output and standard error.
fn served(folder: &Path, environment: &[(&str, &str)]) -> (String, String) {
    let mut command = Command::new("python3");
    command.arg("server.py").current_dir(folder).env_remove("TIERUP_TIER").envs(environment.iter().copied());
    command.env("PYTHONPATH", folder.join("tierup/conformance/src")).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_is_committed_runs_tier_0_until_something_is_built() {
    let folder = repository("committed");
    let (out, err) = served(&folder, &[]);
    assert!(out.starts_with("0 a! Binding,CallError,"), "{out}{err}");
    let why = "no variant is built here: run `tierup build`";
    assert_eq!(err, format!("conformance: your own code runs, at tier 0, as {why}\n"));
    assert!(served(&folder, &[("METRICS", "1")]).0.ends_with(&err), "metrics() does not say that nothing is built");
    assert_eq!(served(&folder, &[("TIERUP_TIER", "0")]), (out.clone(), String::new()));
    let (none, err) = served(&folder, &[("TIERUP_TIER", "3")]);
    assert!(none.is_empty() && err.ends_with(&format!("conformance cannot run at tier 3: {why}\n")), "{none}{err}");
    let (fallen, err) = served(&folder, &[("TIERUP_TIER", "3"), ("TIERUP_FALLBACK", "1")]);
    assert_eq!(fallen, out);
    assert_eq!(err, format!("conformance cannot run at tier 3: {why}; falling back to tier 0\n"));
    check_fallbacks(|environment| served(&folder, environment));

    // The package is generated, but no variant is built. A request for one must say why it is missing.
    write(&folder.join(".tierup/python"), &python().package(&project(), &settings()).unwrap());
    assert_eq!(served(&folder, &[]).0, out, "the built package has other exports, or was taken");
    let (_, err) = served(&folder, &[("TIERUP_TIER", "3")]);
    assert!(err.contains("3:native: it was not built: run `tierup build --tiers 3:native`"), "{err}");
    check_fallbacks(|environment| served(&folder, environment));
    let hash = tierup_codegen::abi::hash_text(&project().interface);
    let record = format!(r#"{{ "abi": "{hash}", "variants": {{ "1:spawn": {{ "built": true }} }} }}"#);
    fs::write(folder.join(".tierup/python/built.json"), record).unwrap();
    let (_, err) = served(&folder, &[]);
    assert!(err.contains("artifacts/conformance is missing"), "1:spawn is not what runs: {err}");
    assert_eq!(served(&folder, &[("TIERUP_TIER", "0")]), (out, String::new()));
}
