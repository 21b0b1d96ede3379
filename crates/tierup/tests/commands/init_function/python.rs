//! Python: types by annotations, and by calls that the interpreter reports.

use expect_test::expect;

use super::{init, makes, refuses};
use crate::write;

#[test]
fn types_are_those_that_were_passed() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("server.py", include_str!("server.py")),
            ("lib/words.py", include_str!("words.py")),
            ("lib/__init__.py", ""),
            ("requests.http", "GET /?text=Green+tea\n\n###\nGET /?text=\n"),
            ("temporary/empty", ""),
        ],
    );
    let arguments = |function: &'static str| ["--function", function, "--command", "python3 server.py"];
    makes(
        folder.path(),
        &arguments("lib/words.py:tally"),
        expect![[r#"
            export = ["tally"]
            [host.python]
            start = ["python3", "server.py"]
            [host.python.baseline]
            "0" = "lib.words:tally"
            -- hot/src/lib.rs
            /// What `tally` in lib/words.py:8 does.
            /// `limit` was never given, so it is left out.
            pub fn tally(text: &str) -> Result<Answer, String> {
            }
            #[derive(Debug, Clone, PartialEq)]
            pub struct Answer {
                pub words: u32,
                pub longest: String,
            }
        "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.py:shout"),
        expect![[r#"
            export = ["shout"]
            [host.python]
            start = ["python3", "server.py"]
            [host.python.baseline]
            "0" = "lib.words:shout"
            [health]
            call = "shout"
            arguments = ["Green tea"]
            sha256 = "37f1d6a09098c3dc4d64d4e9867c95bce640afc04f9c722a2d43e2ddf657e072"
            -- hot/src/lib.rs
            /// What `shout` in lib/words.py:12 does.
            pub fn shout(text: &str) -> Result<String, String> {
            }
        "#]],
    );
    let refused = init(folder.path(), &arguments("lib/words.py:later")).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(error.contains("it is a coroutine"), "{error}");
}

#[test]
fn a_request_that_gave_another_type_is_left_out_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let server = "import http.server, os, time, urllib.parse\n\
        import tag\n\n\
        class Handler(http.server.BaseHTTPRequestHandler):\n    \
            def do_GET(self):\n        \
                all = urllib.parse.parse_qs(self.path.partition('?')[2])['text']\n        \
                time.sleep(0.005)\n        \
                text = tag.tag(all if len(all) > 1 else all[0])\n        \
                time.sleep(0.005)\n        \
                self.send_response(200)\n        \
                self.end_headers()\n        \
                self.wfile.write(text.encode())\n\n\
        http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()\n";
    let requests = "GET /?text=a\n\n###\nGET /x?text=a\n\n###\nGET /?text=a&text=b\n";
    write(folder.path(), &[("server.py", server), ("requests.http", requests), ("temporary/empty", "")]);
    write(folder.path(), &[("tag.py", "def tag(text):\n    return f'<{text}>'\n")]);
    makes(
        folder.path(),
        &["--function", "tag.py:tag", "--command", "python3 server.py", "--most"],
        expect![[r#"
            export = ["tag"]
            [host.python]
            start = ["python3", "server.py"]
            [host.python.baseline]
            "0" = "tag:tag"
            [health]
            call = "tag"
            arguments = ["a"]
            sha256 = "bee81bf20092f96979ce5770cf243bf01ebc0219f9533fd7c114b4b08c501bf9"
            -- hot/src/lib.rs
            /// What `tag` in tag.py:1 does.
            /// Left out: `text` was a list in 2 of 6 calls, first in `GET /?text&text`.
            pub fn tag(text: &str) -> Result<String, String> {
            }
        "#]],
    );
}

/// A server that calls `answer` of an object in the module `words`.
const SERVER: &str = "import http.server, os\n\
    import words\n\n\
    class Handler(http.server.BaseHTTPRequestHandler):\n    \
        def do_GET(self):\n        \
            text = words.Handler().answer(self.path)\n        \
            self.send_response(200)\n        \
            self.end_headers()\n        \
            self.wfile.write(text.encode())\n\n\
    http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ['PORT'])), Handler).serve_forever()\n";

#[test]
fn annotations_take_precedence() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("server.py", SERVER), ("requests.http", "GET /a\n"), ("temporary/empty", "")];
    write(folder.path(), &files);
    write(folder.path(), &[("words.py", include_str!("annotated.py"))]);
    let arguments = |function: &'static str| ["--function", function, "--command", "python3 server.py"];
    makes(
        folder.path(),
        &arguments("words.py:price"),
        expect![[r#"
        export = ["price"]
        [host.python]
        start = ["python3", "server.py"]
        [host.python.baseline]
        "0" = "words:price"
        -- hot/src/lib.rs
        /// What `price` in words.py:35 does.
        /// The types are those of its declaration.
        /// The package answers with a dataclass in the place of a `Place`: callers that need one write `Place(**vars(answer))`.
        pub fn price(lines: &[Line], coupon: Option<Coupon>, to: &To, way: Way, limit: Option<i64>) -> Result<To, String> {
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct Line {
            pub sku: String,
            pub quantity: i64,
            pub tags: Vec<String>,
            pub price: f64,
        }
        /// The cases are the texts of the declaration.
        #[allow(non_camel_case_types)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            percent,
            fixed,
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct Coupon {
            pub code: Option<String>,
            pub kind: Option<Kind>,
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct To {
            pub latitude: f64,
            pub longitude: f64,
        }
        /// The cases are the texts of the declaration.
        #[allow(non_camel_case_types)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Way {
            ship,
            van,
        }
    "#]],
    );
    makes(
        folder.path(),
        &arguments("words.py:label"),
        expect![[r#"
        export = ["label"]
        [host.python]
        start = ["python3", "server.py"]
        [host.python.baseline]
        "0" = "words:label"
        -- hot/src/lib.rs
        use std::collections::BTreeMap;
        /// What `label` in words.py:31 does.
        /// The types are those of its declaration.
        /// `options` was never given, so it is left out.
        /// The annotation `Options` does not exist while the server runs (name 'Options' is not defined): what calls have shown counts.
        pub fn label(text: &str, ratio: f64) -> Result<BTreeMap<String, Option<String>>, String> {
        }
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("words.py:refused"),
        expect![[r#"
        error: `refused` cannot move to Rust as it is: its argument `at` is a `datetime`: pass its `timestamp()`, a number, or its `isoformat()`, a text; its argument `pair` is a tuple: make it a list, or a dataclass with named fields; its argument `any` is of any type: write the type that it has, such as `dict[str, float]` or a dataclass; its argument `either` is a union of text and a number: give the function one type, or a dataclass with a field for each; its argument `node` is a record whose field `child` is a `Node`, which contains itself; its argument `all` is a `set`: pass a list (`sorted(values)`); its argument `keys` is a dict whose keys are not text; its argument `own` is an object of the class Handler, whose methods stay in Python: pass a dataclass with its fields; it answers nothing: what it does is elsewhere
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
}

#[test]
fn pydantic_models_become_records() {
    let folder = tempfile::tempdir().unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let status = std::process::Command::new(program).args(arguments).current_dir(folder.path()).status();
        assert!(status.unwrap().success(), "{program} {arguments:?}");
    };
    run("python3", &["-m", "venv", "venv"]);
    let python = folder.path().join("venv/bin/python").display().to_string();
    run(&python, &["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pydantic==2.14.3"]);
    let words = "from typing import Optional\nfrom pydantic import BaseModel, Field\n\n\
        class Line(BaseModel):\n    sku: str\n    quantity: int = Field(ge=0)\n    note: Optional[str] = None\n\n\
        class Total(BaseModel):\n    price: float\n    lines: list[Line]\n\n\
        def total(lines: list[Line]) -> Total:\n    return Total(price=1, lines=lines)\n\n\
        class Handler:\n    def answer(self, text):\n        return str(total([Line(sku=text, quantity=1)]))\n";
    let files = [("server.py", SERVER), ("words.py", words), ("requests.http", "GET /a\n"), ("temporary/empty", "")];
    write(folder.path(), &files);
    makes(
        folder.path(),
        &["--function", "words.py:total", "--command", "venv/bin/python server.py"],
        expect![[r#"
        export = ["total"]
        [host.python]
        start = ["venv/bin/python", "server.py"]
        [host.python.baseline]
        "0" = "words:total"
        -- hot/src/lib.rs
        /// What `total` in words.py:13 does.
        /// The types are those of its declaration.
        /// The package answers with a dataclass in the place of a `Total`: callers that need one write `Total.model_validate(answer, from_attributes=True)`.
        pub fn total(lines: &[Line]) -> Result<Answer, String> {
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct Line {
            pub sku: String,
            pub quantity: i64,
            pub note: Option<String>,
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct Answer {
            pub price: f64,
            pub lines: Vec<Line>,
        }
    "#]],
    );
}
