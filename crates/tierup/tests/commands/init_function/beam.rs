//! Elixir and Erlang: types by calls that the BEAM traces.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

const REQUESTS: &str = "GET /?text=Green+tea\n\n###\nGET /?text=\n";

#[test]
fn types_of_elixir_come_from_calls() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("server.ex", include_str!("server.ex")),
            ("lib/words.ex", include_str!("words.ex")),
            ("requests.http", REQUESTS),
            ("temporary/empty", ""),
        ],
    );
    let arguments = |function: &'static str| {
        let prepare = "elixirc lib/words.ex server.ex";
        ["--function", function, "--host", "beam", "--prepare", prepare, "--command", "elixir -e Server.start"]
    };
    makes(
        folder.path(),
        &arguments("lib/words.ex:tally"),
        expect![[r#"
        export = ["tally"]
        [host.beam]
        prepare = ["elixirc", "lib/words.ex", "server.ex"]
        start = ["elixir", "-e", "Server.start"]
        [host.beam.baseline]
        "0" = "Words"
        -- hot/src/lib.rs
        /// What `tally` in lib/words.ex:6 does.
        /// `limit` was never given, so it is left out.
        pub fn tally(text: &str) -> Result<Answer, String> {
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct Answer {
            pub longest: Option<String>,
            pub words: u32,
        }
    "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.ex:shout"),
        expect![[r#"
        export = ["shout"]
        [host.beam]
        prepare = ["elixirc", "lib/words.ex", "server.ex"]
        start = ["elixir", "-e", "Server.start"]
        [host.beam.baseline]
        "0" = "Words"
        [health]
        call = "shout"
        arguments = ["Green tea"]
        sha256 = "37f1d6a09098c3dc4d64d4e9867c95bce640afc04f9c722a2d43e2ddf657e072"
        -- hot/src/lib.rs
        /// What `shout` in lib/words.ex:11 does.
        pub fn shout(text: &str) -> Result<String, String> {
        }
    "#]],
    );
    // Its answers are `{:ok, …}` and `{:error, …}`.
    makes(
        folder.path(),
        &arguments("lib/words.ex:join"),
        expect![[r#"
        export = ["join"]
        [host.beam]
        prepare = ["elixirc", "lib/words.ex", "server.ex"]
        start = ["elixir", "-e", "Server.start"]
        [host.beam.baseline]
        "0" = "Words"
        -- hot/src/lib.rs
        /// What `join` in lib/words.ex:14 does.
        pub fn join(words: &[String]) -> Result<String, String> {
        }
    "#]],
    );
    // This function is private and recursive.
    makes(
        folder.path(),
        &arguments("lib/words.ex:letters"),
        expect![[r#"
            export = ["letters"]
            [host.beam]
            prepare = ["elixirc", "lib/words.ex", "server.ex"]
            start = ["elixir", "-e", "Server.start"]
            -- hot/src/lib.rs
            /// What `letters` in lib/words.ex:18 does.
            pub fn letters(words: &[String], joined: &str) -> Result<String, String> {
            }
        "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.ex:weigh"),
        expect![[r#"
            export = ["weigh"]
            [host.beam]
            prepare = ["elixirc", "lib/words.ex", "server.ex"]
            start = ["elixir", "-e", "Server.start"]
            [host.beam.baseline]
            "0" = "Words"
            -- hot/src/lib.rs
            use std::collections::BTreeMap;
            /// What `weigh` in lib/words.ex:24 does.
            pub fn weigh(sizes: &BTreeMap<String, u32>, scale: &Scale) -> Result<f64, String> {
            }
            #[derive(Debug, Clone, PartialEq)]
            pub struct Scale {
                pub factor: f64,
            }
        "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.ex:packed"),
        expect![[r#"
        export = ["packed"]
        [host.beam]
        prepare = ["elixirc", "lib/words.ex", "server.ex"]
        start = ["elixir", "-e", "Server.start"]
        [host.beam.baseline]
        "0" = "Words"
        [health]
        call = "packed"
        arguments = ["Green tea"]
        sha256 = "2d4edcd99dc1f8d030b3c1d0210fc5fd2c1922748d9d2a3959505b54f2bb12e0"
        -- hot/src/lib.rs
        /// What `packed` in lib/words.ex:28 does.
        pub fn packed(text: &str) -> Result<Vec<u8>, String> {
        }
    "#]],
    );
    makes(
        folder.path(),
        &arguments("lib/words.ex:longest:22"),
        expect![[r#"
        export = ["longest"]
        [host.beam]
        prepare = ["elixirc", "lib/words.ex", "server.ex"]
        start = ["elixir", "-e", "Server.start"]
        [host.beam.baseline]
        "0" = "Words"
        -- hot/src/lib.rs
        /// What `longest` in lib/words.ex:22 does.
        pub fn longest(words: &[String], least: u32) -> Result<Vec<String>, String> {
        }
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.ex:longest"),
        expect![[r#"
        error: lib/words.ex has several functions `longest`
        hint: name one of them: lib/words.ex:longest:21, lib/words.ex:longest:22
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.ex:bounds"),
        expect![[r#"
        error: `bounds` cannot move to Rust as it is: its answer is a tuple: make it a map with a name for each part
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.ex:whisper"),
        expect![[r#"
        error: `whisper` of lib/words.ex was not called by these requests
        hint: these of its file were: bounds, join, letters, longest, packed, shout, tally, weigh
    "#]],
    );
}

#[test]
fn functions_of_erlang_are_watched_too() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("server.erl", include_str!("server.erl")),
            ("words.erl", include_str!("words.erl")),
            ("requests.http", REQUESTS),
            ("temporary/empty", ""),
        ],
    );
    let arguments = |function: &'static str| {
        let command = "erl -noinput -s server";
        ["--function", function, "--host", "beam", "--prepare", "erlc words.erl server.erl", "--command", command]
    };
    makes(
        folder.path(),
        &arguments("words.erl:shout"),
        expect![[r#"
        export = ["shout"]
        [host.beam]
        prepare = ["erlc", "words.erl", "server.erl"]
        start = ["erl", "-noinput", "-s", "server"]
        [host.beam.baseline]
        "0" = ":words"
        [health]
        call = "shout"
        arguments = ["Green tea"]
        sha256 = "37f1d6a09098c3dc4d64d4e9867c95bce640afc04f9c722a2d43e2ddf657e072"
        -- hot/src/lib.rs
        /// What `shout` in words.erl:4 does.
        pub fn shout(text: &str) -> Result<String, String> {
        }
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("words.erl:pair"),
        expect![[r#"
        error: `pair` cannot move to Rust as it is: its argument `Kind` is an atom: pass its name, as text; its answer is a map whose keys are neither text nor atoms
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
}
