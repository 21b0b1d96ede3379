//! New projects of the other hosts: `new`, `build`, `serve` at every tier, `check`, and calls in process.

use std::{fs, path::Path, process::Command};

use tierup_codegen::Variant;

use crate::{is_long, passed, row, serve, serve_by, tierup};

#[test]
fn a_new_python_project_runs_at_every_tier() {
    check("python", "baseline:slugify", &[Variant::Bindgen, Variant::Component]);
}

#[test]
fn a_new_go_project_runs_at_every_tier() {
    check("go", "server/baseline.Slugify", &[Variant::Bindgen, Variant::Component, Variant::Async]);
}

#[test]
fn a_new_java_project_runs_at_every_tier() {
    check("java", "baseline.Slug::slugify", &[Variant::Bindgen, Variant::Component, Variant::Async]);
}

#[test]
fn a_new_beam_project_runs_at_every_tier() {
    check("beam", "Server.Baseline.slugify", &[Variant::Bindgen, Variant::Component, Variant::Async]);
}

#[test]
fn a_new_ruby_project_runs_at_every_tier() {
    check("ruby", "baseline:Baseline", &[Variant::Bindgen, Variant::Component]);
}

#[test]
fn a_fully_optimised_build_works() {
    // Dependencies are compiled anew with these settings.
    let hosts: &[&str] = if is_long() { &["node", "go"] } else { &["node"] };
    for host in hosts.iter().copied() {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("slug");
        passed("new", &tierup(folder.path(), &["new", "slug", "--host", host]).output().unwrap());
        passed("build", &optimising(&project, &["build", "--tiers", "2:core,3:native"]).output().unwrap());
        for tier in ["2:core", "3:native"] {
            serve_by(optimising, &project, host, tier);
        }
    }
}

/// Uses the optimisations of `.tierup/Cargo.toml`, which the test run may have turned off: link-time optimisation may
/// remove code that only seems unused.
fn optimising(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = tierup(folder, arguments);
    for setting in ["OPT_LEVEL", "LTO", "CODEGEN_UNITS"] {
        command.env_remove(format!("CARGO_PROFILE_RELEASE_{setting}"));
    }
    command
}

/// Tests a new project of this host, with this baseline and without the variants in `never`. By default only the first
/// and last tiers of the host's own server, as conformance and the contract of examples/qr cover every variant, and a
/// new Node project the server of tier 4, which is the same program for every host; with `TIERUP_LONG=1`, all.
fn check(host: &str, baseline: &str, never: &[Variant]) {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("slug");
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", host]).output().unwrap());
    let settings = fs::read_to_string(project.join("tierup.toml")).unwrap();
    assert!(settings.contains(&format!("\"0\" = {baseline:?}")), "{settings}");

    let is_long = is_long();
    let (only, tiers, built): (&[&str], &[_], &[_]) = match is_long {
        true => (&[], &["0", "0:free", "1", "1:spawn", "2", "3", "4"], &Variant::ALL),
        false => {
            (&["--tiers", "1:spawn,3:native"], &["0", "0:free", "1:spawn", "3"], &[Variant::Spawn, Variant::Native])
        }
    };
    let table = passed("build", &tierup(&project, &[&["build"], only].concat()).output().unwrap());
    for variant in built {
        let expected = if never.contains(variant) { " no " } else { "built" };
        assert!(row(&table, *variant).contains(expected), "{table}");
    }
    for tier in tiers.iter().filter(|tier| **tier != "2" || !never.contains(&Variant::Core)) {
        serve(&project, host, tier);
    }
    let said = passed("check", &tierup(&project, &["check", "--seed", "1", "--hostile", "60"]).output().unwrap());
    assert!(said.contains("all rows answer alike"), "{said}");

    let bench = ["bench", "--in-process", "--quick", "--json", "--seed", "1"];
    let only: &[&str] = if is_long { &[] } else { &["--tiers", "0,1:spawn,3:native"] };
    let out = passed("bench --in-process", &tierup(&project, &[&bench, only].concat()).output().unwrap());
    let record: serde_json::Value = serde_json::from_str(&out).unwrap();
    let labels: Vec<_> = record["rows"].as_array().unwrap().iter().map(|row| row["label"].as_str().unwrap()).collect();
    let called = built.iter().filter(|variant| **variant != Variant::Server && !never.contains(variant));
    let called = called.map(|variant| variant.name());
    let expected: Vec<_> = ["rust", "0"].map(String::from).into_iter().chain(called).collect();
    assert_eq!(labels, expected);
}
