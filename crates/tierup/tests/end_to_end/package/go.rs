//! A Go module.

use std::fs;

use super::{Elsewhere, MACHINE_OF_ELF, licensed};
use crate::{passed, tierup};

/// The programs that Go and cgo need.
const OF_GO: &[&str] = &["as", "gcc", "go", "gzip", "ld", "tar"];

/// The archive is unpacked beside a server, and vendored.
#[test]
fn a_go_package_is_compiled_without_rust_and_reports_fallbacks() {
    let folder = tempfile::tempdir().unwrap();
    let project = licensed(folder.path(), "go");
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
