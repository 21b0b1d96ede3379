//! Node: types by calls that V8's inspector shows.

use std::fs;

use expect_test::expect;

use super::{init, made, makes, refuses};
use crate::{shown, write};

/// A server in Node with a module in its own folder.
fn world() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("package.json", "{ \"private\": true }\n"),
            ("server.js", include_str!("server.js")),
            ("lib/labels.js", include_str!("labels.js")),
            ("requests.http", include_str!("requests.http")),
            ("temporary/empty", ""),
        ],
    );
    folder
}

#[test]
fn types_come_from_calls_and_no_value_is_written() {
    let world = world();
    // `words` is a map, as its keys are data. One call gave no price.
    let whole = made(world.path(), &["--function", "lib/labels.js:count"]);
    expect![[r##"
        #:schema ./.tierup/schema.json
        # What is hot, which server calls it, and how to tell that it works.

        [function]
        crate = "hot"
        export = ["count"]

        [host.node]
        folder = "."
        start = ["node", "server.js"]
        [host.node.baseline]
        "0" = "lib/labels.js"
        -- hot/src/lib.rs
        //! The hot function: plain Rust, that knows nothing of servers, hosts or tierup.

        use std::collections::BTreeMap;

        /// What `count` in lib/labels.js:10 does.
        ///
        /// tierup guessed the types from calls that it saw: check that they hold for all others.
        ///
        /// # Errors
        /// Until it is written.
        pub fn count(title: &str, width: u32, price: Option<f64>) -> Result<Answer, String> {
            let _ = (title, width, price);
            Err("not written yet".to_owned())
        }

        #[derive(Debug, Clone, PartialEq)]
        pub struct Answer {
            pub lines: Vec<String>,
            pub words: BTreeMap<String, u32>,
            pub price: Option<f64>,
        }
    "##]]
    .assert_eq(&whole);
    // The golden call must not contain a value from the environment.
    makes(
        world.path(),
        &["--function", "lib/labels.js:barcode", "--command", "exec node server.js"],
        expect![[r#"
            export = ["barcode"]
            [host.node]
            start = ["node", "server.js"]
            [host.node.baseline]
            "0" = "lib/labels.js"
            [health]
            call = "barcode"
            arguments = ["ab c", 4]
            sha256 = "4d352ab2271c3b128fa8436f980581afc2d5f01c5cd4a44c693fff213553a7cf"
            -- hot/src/lib.rs
            /// What `barcode` in lib/labels.js:18 does.
            pub fn barcode(text: &str, copies: u32) -> Result<Vec<u8>, String> {
            }
        "#]],
    );
    // It is not exported, so it cannot be the baseline.
    makes(
        world.path(),
        &["--function", "lib/labels.js:fold"],
        expect![[r#"
            export = ["fold"]
            [host.node]
            start = ["node", "server.js"]
            [health]
            call = "fold"
            arguments = ["Green tea"]
            sha256 = "69afc2ce866da3bb0282a3127f8770cbe24e817c40d689df0c15ea221d4d0832"
            -- hot/src/lib.rs
            /// What `fold` in lib/labels.js:3 does.
            pub fn fold(word: &str) -> Result<String, String> {
            }
        "#]],
    );
    makes(
        world.path(),
        &["--function", "lib/labels.js:twice:28"],
        expect![[r#"
            export = ["twice"]
            [host.node]
            start = ["node", "server.js"]
            [health]
            call = "twice"
            arguments = ["Green tea"]
            sha256 = "1f6919f415016a91bde71f64a8e07b4e25a9b965ad6a243a11589c23f7c97143"
            -- hot/src/lib.rs
            /// What `twice` in lib/labels.js:28 does.
            pub fn twice(text: &str) -> Result<String, String> {
            }
        "#]],
    );
}

#[test]
fn a_function_of_an_es_module_is_watched() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("package.json", "{ \"type\": \"module\", \"scripts\": { \"start\": \"node main.js\" } }\n"),
            (
                "main.js",
                "import http from 'node:http';\nimport { shout } from './shout.js';\nhttp.createServer((request, response) => response.end(shout(request.url))).listen(process.env.PORT);\n",
            ),
            ("shout.js", "export const shout = (path) => path.toUpperCase();\n"),
            ("temporary/empty", ""),
        ],
    );
    let port = tierup_runner::port::free().unwrap();
    let url = format!("http://127.0.0.1:{port}/a");
    let command = format!("PORT={port} node main.js");
    let arguments = ["--function", "shout.js:shout", "--command", &command, "--url", &url];
    let output = init(folder.path(), &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output, folder.path()));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("requests.http"), "GET /a\n");
    assert!(read("shout/src/lib.rs").contains("pub fn shout(path: &str) -> Result<String, String> {"));
    assert!(read("tierup.toml").contains("[host.node.baseline]\n\"0\" = \"shout.js\"\n"), "{}", read("tierup.toml"));
}

#[test]
fn a_module_that_is_a_single_function_is_the_baseline() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("package.json", "{}\n"),
            ("requests.http", "GET /a\n"),
            (
                "node/server.js",
                "const shout = require('./words/shout');\nrequire('http').createServer((request, response) => response.end(shout(request.url))).listen(process.env.PORT);\n",
            ),
            ("node/words/shout.js", "module.exports = function shout(path) {\n    return path.toUpperCase();\n};\n"),
            ("temporary/empty", ""),
        ],
    );
    let arguments = ["--function", "node/words/shout.js:shout", "--command", "node node/server.js"];
    let output = init(folder.path(), &arguments).output().unwrap();
    let text = shown(&output, folder.path());
    assert_eq!(output.status.code(), Some(0), "{text}");
    let settings = fs::read_to_string(folder.path().join("tierup.toml")).unwrap();
    assert!(settings.contains("[host.node.baseline]\n\"0\" = \"node/words/shout.js\"\n"), "{settings}");
    assert!(text.contains("baseline: require('./words/shout')"), "{text}");
}

