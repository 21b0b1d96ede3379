//! PHP: types by calls that an extension records.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

#[test]
fn types_are_those_that_were_passed() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("serve.php", include_str!("serve.php")),
            ("router.php", include_str!("router.php")),
            ("lib/words.php", include_str!("words.php")),
            ("requests.http", "GET /?text=Green+tea\n\n###\nGET /?text=\n"),
            ("temporary/empty", ""),
        ],
    );
    let arguments = |function: &'static str| ["--function", function, "--command", "php serve.php"];
    makes(
        folder.path(),
        &arguments("lib/words.php:tally"),
        expect![[r#"
        export = ["tally"]
        [host.php]
        start = ["php", "serve.php"]
        -- hot/src/lib.rs
        /// What `tally` in lib/words.php:12 does.
        /// `limit` was never given, so it is left out.
        pub fn tally(text: &str) -> Result<Answer, String> {
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct Answer {
            pub words: u32,
            pub longest: Option<String>,
        }
    "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.php:describe"),
        expect![[r#"
        export = ["describe"]
        [host.php]
        start = ["php", "serve.php"]
        [host.php.baseline]
        "0" = "lib/words.php:Shop\\describe"
        -- hot/src/lib.rs
        use std::collections::BTreeMap;
        /// What `describe` in lib/words.php:19 does.
        pub fn describe(text: &str, ratio: f64, count: u32, is_loud: bool, tags: &[String], sizes: &BTreeMap<String, u32>, wide: i64, note: Option<&str>) -> Result<Vec<f64>, String> {
        }
    "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.php:shout"),
        expect![[r#"
        export = ["shout"]
        [host.php]
        start = ["php", "serve.php"]
        [host.php.baseline]
        "0" = "lib/words.php:Shop\\shout"
        [health]
        call = "shout"
        arguments = ["Green tea"]
        sha256 = "37f1d6a09098c3dc4d64d4e9867c95bce640afc04f9c722a2d43e2ddf657e072"
        -- hot/src/lib.rs
        /// What `shout` in lib/words.php:24 does.
        pub fn shout(text: &str) -> Result<String, String> {
        }
    "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.php:digest"),
        expect![[r#"
            export = ["digest"]
            [host.php]
            start = ["php", "serve.php"]
            [host.php.baseline]
            "0" = "lib/words.php:Shop\\Desk::digest"
            [health]
            call = "digest"
            arguments = ["Green tea"]
            sha256 = "317783f63dbca4efce5361ef23d51b554f891e60aa5e83b1f119c3bd08ae801f"
            -- hot/src/lib.rs
            /// What `digest` in lib/words.php:75 does.
            pub fn digest(text: &str) -> Result<Vec<u8>, String> {
            }
        "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.php:double"),
        expect![[r#"
        export = ["double"]
        [host.php]
        start = ["php", "serve.php"]
        -- hot/src/lib.rs
        /// What `double` in lib/words.php:65 does.
        pub fn double(count: u32) -> Result<u32, String> {
        }
    "#]],
    );
    makes(
        folder.path(),
        &arguments("router.php:greet"),
        expect![[r#"
            export = ["greet"]
            [host.php]
            start = ["php", "serve.php"]
            [health]
            call = "greet"
            arguments = ["Green tea"]
            sha256 = "556945bc9afa71b7ce65abe8bbada320321ec3591d121fe3227c9fb1e4ce078b"
            -- hot/src/lib.rs
            /// What `greet` in router.php:7 does.
            pub fn greet(text: &str) -> Result<String, String> {
            }
        "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.php:cry"),
        expect![[r#"
        error: `cry` cannot move to Rust as it is: it uses `$mark` of its object: pass what it needs as arguments
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.php:both"),
        expect![[r#"
        error: `both` cannot move to Rust as it is: it takes any number of arguments: give each a name of its own
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.php:swap"),
        expect![[r#"
        error: `swap` cannot move to Rust as it is: it takes a reference, and may change its caller's variable: answer the value
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.php:each"),
        expect![[r#"
        error: `each` cannot move to Rust as it is: it is a generator: let it answer a list
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.php:loose"),
        expect![[r#"
        error: `loose` cannot move to Rust as it is: its argument `options` is a stdClass: make it a class with public properties
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.php:name"),
        expect![[r#"
        error: lib/words.php has several functions `name`
        hint: name one of them: lib/words.php:name:70, lib/words.php:name:34
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.php:whisper"),
        expect![[r#"
            error: `whisper` of lib/words.php was not called by these requests
            hint: these of its file were: __construct, swap, tally, describe, digest, double, same, twice, cry, marks, both, name, each, loose, shout
        "#]],
    );
}
