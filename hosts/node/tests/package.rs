//! The generated package, for the functions of `conformance/`: every type, every hostile name.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use conformance::{check_fallbacks, project, write};
use tierup_codegen::{About, BuiltFor, Files, HostSettings, Parts, Project, Publishable, Target};
use tierup_host_node::node;

fn settings() -> HostSettings {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/javascript");
    let labelled = |label: &str, module: &str| (Some(label.to_owned()), module.to_owned());
    let baselines =
        vec![(None, "baseline.js".to_owned()), labelled("tuned", "baseline.js"), labelled("typed", "typed.ts")];
    HostSettings { folder, install: Default::default(), prepare: vec![], start: vec![], baselines }
}

/// Writes the package and its driver, and returns the folder. Each test has its own, as tests run at the same time.
fn written(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(test);
    let _ = fs::remove_dir_all(&folder);
    write(&folder, &node().package(&project(), &settings()).unwrap());
    write(&folder, &node().driver(&project(), &settings()).0);
    folder
}

/// Runs a program in a folder and asserts that it succeeds.
fn run(folder: &Path, program: &str, arguments: &[&str], environment: &[(&str, &str)]) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .envs(environment.iter().copied())
        .env_remove("TIERUP_TIER")
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?}: {}\n{out}\n{err}", output.status);
}

#[test]
fn every_file_is_javascript() {
    let folder = written("syntax");
    let project = project();
    let package = node().package(&project, &settings()).unwrap();
    let driver = node().driver(&project, &settings()).0;
    for (name, _) in package.iter().chain(driver.iter()) {
        if name.ends_with(".js") || name.ends_with(".mjs") {
            run(&folder, "node", &["--check", name], &[]);
        }
    }
    run(&folder, "node", &["--eval", "JSON.parse(require('fs').readFileSync('package.json'))"], &[]);
}

#[test]
fn every_generated_file_says_what_made_it() {
    let package = node().package(&project(), &settings()).unwrap();
    for (name, content) in package.iter().chain(node().stub(&project(), &settings()).unwrap().files.iter()) {
        let text = std::str::from_utf8(content).unwrap();
        assert!(name == "package.json" || text.lines().take(2).any(|line| line.contains("Made by tierup")), "{name}");
    }
}

/// Runs `tests/javascript`: the package without built files, and with programs in the role of the worker.
#[test]
fn the_package_behaves_in_node() {
    let folder = written("behaviour");
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/javascript");
    // The files are named, as Node 22 no longer takes a folder here.
    let names = fs::read_dir(&tests).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut arguments: Vec<String> = names.filter(|name| name.ends_with(".test.js")).collect();
    arguments.insert(0, "--test".to_owned());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(&tests, "node", &arguments, &[("PACKAGE", folder.to_str().unwrap())]);
}

#[test]
fn a_package_with_the_name_of_a_node_module_is_refused() {
    let mut project = project();
    project.interface.package = "crypto".into();
    let refused = node().package(&project, &settings()).unwrap_err();
    assert!(refused.contains("crypto"), "{refused}");
}

/// The manifest of the package that `tierup package` makes.
fn published(project: &Project, repository: &str) -> Result<serde_json::Value, String> {
    let about = About { license: "MIT".into(), repository: Some(repository.into()), ..About::default() };
    let parts = Parts {
        about: &about,
        targets: &[],
        built: &[],
        common: &Files::new(),
        has_core: true,
        keeps_floors: true,
        is_split: false,
    };
    let made = node().publishable(project, &parts)?;
    Ok(serde_json::from_slice(made[0].files.get("package.json").unwrap()).unwrap())
}

#[test]
fn a_published_manifest_is_as_npm_would_correct_it() {
    let url = |given: &str| published(&project(), given).unwrap()["repository"]["url"].clone();
    for (given, url_of_git) in [
        ("https://a.example/me/repo", "git+https://a.example/me/repo"),
        ("ssh://git@a.example/me/repo.git", "git+ssh://git@a.example/me/repo.git"),
        ("git@github.com:me/repo.git", "git@github.com:me/repo.git"),
        ("git://a.example/repo.git", "git://a.example/repo.git"),
    ] {
        assert_eq!(url(given), url_of_git);
    }
    assert_eq!(published(&project(), "https://a.example/repo").unwrap()["bin"]["conformance"], "bin.js");
}

#[test]
fn a_package_that_npm_would_not_publish_is_refused_before_the_build() {
    for name in ["Near", &"a".repeat(215)] {
        let mut project = project();
        project.interface.package = name.into();
        assert!(node().package(&project, &settings()).is_ok(), "{name} can be linked");
        let refused = published(&project, "").unwrap_err();
        assert!(refused.contains("a name has no capitals, and at most 214 characters"), "{refused}");
    }
}

