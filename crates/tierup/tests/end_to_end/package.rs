//! A published package, in an empty folder without Rust.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::{passed, tierup};

/// The offset of `e_machine` in an ELF file.
const MACHINE_OF_ELF: usize = 18;

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

const OF_RUBY: &[&str] = &["sh", "env", "ruby", "gem"];

const OF_JAVA: &[&str] = &["gzip", "java", "tar"];

/// The programs that Go and cgo need.
#[cfg(target_os = "linux")]
const OF_GO: &[&str] = &["as", "gcc", "go", "gzip", "ld", "tar"];

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

/// The name, the version and the folder are written differently in Ruby, or need quotes.
#[test]
fn a_gem_runs_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("my projects");
    fs::create_dir(&place).unwrap();
    passed("new", &tierup(&place, &["new", "green-slug", "--host", "ruby"]).output().unwrap());
    let project = place.join("green-slug");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap().replace("\"0.1.0\"", "\"0.1.0-beta.1\"");
    let about = "[package]\nlicense = \"MIT OR Zlib\"\nrepository = \"https://a.example/slug\"\n";
    fs::write(&manifest, text.replace("[package]\n", about)).unwrap();
    // Compiling wasmtime for 2:core takes as long as all else here: by default, the crate does not compile to Wasm.
    let has_core = env::var_os("TIERUP_LONG").is_some_and(|value| value == "1");
    if !has_core {
        let library = project.join("src/lib.rs");
        let no_wasm = "\n#[cfg(target_arch = \"wasm32\")]\ncompile_error!(\"there is no clock here\");\n";
        fs::write(&library, fs::read_to_string(&library).unwrap() + no_wasm).unwrap();
    }
    let is_made = |name: &&str| has_core || !name.contains("core");
    let table = passed("package", &tierup(&project, &["package", "--host", "ruby"]).output().unwrap());
    for name in [" green-slug ", " green_slug_core.", " green_slug_native."].into_iter().filter(is_made) {
        let is_there = |line: &str| line.contains(name) && line.contains(" ran ");
        assert!(table.lines().any(|line| is_there(line) && line.contains(" Ruby 3.") == name.contains('_')), "{table}");
    }
    let file = PathBuf::from(table.lines().last().unwrap());
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    assert!(name.starts_with("green_slug-0.1.0.pre.beta.1-"), "{name}");
    let file = project.join("dist").join(name);
    let first = fs::read(&file).unwrap();
    passed("package again", &tierup(&project, &["package", "--host", "ruby"]).output().unwrap());
    assert!(fs::read(&file).unwrap() == first, "built twice, the gem differs");

    let elsewhere = Elsewhere::new(folder.path(), OF_RUBY);
    let install = ["install", "--local", "--no-document", "--install-dir", "gems", &file.display().to_string()];
    passed("gem install", &elsewhere.run("gem", &install, &[]));
    let in_ruby = |script: &str, variables: &[(&str, &str)]| {
        let gems = [("GEM_HOME", "gems"), ("GEM_PATH", "gems")];
        elsewhere.run("ruby", &["-w", "-e", script], &[&gems, variables].concat())
    };
    let spec = "spec = Gem::Specification.find_by_name('green_slug')\n\
        puts spec.version == Gem::Version.new('0.1.0-beta.1'), spec.licenses, spec.metadata['source_code_uri'], spec.gem_dir";
    let said = passed("the specification", &in_ruby(spec, &[]));
    let said: Vec<_> = said.lines().collect();
    assert_eq!(said[..4], ["true", "MIT", "Zlib", "https://a.example/slug"]);
    let installed = elsewhere.folder.join(said[4]);
    assert!(installed.join("THIRD-PARTY-LICENSES.txt").exists() && !installed.join("green_slug.gemspec").exists());
    let call = |variables: &[(&str, &str)]| {
        let script = "require 'green_slug'\n\
            GreenSlug.with(baseline: ->(_) { 'mine' })\nrust = GreenSlug.with(baseline: ->(_) { 'mine' })\n\
            puts \"#{rust.tier} #{rust.slugify('Hello, World!')} #{rust.metrics[:instead]}\"\nrust.close";
        in_ruby(script, variables)
    };
    for tier in ["1:pool", "1:spawn", "2:core", "3:native", "3:async"].into_iter().filter(is_made) {
        assert_eq!(passed(tier, &call(&[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }

    let artifacts = fs::read_dir(installed.join("artifacts")).unwrap().map(|entry| entry.unwrap().path());
    let native = artifacts.into_iter().find(|path| path.to_string_lossy().contains("_native.")).unwrap();
    fs::write(&native, "broken").unwrap();
    let fails = call(&[]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    let reason = format!("green-slug cannot run at tier 3:native: {}: ", native.display());
    assert!(!fails.status.success() && why.contains(&reason), "{why}");
    let falls_back = call(&[("TIERUP_FALLBACK", "2:core,1:spawn,0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    let row = if has_core { "2:core" } else { "1:spawn" };
    assert!(noted.lines().count() == 1 && noted.ends_with(&format!("; falling back to tier {row}\n")), "{noted}");
    let answer = passed("fallback", &falls_back);
    assert!(answer.starts_with(&format!("{row} hello-world {reason}")), "{answer}");
    fs::remove_file(&native).unwrap();
    let missing = String::from_utf8_lossy(&call(&[]).stderr).into_owned();
    assert!(missing.contains("is missing: install the package again, or ask its maker for another one"), "{missing}");
}

#[test]
fn a_maven_repository_has_a_jar_that_runs_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "java"]).output().unwrap());
    let project = folder.path().join("slug");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("[package]\n", "[package]\nlicense = \"MIT\"\n")).unwrap();
    let package = || passed("package", &tierup(&project, &["package", "--host", "java"]).output().unwrap());
    let table = package();
    for name in [" libnative.", " program "] {
        assert!(table.lines().any(|line| line.contains(name) && line.contains(" ran ")), "{table}");
    }
    let archive = project.join("dist/slug-0.1.0-maven.tar.gz");
    let first = fs::read(&archive).unwrap();
    package();
    assert!(fs::read(&archive).unwrap() == first, "built twice, the archive differs");

    let elsewhere = Elsewhere::new(folder.path(), OF_JAVA);
    passed("tar", &elsewhere.run("tar", &["-xzf", &archive.display().to_string()], &[]));
    let installed = "local/tierup/slug/0.1.0/slug-0.1.0";
    for ending in [".pom", ".pom.sha1", ".jar", ".jar.sha1", "-sources.jar"] {
        assert!(elsewhere.folder.join(format!("{installed}{ending}")).exists(), "{ending}");
    }
    fs::write(elsewhere.folder.join("Call.java"), JAVA_SERVER).unwrap();
    // Maven starts other programs, too.
    let mut maven = Command::new("mvn");
    maven.args(["--batch-mode", "--quiet", &format!("--file={installed}.pom"), "-Dmdep.outputFile=classes"]);
    maven.arg("org.apache.maven.plugins:maven-dependency-plugin:3.11.0:build-classpath");
    passed("mvn", &maven.current_dir(&elsewhere.folder).output().unwrap());
    let classes = fs::read_to_string(elsewhere.folder.join("local/tierup/slug/0.1.0/classes")).unwrap();
    let call = |jar: &str, variables: &[(&str, &str)]| {
        elsewhere.run("java", &["-cp", &format!("{jar}:{classes}"), "Call.java"], variables)
    };
    let jar = format!("{installed}.jar");
    for tier in ["1:pool", "1:spawn", "2:core", "3:native"] {
        assert_eq!(passed(tier, &call(&jar, &[("TIERUP_TIER", tier)])), format!("{tier} hello-world \n"));
    }

    // The first folder in the class path has other files for this C library and another one.
    let table: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
    let (here, library) = (table[0], table[1]);
    let there = here.replace("-gnu", "-musl");
    for platform in [here, &there] {
        let broken = elsewhere.folder.join("broken/META-INF/tierup/local.tierup.slug").join(platform);
        fs::create_dir_all(&broken).unwrap();
        for name in [library, "program"] {
            fs::copy("/bin/sh", broken.join(name)).unwrap();
        }
    }
    let broken = format!("broken:{jar}");
    let fails = call(&broken, &[]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    let reason = format!(
        "slug cannot run at tier 3:native: the native library cannot be loaded by jni: none of the jar's files {library} can"
    );
    assert!(!fails.status.success() && why.contains(&reason), "{why}");
    assert!([here, &there].iter().all(|platform| why.contains(&format!("\n  {platform}: "))), "{why}");
    let falls_back = call(&broken, &[("TIERUP_FALLBACK", "1:pool, 2:core,0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    assert!(noted.lines().count() == 1 && noted.ends_with("; falling back to tier 2:core\n"), "{noted}");
    let answer = passed("fallback", &falls_back);
    assert!(answer.starts_with(&format!("2:core hello-world {reason}")), "{answer}");
    let wrong = call(&jar, &[("TIERUP_FALLBACK", "2:core,sure")]);
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(
        said.contains("TIERUP_FALLBACK: sure is no variant: use 1, or a list of 0 and 3:native, 2:core,"),
        "{said}"
    );
}

const JAVA_SERVER: &str = r#"
import local.tierup.slug.*;

class Call {
    public static void main(String[] arguments) {
        Slug.load(text -> "mine").close();
        try (Slug rust = Slug.load(text -> "mine")) {
            System.out.println(rust.tier() + " " + rust.slugify("Hello, World!") + " " + rust.metrics().instead());
        }
    }
}
"#;

/// The archive is unpacked beside a server, and vendored.
#[test]
#[cfg(target_os = "linux")]
fn a_go_package_is_compiled_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "go"]).output().unwrap());
    let project = folder.path().join("slug");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("[package]\n", "[package]\nlicense = \"MIT\"\n")).unwrap();
    let table = passed("package", &tierup(&project, &["package", "--host", "go"]).output().unwrap());
    for name in [" program ", ".syso "] {
        assert!(table.lines().any(|line| line.contains(name) && line.contains(" ran")), "{table}");
    }

    let elsewhere = Elsewhere::new(folder.path(), OF_GO);
    let archive = project.join("dist/slug-0.1.0-go.tar.gz").display().to_string();
    fs::create_dir(elsewhere.folder.join("module")).unwrap();
    passed("tar", &elsewhere.run("tar", &["-xzf", &archive, "-C", "module"], &[]));
    let module = elsewhere.folder.join("module");
    let licenses = fs::read_to_string(module.join("THIRD-PARTY-LICENSES.txt")).unwrap();
    assert!(licenses.contains("\nRust's standard library, MIT\n"), "{licenses}");
    fs::create_dir(elsewhere.folder.join("server")).unwrap();
    fs::write(elsewhere.folder.join("server/main.go"), GO_SERVER).unwrap();
    let in_server = |words: &[&str], variables: &[(&str, &str)]| {
        let variables: Vec<_> = [("GOWORK", "off"), ("PWD", "")].into_iter().chain(variables.iter().copied()).collect();
        let [first, rest @ ..] = words else { unreachable!() };
        let all: Vec<_> = first.split(' ').chain(["-C", "server"]).chain(rest.iter().copied()).collect();
        passed(&all.join(" "), &elsewhere.run("go", &all, &variables))
    };
    in_server(&["mod init", "server"], &[]);
    in_server(&["mod edit", "-require=tierup.local/slug@v0.0.0", "-replace=tierup.local/slug=../module"], &[]);
    in_server(&["mod tidy"], &[]);
    in_server(&["mod vendor"], &[]);
    in_server(&["vet", "./...", "tierup.local/slug/..."], &[]);
    in_server(&["build", "-o", "../with-cgo", "."], &[]);
    in_server(&["build", "-o", "../without", "."], &[("CGO_ENABLED", "0")]);
    for tier in ["1:pool", "1:spawn", "2:core", "3:native"] {
        assert_eq!(
            passed(tier, &elsewhere.run("./with-cgo", &[], &[("TIERUP_TIER", tier)])),
            format!("{tier} hello-world \n")
        );
    }
    let fails = elsewhere.run("./without", &[], &[]);
    let why = String::from_utf8_lossy(&fails.stderr).into_owned();
    let reason =
        "slug cannot run at tier 3:native: this program was compiled without it (for another platform, or without cgo)";
    assert!(!fails.status.success() && why.contains(reason), "{why}");
    let falls_back = elsewhere.run("./without", &[], &[("TIERUP_FALLBACK", "2:core,0")]);
    assert_eq!(String::from_utf8_lossy(&falls_back.stderr), format!("{reason}; falling back to tier 2:core\n"));
    assert_eq!(passed("fallback", &falls_back), format!("2:core hello-world {reason}\n"));

    // A program that cannot run is found when the server binds, not when it calls.
    let programs = elsewhere.folder.join("server/vendor/tierup.local/slug/internal/built/program");
    let embedded = fs::read_dir(programs).unwrap().map(|entry| entry.unwrap().path());
    for program in embedded.filter(|path| path.extension().is_none()) {
        let mut content = fs::read(&program).unwrap();
        content[MACHINE_OF_ELF] ^= 0xff;
        fs::write(program, content).unwrap();
    }
    in_server(&["build", "-o", "../broken", "."], &[("CGO_ENABLED", "0")]);
    let falls_back = elsewhere.run("./broken", &[], &[("TIERUP_TIER", "1"), ("TIERUP_FALLBACK", "1:spawn,2:core,0")]);
    let noted = String::from_utf8_lossy(&falls_back.stderr).into_owned();
    assert!(noted.starts_with("slug cannot run at tier 1:pool: the program of slug cannot run here: "), "{noted}");
    assert!(noted.ends_with("; falling back to tier 2:core\n") && noted.lines().count() == 1, "{noted}");
    assert!(passed("fallback", &falls_back).starts_with("2:core hello-world "));
}

/// It would be a pity after minutes of compiling.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_is_missing_is_named_before_anything_is_compiled() {
    let folder = tempfile::tempdir().unwrap();
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "go"]).output().unwrap());
    let project = folder.path().join("slug");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("[package]\n", "[package]\nlicense = \"MIT\"\n")).unwrap();
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

#[cfg(target_os = "linux")]
const GO_SERVER: &str = r#"package main

import (
	"fmt"
	"log"

	rust "tierup.local/slug"
)

func main() {
	bound, err := rust.Bind(rust.Options{})
	if err != nil {
		log.Fatal(err)
	}
	answer, err := bound.Slugify("Hello, World!")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bound.Tier(), answer, bound.Metrics().Instead)
	_ = bound.Close()
}
"#;

#[test]
fn hosts_without_packages_are_refused_before_anything_is_compiled() {
    let folder = tempfile::tempdir().unwrap();
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "php"]).output().unwrap());
    let project = folder.path().join("slug");
    let manifest = project.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("[package]\n", "[package]\nlicense = \"MIT\"\n")).unwrap();
    let refused = tierup(&project, &["package", "--host", "php"]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && said.contains("no package for PHP: packages of this host are not made yet"),
        "{said}"
    );
    assert!(!project.join(".tierup/package/target").exists());
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