#[test]
fn functions_that_cannot_move_are_refused_with_all_reasons() {
    let world = world();
    refuses(
        world.path(),
        &["--function", "lib/labels.js:answer"],
        expect![[r#"
        error: `answer` cannot move to Rust as it is: its argument `request` is an object of the class IncomingMessage; its argument `response` is an object of the class ServerResponse; it answers nothing: what it does is elsewhere
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "lib/labels.js:label"],
        expect![[r#"
            error: `label` cannot move to Rust as it is: it takes its arguments apart in its head: give each a name of its own
            hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
        "#]],
    );
    refuses(
        world.path(),
        &["--function", "lib/labels.js:put"],
        expect![[r#"
            error: `put` cannot move to Rust as it is: it uses `this`: pass what it needs as arguments
            hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
        "#]],
    );
    refuses(
        world.path(),
        &["--function", "lib/labels.js:twice"],
        expect![[r#"
        error: lib/labels.js has several functions `twice`
        hint: name one of them: lib/labels.js:twice:28, lib/labels.js:twice:34
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "lib/labels.js:missing"],
        expect![[r#"
        error: `missing` of lib/labels.js was not called by these requests
        hint: these of its file were: fold, label, count, barcode, put, twice, answer
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "missing.js:count"],
        expect![[r#"
        error: there is no file `missing.js` in .
        hint: give the path from the server's folder
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "count"],
        expect![[r#"
        error: `count` is no function of a file
        hint: write FILE:FUNCTION, as `tierup profile` prints it, e.g. `basket.js:price`
    "#]],
    );
}

#[test]
fn a_call_with_another_type_is_named_and_left_out_on_request() {
    let world = tempfile::tempdir().unwrap();
    let server = "const { tag } = require('./tag');\n\
        require('node:http').createServer((request, response) => {\n\
            const all = new URL(request.url, 'http://x').searchParams.getAll('text');\n\
            // So long before and after it that no other request was under way.\n\
            const answer = () => tag(all.length > 1 ? all : all[0]);\n\
            setTimeout(() => { const text = answer(); setTimeout(() => response.end(text), 5); }, 5);\n\
        }).listen(process.env.PORT);\n";
    let requests = "GET /?text=a\n\n###\nGET /x?text=a\n\n###\nGET /?text=a&text=b\n";
    let files = [("package.json", "{}\n"), ("server.js", server), ("requests.http", requests), ("temporary/empty", "")];
    write(world.path(), &files);
    write(world.path(), &[("tag.js", "exports.tag = function tag(text) {\n    return `<${text}>`;\n};\n")]);
    refuses(
        world.path(),
        &["--function", "tag.js:tag"],
        expect![[r#"
            error: `tag` cannot move to Rust as it is: its argument `text` is sometimes a list and sometimes text; `text` was a list in 2 of 6 calls, first in `GET /?text&text`
            hint: --most takes the type of the other calls, and names the request in the generated code
        "#]],
    );
    makes(
        world.path(),
        &["--function", "tag.js:tag", "--most"],
        expect![[r#"
            export = ["tag"]
            [host.node]
            start = ["node", "server.js"]
            [host.node.baseline]
            "0" = "tag.js"
            [health]
            call = "tag"
            arguments = ["a"]
            sha256 = "bee81bf20092f96979ce5770cf243bf01ebc0219f9533fd7c114b4b08c501bf9"
            -- hot/src/lib.rs
            /// What `tag` in tag.js:1 does.
            /// Left out: `text` was a list in 2 of 6 calls, first in `GET /?text&text`.
            pub fn tag(text: &str) -> Result<String, String> {
            }
        "#]],
    );
}