#[test]
fn a_split_package_depends_on_one_for_each_platform() {
    let about = About { license: "MIT".into(), ..About::default() };
    let targets =
        Target::ALL.map(|target| BuiltFor { target, files: Files::new().with("artifacts/native.node", target.name) });
    let parts = Parts {
        about: &about,
        targets: &Target::ALL,
        built: &targets,
        common: &Files::new().with("artifacts/core.wasm", ""),
        has_core: true,
        keeps_floors: true,
        is_split: true,
    };
    let made = node().publishable(&project(), &parts).unwrap();
    let manifest = |one: &Publishable| -> serde_json::Value {
        serde_json::from_slice(one.files.get("package.json").unwrap()).unwrap()
    };
    let (package, platforms) = made.split_last().unwrap();
    let dependencies = manifest(package)["optionalDependencies"].clone();
    assert_eq!(dependencies.as_object().unwrap().len(), 7);
    assert!(
        package.files.iter().all(|(name, _)| !name.ends_with(".node"))
            && package.files.get("artifacts/core.wasm").is_some()
    );
    for (one, target) in platforms.iter().zip(Target::ALL) {
        let manifest = manifest(one);
        let name = format!("conformance-{}", target.name);
        assert_eq!((&manifest["name"], &dependencies[&name]), (&name.clone().into(), &manifest["version"]));
        assert!(target.name.starts_with(&format!(
            "{}-{}",
            manifest["os"][0].as_str().unwrap(),
            manifest["cpu"][0].as_str().unwrap()
        )));
        assert!(manifest["libc"].is_null(), "the package tries which file loads");
        let path = format!("artifacts/{}/native.node", target.name);
        assert_eq!(one.files.get(&path), Some(target.name.as_bytes()));
        assert_eq!(one.files.iter().filter(|(name, _)| name.starts_with("artifacts/")).count(), 1);
    }
}

/// The folder of a repository with the committed package and a server.
fn repository(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(test);
    let _ = fs::remove_dir_all(&folder);
    write(&folder.join("tierup/conformance"), &node().stub(&project(), &settings()).unwrap().files);
    let server = "const rust = require('./tierup/conformance');\n\
        const own = rust.with({ baseline: { echoText: (text) => text + '!' } });\n\
        rust.with({ baseline: { echoText: (text) => text } });\n\
        console.log(own.tier, own.echoTextSync('a'), Object.keys(rust).sort().join());\n\
        if (process.env.METRICS) console.log(own.metrics().instead);\n";
    fs::write(folder.join("server.js"), server).unwrap();
    folder
}

/// The server's output and errors.
fn served(folder: &Path, environment: &[(&str, &str)]) -> (String, String) {
    let mut command = Command::new("node");
    command.arg("server.js").current_dir(folder).env_remove("TIERUP_TIER").envs(environment.iter().copied());
    let output = command.output().unwrap();
    (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_is_committed_runs_tier_0_until_something_is_built() {
    let folder = repository("committed");
    let (out, err) = served(&folder, &[]);
    assert!(out.starts_with("0 a! CallError,"), "{out}{err}");
    let why = "no variant is built here: run `tierup build`";
    assert_eq!(err, format!("conformance: your own code runs, at tier 0, as {why}\n"));
    assert!(served(&folder, &[("METRICS", "1")]).0.ends_with(&err), "metrics() does not say that nothing is built");
    assert_eq!(served(&folder, &[("TIERUP_TIER", "0")]), (out.clone(), String::new()));
    let (none, err) = served(&folder, &[("TIERUP_TIER", "3")]);
    assert!(none.is_empty() && err.contains(&format!("conformance cannot run at tier 3: {why}\n")), "{none}{err}");
    let (fallen, err) = served(&folder, &[("TIERUP_TIER", "3"), ("TIERUP_FALLBACK", "1")]);
    assert_eq!(fallen, out);
    assert_eq!(err, format!("conformance cannot run at tier 3: {why}; falling back to tier 0\n"));
    check_fallbacks(|environment| served(&folder, environment));

    // The package is generated, but has no variant: a requested one is reported missing.
    write(&folder.join(".tierup/node"), &node().package(&project(), &settings()).unwrap());
    assert_eq!(served(&folder, &[]).0, out, "the built package has other exports, or was taken");
    let (_, err) = served(&folder, &[("TIERUP_TIER", "3")]);
    assert!(err.contains("3:native: it was not built: run `tierup build --tiers 3:native`"), "{err}");
    check_fallbacks(|environment| served(&folder, environment));
    // A package that another project left there is not used.
    let manifest = folder.join(".tierup/node/package.json");
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replace("\"conformance\",", "\"another\",")).unwrap();
    assert!(served(&folder, &[("TIERUP_TIER", "3")]).1.contains(why));
}

#[test]
fn the_committed_package_loads_what_was_built() {
    let folder = repository("committed-and-built");
    write(&folder.join(".tierup/node"), &node().package(&project(), &settings()).unwrap());
    let hash = tierup_codegen::abi::hash_text(&project().interface);
    let record = format!(r#"{{ "abi": "{hash}", "variants": {{ "1:spawn": {{ "built": true }} }} }}"#);
    fs::write(folder.join(".tierup/node/built.json"), record).unwrap();
    let (_, err) = served(&folder, &[]);
    assert!(err.contains("artifacts/conformance is missing"), "1:spawn is not what runs: {err}");
    let (out, err) = served(&folder, &[("TIERUP_TIER", "0")]);
    assert!(out.starts_with("0 a! CallError,") && err.is_empty(), "{out}{err}");
    // A manager may copy the package to a place without a build above it: folders above the server's file count, too.
    let copied = folder.with_file_name("copied").join("conformance");
    let _ = fs::remove_dir_all(&copied);
    write(&copied, &node().stub(&project(), &settings()).unwrap().files);
    let server = fs::read_to_string(folder.join("server.js")).unwrap();
    let from_there = server.replace("./tierup/conformance", copied.to_str().unwrap());
    fs::write(folder.join("server.js"), from_there).unwrap();
    assert!(served(&folder, &[]).1.contains("artifacts/conformance is missing"));
}
