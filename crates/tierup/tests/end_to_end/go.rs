//! Two packages in one Go program.

use std::{fs, process::Command};

use crate::{both_answered, passed, two_packages};

/// Each contains Rust's standard library, whose symbols must not clash.
#[test]
fn two_packages_are_one_program() {
    let folder = tempfile::tempdir().unwrap();
    two_packages(folder.path(), "go");
    let program = folder.path().join("program");
    fs::create_dir(&program).unwrap();
    fs::write(program.join("go.mod"), BOTH_MODULES).unwrap();
    fs::write(program.join("main.go"), BOTH).unwrap();
    fs::copy(folder.path().join("one-word/go/go.sum"), program.join("go.sum")).unwrap();
    for arguments in [&["run", "."][..], &["run", "-race", "."]] {
        let output = Command::new("go").args(arguments).current_dir(&program).output().unwrap();
        let said = passed("go run", &output);
        both_answered(&said);
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
