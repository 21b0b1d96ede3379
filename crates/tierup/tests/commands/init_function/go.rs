//! Go: types by the function's declaration.

use expect_test::expect;

use super::{init_hot, makes, refuses};
use crate::write;

const GO: &str = "// Package labels has the words.\npackage labels\n\n// Label is what stands on a box.\n\
    func Label(userName string, counts []int64) ([]byte, error) {\n\treturn nil, nil\n}\n\n\
    func Wait(done chan bool) (int, string) {\n\treturn 0, \"\"\n}\n\n\
    func (s *Store) Find(id int64) string {\n\treturn \"\"\n}\n\nfunc All(store Store) string {\n\treturn \"\"\n}\n";

/// Another file of the same package.
const STORE: &str = "package labels\n\ntype Store struct {\n\tName string\n\tdb   chan bool\n}\n";

/// No server starts: the source has the types, and a function with a list gets no golden call.
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

const SERVER: &str = "package main\n\nimport (\n\t\"net/http\"\n\t\"os\"\n\t\"strconv\"\n\n\t\"shop/labels\"\n)\n\n\
    func main() {\n\thttp.HandleFunc(\"/\", func(w http.ResponseWriter, r *http.Request) {\n\t\t\
    count, _ := strconv.Atoi(r.URL.Query().Get(\"count\"))\n\t\ttext, _ := labels.Repeated(labels.Name(r.URL.Query().Get(\"name\")), count)\n\t\t\
    w.Write(text)\n\t})\n\thttp.ListenAndServe(\"127.0.0.1:\"+os.Getenv(\"PORT\"), nil)\n}\n";

/// The receiver's own text is not an argument, and the parameters are on several lines.
const REPEATED: &str = "package labels\n\nimport (\n\t\"errors\"\n\t\"strings\"\n)\n\ntype Name string\n\n\
    func (n Name) String() string { return \"a name\" }\n\n\
    func Repeated(\n\tname Name, // not {\n\tcount int,\n) ([]byte, error) {\n\tif count < 0 {\n\t\treturn nil, errors.New(\"no\")\n\t}\n\t\
    return []byte(strings.Repeat(string(name), count)), nil\n}\n";

/// One of the two calls answers with an error. Neither build may leave tierup's code in the server.
#[test]
fn the_golden_call_is_one_that_was_noted() {
    let world = tempfile::tempdir().unwrap();
    write(
        world.path(),
        &[
            ("go.mod", "module shop\n\ngo 1.21\n"),
            ("main.go", SERVER),
            ("labels/labels.go", REPEATED),
            ("requests.http", "GET /?name=Gr%C3%BC%C3%9Fe+&count=2\n\n###\nGET /?name=no&count=-1\n"),
            ("temporary/empty", ""),
        ],
    );
    makes(
        world.path(),
        &["--function", "labels/labels.go:Repeated"],
        expect![[r#"
            export = ["repeated"]
            [host.go]
            prepare = ["go", "build", "-o", "server", "."]
            start = ["./server"]
            [health]
            call = "repeated"
            arguments = ["Grüße ", 2]
            sha256 = "5db100b6fec28519755c2b0ecc87c7219e16007a8cd8e8cf0defaddf674bb415"
            -- hot/src/lib.rs
            /// What `Repeated` in labels/labels.go:12 does.
            /// The types are those of its declaration.
            pub fn repeated(name: &str, count: i64) -> Result<Vec<u8>, String> {
            }
        "#]],
    );
    let server = std::fs::read(world.path().join("server")).unwrap();
    assert!(!server.windows(13).any(|part| part == b"tierupWitness"));
}

/// The types come from the source, even if the server does not start.
#[test]
fn without_a_running_server_there_is_no_golden_call() {
    let world = tempfile::tempdir().unwrap();
    let main = "package main\n\nimport \"shop/labels\"\n\nfunc main() { labels.Repeated(\"\", 0) }\n";
    write(
        world.path(),
        &[
            ("go.mod", "module shop\n\ngo 1.21\n"),
            ("main.go", main),
            ("labels/labels.go", REPEATED),
            ("requests.http", "GET /\n"),
            ("temporary/empty", ""),
        ],
    );
    let output = init_hot(world.path(), &["--function", "labels/labels.go:Repeated"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("there is no golden call: ") && said.contains("exit code 0"), "{said}");
    assert!(!std::fs::read_to_string(world.path().join("tierup.toml")).unwrap().contains("[health]"));
}
