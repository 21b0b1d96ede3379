//! Early failures of `tierup build`. The end-to-end stage of `cargo xtask test` runs real builds.

use expect_test::expect;

use crate::{MANIFEST, run, shown, tierup, write};

const SETTINGS: &str =
    "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";

fn project(library: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
    write(folder.path(), &[("tierup.toml", SETTINGS)]);
    folder
}

#[test]
fn a_folder_without_a_project_gets_a_hint() {
    let folder = tempfile::tempdir().unwrap();
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: there is no tierup.toml in `.`
        hint: `tierup new NAME --host node` creates a project; `tierup init` adds tierup to an existing server
    "#]]
    .assert_eq(&run(folder.path(), &["build"]));
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: there is no folder `nowhere`
        hint: give the folder that holds tierup.toml
    "#]]
    .assert_eq(&run(folder.path(), &["build", "nowhere"]));
}

#[test]
fn a_syntax_error_of_the_crate_is_located() {
    let folder = project("pub fn shout(text: &str -> String {}\n");
    let said = run(folder.path(), &["build"]);
    assert!(said.starts_with("exit code: 2\n") && said.contains("src/lib.rs:1:"), "{said}");
}

#[test]
fn a_missing_toolchain_is_named_with_its_install_command() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let output = tierup(folder.path(), &["build"]).env("PATH", folder.path()).output().unwrap();
    expect![[r#"
        exit code: 3
        -- stdout
        -- stderr
        error: the program `rustc` was not found
        hint: get it with: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh
              `tierup doctor` lists everything that is needed
    "#]]
    .assert_eq(&shown(&output, folder.path()));
}

#[test]
fn a_host_that_the_project_lacks_is_refused() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: `cobol` is not a host of this project
        hint: it has: node; add `[host.cobol]` to tierup.toml for another
    "#]]
    .assert_eq(&run(folder.path(), &["build", "--hosts", "cobol"]));
}

#[test]
fn all_hosts_are_those_of_the_project() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let said = |hosts: &[&str]| run(folder.path(), &[&["build", "--tiers", "4:server"], hosts].concat());
    assert_eq!(said(&["--hosts", "all"]), said(&[]));
}

#[test]
fn tier_4_without_a_route_is_refused() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let said = run(folder.path(), &["build", "--tiers", "4:server"]);
    assert!(said.contains("4:server is not supported for Node.js: tierup.toml has neither"), "{said}");
}

/// Like a machine without a network: cargo cannot build the tools.
#[test]
fn wasm_tools_that_cannot_be_built_are_an_error_if_requested() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let mut build = tierup(folder.path(), &["build", "--tiers", "2:component"]);
    build.env("TIERUP_CACHE", folder.path().join("cache")).env("CARGO_HOME", folder.path().join("cargo"));
    let said = shown(&build.env("CARGO_NET_OFFLINE", "true").output().unwrap(), folder.path());
    assert!(said.starts_with("exit code: 3\n"), "{said}");
    assert!(said.contains("error: the Wasm tools cannot be built: `cargo build --locked --profile tool "), "{said}");
    assert!(said.contains("error: no matching package named"), "{said}");
    assert!(said.contains("hint: tierup builds the Wasm tools once"), "{said}");
}

