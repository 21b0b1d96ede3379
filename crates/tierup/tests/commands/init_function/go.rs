//! Go: types by the function's declaration.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

const GO: &str = "// Package labels has the words.\npackage labels\n\n// Label is what stands on a box.\n\
    func Label(userName string, counts []int64) ([]byte, error) {\n\treturn nil, nil\n}\n\n\
    func Wait(done chan bool) (int, string) {\n\treturn 0, \"\"\n}\n";

/// Nothing is started: the source has the types.
#[test]
fn types_are_those_of_the_declaration() {
    let world = tempfile::tempdir().unwrap();
    write(
        world.path(),
        &[
            ("go.mod", "module shop // the shop\n\ngo 1.22\n"),
            ("main.go", "package main\n\nfunc main() {}\n"),
            ("labels/labels.go", GO),
            ("requests.http", "GET /\n"),
            ("temporary/empty", ""),
        ],
    );
    makes(
        world.path(),
        &["--function", "labels/labels.go:Label"],
        expect![[r#"
            export = ["label"]
            [host.go]
            prepare = ["go", "build", "-o", "server", "."]
            start = ["./server"]
            [host.go.baseline]
            "0" = "shop/labels.Label"
            -- hot/src/lib.rs
            /// What `Label` in labels/labels.go:5 does.
            /// The types are those of its declaration.
            pub fn label(user_name: &str, counts: &[i64]) -> Result<Vec<u8>, String> {
            }
        "#]],
    );
    refuses(
        world.path(),
        &["--function", "labels/labels.go:Wait"],
        expect![[r#"
        error: `Wait` cannot move to Rust as it is: it answers 2 values: Rust answers one; its argument `done` is a `chan bool`, which tierup does not read from Go's source
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
}
