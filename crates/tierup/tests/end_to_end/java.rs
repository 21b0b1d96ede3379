//! The same for a new project of Java's: `new`, `build`, `serve` at every tier, and calls in process.

use std::{fs, path::Path};

use tierup_codegen::Variant;

use crate::{passed, row, serve, tierup};

#[test]
fn from_nothing_to_every_tier_of_java() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("slug");
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "java"]).output().unwrap());
    let settings = fs::read_to_string(project.join("tierup.toml")).unwrap();
    assert!(settings.contains("\"0\" = \"baseline.Slug::slugify\""), "{settings}");

    let table = passed("build", &tierup(&project, &["build"]).output().unwrap());
    for variant in [Variant::Spawn, Variant::Pool, Variant::Core, Variant::Native, Variant::Server] {
        assert!(row(&table, variant).contains("built"), "{table}");
    }
    for variant in [Variant::Bindgen, Variant::Component, Variant::Async] {
        assert!(row(&table, variant).contains(" no "), "{table}");
    }
    for tier in ["0", "0:free", "1", "1:spawn", "2", "3", "4"] {
        serve(&project, "java", tier);
    }
    calls_are_timed(&project);
}

fn calls_are_timed(project: &Path) {
    let bench = ["bench", "--in-process", "--quick", "--json", "--seed", "1"];
    let out = passed("bench --in-process", &tierup(project, &bench).output().unwrap());
    let record: serde_json::Value = serde_json::from_str(&out).unwrap();
    let labels: Vec<&str> =
        record["rows"].as_array().unwrap().iter().map(|row| row["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["rust", "0", "1:spawn", "1:pool", "2:core", "3:native"]);
}