/// The rest of the project is still built.
#[test]
fn wasm_tools_that_cannot_be_built_are_otherwise_only_a_reason() {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let mut build = tierup(folder.path(), &["build"]);
    // Other crates are compiled into this checkout's build folder, with the settings of the test run.
    let compiled = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/cache/build");
    build.envs([("CARGO_BUILD_BUILD_DIR", compiled), ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")]);
    build.envs([("CARGO_PROFILE_RELEASE_LTO", "off"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")]);
    let said = shown(&build.output().unwrap(), folder.path());
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    let row =
        |variant: &str| said.lines().find(|line| line.starts_with(&format!("node  {variant} "))).unwrap_or_default();
    for variant in ["2:bindgen", "2:component"] {
        assert!(
            row(variant).contains("no ") && row(variant).contains("cannot be built: cannot make the folder"),
            "{said}"
        );
    }
    for variant in ["1:pool", "2:core", "3:native"] {
        assert!(row(variant).contains("built"), "{said}");
    }
    let output = tierup(folder.path(), &["build", "--json"]).output().unwrap();
    let outcomes: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |variant: &str| outcomes.as_array().unwrap().iter().find(|one| one["variant"] == variant).unwrap().clone();
    assert_eq!((&of("2:bindgen")["built"], of("2:bindgen")["reason"].is_string()), (&false.into(), true));
    assert_eq!((&of("3:native")["built"], of("3:native")["bytes"].is_u64()), (&true.into(), true));
    let schema = std::fs::read_to_string(folder.path().join(".tierup/schema.json")).unwrap();
    let printed = tierup(folder.path(), &["schema"]).output().unwrap().stdout;
    assert_eq!(schema, String::from_utf8(printed).unwrap());
}

/// A project with this addition to its manifest: a pin that no generated crate can share.
fn pinned(manifest: &str) -> tempfile::TempDir {
    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    write(folder.path(), &[("Cargo.toml", &format!("{MANIFEST}{manifest}"))]);
    folder
}

#[test]
fn a_pin_excludes_only_the_variants_that_cannot_share_it() {
    let folder = pinned("[dependencies]\nwasm-bindgen = \"=0.2.100\"\n");
    let said = run(folder.path(), &["build", "--tiers", "2:bindgen"]);
    assert!(
        said.contains("2:bindgen cannot be built: no version of `wasm-bindgen` suits both it and your crate"),
        "{said}"
    );
    assert!(said.contains("`=0.2.100`") && said.starts_with("exit code: 3\n"), "{said}");
    // The workspace contains the other variants, and its lock file is complete for them.
    let work = folder.path().join(".tierup");
    let manifest = std::fs::read_to_string(work.join("Cargo.toml")).unwrap();
    assert!(!manifest.contains("node-bindgen") && manifest.contains("node-native"), "{manifest}");
    let locked = ["metadata", "--locked", "--format-version", "1", "--filter-platform", "wasm32-unknown-unknown"];
    let output = std::process::Command::new("cargo").args(locked).current_dir(&work).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Another build tries again; without the pin, all variants are built.
    let again = run(folder.path(), &["build", "--tiers", "2:bindgen"]);
    assert!(again.contains("2:bindgen cannot be built"), "{again}");
    write(folder.path(), &[("Cargo.toml", MANIFEST)]);
    run(folder.path(), &["build", "--tiers", "0"]);
    let manifest = std::fs::read_to_string(work.join("Cargo.toml")).unwrap();
    assert!(manifest.contains("node-bindgen"), "{manifest}");
}

#[test]
fn the_users_release_profile_applies_except_for_panics() {
    let folder = pinned("[profile.release]\noverflow-checks = true\npanic = \"abort\"\nstrip = true\n");
    let said = run(folder.path(), &["build", "--tiers", "0"]);
    let note = "not taken over from your [profile.release]: panic, strip; panics unwind, to be answered as errors\n";
    assert!(said.contains(note), "{said}");
    let manifest = std::fs::read_to_string(folder.path().join(".tierup/Cargo.toml")).unwrap();
    assert!(manifest.contains("overflow-checks = true") && manifest.contains("panic = \"unwind\""), "{manifest}");
}

/// Wrappers of the real programs: Rust without the Wasm target, and a rustup that cannot install it.
#[cfg(unix)]
#[test]
fn without_the_wasm_target_only_tier_2_is_unavailable() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = project("pub fn shout(text: &str) -> String { text.into() }\n");
    let real = |program: &str| {
        let paths = std::env::var("PATH").unwrap();
        std::env::split_paths(&paths).map(|path| path.join(program)).find(|path| path.is_file()).unwrap()
    };
    let programs = [
        ("rustc", "case \"$*\" in *target-libdir*) echo /nowhere; exit 0;; esac"),
        ("rustup", "case \"$*\" in 'target add'*) echo 'error: could not download' >&2; exit 1;; esac"),
    ];
    for (name, first) in programs {
        let script = format!("#!/bin/sh\n{first}\nexec {} \"$@\"\n", real(name).display());
        let file = format!("programs/{name}");
        write(folder.path(), &[(&file, &script)]);
        std::fs::set_permissions(folder.path().join(file), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:{}", folder.path().join("programs").display(), std::env::var("PATH").unwrap());
    let run = |arguments: &[&str]| {
        let output = tierup(folder.path(), arguments).env("PATH", &path).output().unwrap();
        shown(&output, folder.path())
    };
    // A requested variant is an error; `serve` of a tier lists the reason for each of its variants.
    let asked = run(&["build", "--tiers", "2"]);
    assert!(asked.contains("error: `rustup target add wasm32-unknown-unknown` failed"), "{asked}");
    let served = run(&["serve", "--tier", "2"]);
    assert!(served.contains("error: tier 2 is not available in this project"), "{served}");
    for variant in ["2:bindgen", "2:core", "2:component"] {
        assert!(served.contains(&format!("{variant}: this Rust has no target wasm32-unknown-unknown: ")), "{served}");
    }
}
