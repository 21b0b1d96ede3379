//! An npm package.

use std::{fs, path::Path, process::Output};

use super::{Elsewhere, MACHINE_OF_ELF};
use crate::{passed, tierup};

/// A lock file with an older version of a crate.
const TESTED: &str = r#"version = 4

[[package]]
name = "bitflags"
version = "2.11.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "c4512299f36f043ab09a583e57bceb5a5aab7a73db1805848e8fef3c9e8c78b3"
"#;

/// The programs that npm and a server in Node need.
const OF_NODE: &[&str] = &["sh", "env", "node", "npm"];

#[test]
fn an_npm_package_runs_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    // A folder name that needs escaping in TOML.
    let project = folder.path().join("cafe\u{301} \"it's\"");
    fs::create_dir(&project).unwrap();
    passed("new", &tierup(&project, &["new", "slug", "--host", "node"]).output().unwrap());
    let project = project.join("slug");
    let package = |host: &str| tierup(&project, &["package", "--host", host]).output().unwrap();
    let refused = |output: &Output, words: &str| {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && said.contains(words), "{said}");
    };
    refused(&package("node"), "Cargo.toml: it names no licence, and nobody may use a package without one");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let with = |license: &str| {
        let about = format!(
            "[package]\nlicense = {license:?}\ndescription = \"Slugs\"\nrepository = \"https://a.example/slug\"\n"
        );
        fs::write(&manifest, text.replace("[package]\n", &about)).unwrap();
    };
    with("TODO");
    refused(&package("node"), "`TODO` is no licence");
    with("MIT");
    fs::write(project.join("LICENSE"), "You may.").unwrap();
    fs::write(project.join("license.key"), "a secret").unwrap();
    // The tested build has an older version of a crate that the addon links.
    fs::create_dir_all(project.join(".tierup")).unwrap();
    fs::write(project.join(".tierup/Cargo.lock"), TESTED).unwrap();

    let table = passed("package", &package("node"));
    let is_addon = |line: &&str| line.contains("native.node") && line.contains(" ran ") && line.contains("libc.so.6");
    assert!(table.lines().any(|line| is_addon(&line)), "{table}");
    let file = project.join("dist/slug-0.1.0.tgz");
    let first = fs::read(&file).unwrap();
    let again = tierup(&project, &["package", "--host", "node", "--json"]).output().unwrap();
    let made: serde_json::Value = serde_json::from_str(&passed("package again", &again)).unwrap();
    assert_eq!((&made["packages"][0], made["files"][0]["tested"].as_str()), (&file.to_str().into(), Some("ran")));
    assert!(fs::read(&file).unwrap() == first, "built twice, the package differs");

    a_split_package_installs_the_files_of_this_system(&project, folder.path());

    #[cfg(target_os = "linux")]
    crate::image::a_node_server_runs_from_its_image(&project);

    // A package with a wrong answer is refused, and a fallback to another tier does not hide it.
    let settings = fs::read_to_string(project.join("tierup.toml")).unwrap();
    let golden = settings.split("sha256 = \"").nth(1).unwrap().split('"').next().unwrap();
    fs::write(project.join("tierup.toml"), settings.replace(golden, &"0".repeat(64))).unwrap();
    let mut wrong = tierup(&project, &["package", "--host", "node", "--out", "wrong"]);
    let wrong = wrong.env("TIERUP_FALLBACK", "1").output().unwrap();
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(3) && said.contains("gave a wrong answer"), "{said}");
    assert_eq!(fs::read_dir(project.join("wrong")).unwrap().count(), 0);

    let elsewhere = Elsewhere::new(folder.path(), OF_NODE);
    passed(
        "npm install",
        &elsewhere.run("npm", &["install", "--offline", "--no-audit", "--no-fund", &file.display().to_string()], &[]),
    );
    let installed = elsewhere.folder.join("node_modules/slug");
    let own: serde_json::Value = serde_json::from_slice(&fs::read(installed.join("package.json")).unwrap()).unwrap();
    let said = ["license", "description"].map(|key| own[key].as_str().unwrap_or_default().to_owned());
    assert_eq!(said, ["MIT", "Slugs"]);
    assert_eq!(
        (&own["private"], &own["repository"]["url"]),
        (&serde_json::Value::Null, &"git+https://a.example/slug".into())
    );
    assert!(installed.join("LICENSE").exists() && !installed.join("license.key").exists());
    let licenses = fs::read_to_string(installed.join("THIRD-PARTY-LICENSES.txt")).unwrap();
    assert!(licenses.contains("\nnapi 3.") && licenses.contains("Permission is hereby granted"), "{licenses}");
    assert!(licenses.contains("\nbitflags 2.11.1: "), "{licenses}");
    for tier in ["1:pool", "1:spawn", "2:core", "3:native", "3:async"] {
        assert_eq!(passed(tier, &elsewhere.call(&[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }
    let help = elsewhere.run("node_modules/.bin/slug", &["Green tea"], &[]);
    assert_eq!(passed("the program", &help), "green-tea\n");

    // A broken addon for another C library is skipped; a broken one for this C library is an error.
    let platform =
        fs::read_dir(installed.join("artifacts")).unwrap().flatten().find(|entry| entry.path().is_dir()).unwrap();
    let other = installed.join("artifacts").join(platform.file_name().to_string_lossy().replace("-gnu", "-musl"));
    fs::create_dir(&other).unwrap();
    fs::write(other.join("native.node"), "another's").unwrap();
    fs::write(other.join("slug"), "another's").unwrap();
    for tier in ["1:pool", "3:native"] {
        assert_eq!(passed(tier, &elsewhere.call(&[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }
    fs::write(platform.path().join("native.node"), "broken").unwrap();
    let fails = elsewhere.call(&[]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    let here = platform.file_name().to_string_lossy().into_owned();
    let tried = why.contains("none of the package's files native.node can be loaded here:")
        && why.contains(&format!("{here}: "));
    assert!(!fails.status.success() && tried, "{why}");
    let falls_back = elsewhere.call(&[("TIERUP_FALLBACK", "2:core,0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    let answer = passed("fallback", &falls_back);
    assert!(answer.starts_with("2:core hello-world slug cannot run at tier 3:native: none of"), "{answer}");
    assert!(noted.lines().count() == 1 && noted.ends_with("; falling back to tier 2:core\n"), "{noted}");
    let without_baseline = "console.log(require('slug').with({}).tier)";
    let passed_over = elsewhere.run("node", &["-e", without_baseline], &[("TIERUP_FALLBACK", "0,2:core")]);
    assert_eq!(passed("fallback without a baseline", &passed_over), "2:core\n");

    // The only program left is for another processor.
    fs::remove_dir_all(&other).unwrap();
    let program = platform.path().join("slug");
    let mut bytes = fs::read(&program).unwrap();
    bytes[MACHINE_OF_ELF] ^= 0xff;
    fs::write(&program, bytes).unwrap();
    let falls_back = elsewhere.call(&[("TIERUP_TIER", "1"), ("TIERUP_FALLBACK", "2:core")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    assert!(passed("fallback", &falls_back).starts_with("2:core hello-world slug cannot run at tier 1:pool: "));
    assert!(noted.contains("it is no program for linux and "), "{noted}");
}

/// What was built is packed once more, as a package and one for this platform.
fn a_split_package_installs_the_files_of_this_system(project: &Path, folder: &Path) {
    let out = folder.join("split");
    let split = ["package", "--host", "node", "--split", "--out", out.to_str().unwrap()];
    passed("package --split", &tierup(project, &split).output().unwrap());
    let mut files: Vec<_> =
        fs::read_dir(&out).unwrap().map(|file| file.unwrap().path().display().to_string()).collect();
    files.sort();
    let [package, platform] = &files[..] else { panic!("{files:?}") };
    assert!(package.ends_with("/slug-0.1.0.tgz") && platform.contains("/slug-linux-"), "{files:?}");
    let root = folder.join("installed");
    fs::create_dir(&root).unwrap();
    let elsewhere = Elsewhere::new(&root, OF_NODE);
    let install = ["install", "--offline", "--no-audit", "--no-fund", package, platform];
    passed("npm install", &elsewhere.run("npm", &install, &[]));
    for tier in ["1:pool", "2:core", "3:native"] {
        assert_eq!(passed(tier, &elsewhere.call(&[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }
    let name = Path::new(platform).file_name().unwrap().to_string_lossy().replace("-0.1.0.tgz", "");
    fs::remove_dir_all(elsewhere.folder.join("node_modules").join(&name)).unwrap();
    let fails = elsewhere.call(&[("TIERUP_TIER", "3:native")]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    assert!(
        !fails.status.success() && why.contains(&format!("{name} is not installed, which has native.node")),
        "{why}"
    );
    assert_eq!(passed("2:core", &elsewhere.call(&[("TIERUP_TIER", "2:core")])), "2:core hello-world \n");
}
