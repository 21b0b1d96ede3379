//! The same for a new project of Go's: `new`, `build`, `serve` at every tier, and calls in process.

use std::{fs, path::Path, process::Command};

use tierup_codegen::Variant;

use crate::{passed, row, serve, tierup};

#[test]
fn from_nothing_to_every_tier_of_go() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("slug");
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "go"]).output().unwrap());
    let settings = fs::read_to_string(project.join("tierup.toml")).unwrap();
    assert!(settings.contains("\"0\" = \"server/baseline.Slugify\""), "{settings}");

    let table = passed("build", &tierup(&project, &["build"]).output().unwrap());
    for variant in [Variant::Spawn, Variant::Pool, Variant::Core, Variant::Native, Variant::Server] {
        assert!(row(&table, variant).contains("built"), "{table}");
    }
    for variant in [Variant::Bindgen, Variant::Component, Variant::Async] {
        assert!(row(&table, variant).contains(" no "), "{table}");
    }
    for tier in ["0", "0:free", "1", "1:spawn", "2", "3", "4"] {
        serve(&project, "go", tier);
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

/// Each with Rust's standard library of its own, whose names are not to be mistaken for the other's.
#[test]
fn two_packages_are_one_program() {
    let folder = tempfile::tempdir().unwrap();
    for (name, word) in [("one-word", "one"), ("one_word", "other")] {
        let project = folder.path().join(name);
        passed("new", &tierup(folder.path(), &["new", name, "--host", "go"]).output().unwrap());
        let source = format!(
            "/// Says which package it is of.\npub fn slugify(text: &str) -> Result<String, String> {{\n    \
             if text.is_empty() {{ panic!(\"nothing for {word}\") }}\n    Ok(format!(\"{{text}} {word}\"))\n}}\n"
        );
        fs::write(project.join("src/lib.rs"), source).unwrap();
        passed("build", &tierup(&project, &["build", "--tiers", "3"]).output().unwrap());
    }
    let program = folder.path().join("program");
    fs::create_dir(&program).unwrap();
    fs::write(program.join("go.mod"), BOTH_MODULES).unwrap();
    fs::write(program.join("main.go"), BOTH).unwrap();
    fs::copy(folder.path().join("one-word/go/go.sum"), program.join("go.sum")).unwrap();
    for arguments in [&["run", "."][..], &["run", "-race", "."]] {
        let output = Command::new("go").args(arguments).current_dir(&program).output().unwrap();
        let said = passed("go run", &output);
        assert!(said.starts_with("nothing for one, at one-word/src/lib.rs:3:"), "{said}");
        assert!(said.contains("nothing for other, at one_word/src/lib.rs:3:"), "{said}");
        assert!(said.ends_with("x one\nx other\n"), "{said}");
    }
}

const BOTH_MODULES: &str = "module program

go 1.25.0

require (
	tierup.local/one-word v0.0.0
	tierup.local/one_word v0.0.0
)

require (
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
)

replace tierup.local/one-word => ../one-word/.tierup/go

replace tierup.local/one_word => ../one_word/.tierup/go
";

const BOTH: &str = r#"package main

import (
	"fmt"

	one "tierup.local/one-word"
	other "tierup.local/one_word"
)

func main() {
	first, err := one.Bind(one.Options{Tier: "3:native"})
	if err != nil {
		panic(err)
	}
	second, err := other.Bind(other.Options{Tier: "3:native"})
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"", "x"} {
		for _, slugify := range []func(string) (string, error){first.Slugify, second.Slugify} {
			answer, err := slugify(text)
			if err != nil {
				answer = err.Error()
			}
			fmt.Println(answer)
		}
	}
}
"#;
