//! Go: types by the function's declaration.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

const GO: &str = "// Package labels has the words.\npackage labels\n\n// Label is what stands on a box.\n\
    func Label(userName string, counts []int64) ([]byte, error) {\n\treturn nil, nil\n}\n\n\
    func Wait(done chan bool) (int, string) {\n\treturn 0, \"\"\n}\n\n\
    func (s *Store) Find(id int64) string {\n\treturn \"\"\n}\n\nfunc All(store Store) string {\n\treturn \"\"\n}\n";

/// Another file of the package.
const STORE: &str = "package labels\n\ntype Store struct {\n\tName string\n\tdb   chan bool\n}\n";

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
            ("labels/store.go", STORE),
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
    refuses(
        world.path(),
        &["--function", "labels/labels.go:Store.Find"],
        expect![[r#"
        error: `Store.Find` cannot move to Rust as it is: it is a method of `*Store`, which it may change: make it a method of `Store`, or a function that is given what it needs; its argument `s` is a `Store`, whose field `db` is not exported: it is state that stays in Go
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "labels/labels.go:All"],
        expect![[r#"
        error: `All` cannot move to Rust as it is: its argument `store` is a `Store`, whose field `db` is not exported: it is state that stays in Go
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
}
