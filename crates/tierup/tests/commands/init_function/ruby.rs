//! Ruby: types by the calls that the VM shows.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

#[test]
fn types_are_those_that_were_passed() {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("server.rb", include_str!("server.rb")),
            ("lib/words.rb", include_str!("words.rb")),
            ("requests.http", "GET /?text=Green+tea\n\n###\nGET /?text=\n"),
            ("temporary/empty", ""),
        ],
    );
    let arguments = |function: &'static str| ["--function", function, "--command", "ruby server.rb"];
    makes(
        folder.path(),
        &arguments("lib/words.rb:tally"),
        expect![[r#"
        export = ["tally"]
        [host.ruby]
        start = ["ruby", "server.rb"]
        [host.ruby.baseline]
        "0" = "lib/words:Words"
        -- hot/src/lib.rs
        /// What `tally` in lib/words.rb:6 does.
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
        &arguments("lib/words.rb:shout"),
        expect![[r#"
        export = ["shout"]
        [host.ruby]
        start = ["ruby", "server.rb"]
        [host.ruby.baseline]
        "0" = "lib/words:Words"
        [health]
        call = "shout"
        arguments = ["Green tea"]
        sha256 = "37f1d6a09098c3dc4d64d4e9867c95bce640afc04f9c722a2d43e2ddf657e072"
        -- hot/src/lib.rs
        /// What `shout` in lib/words.rb:11 does.
        pub fn shout(text: &str) -> Result<String, String> {
        }
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.rb:cry"),
        expect![[r#"
        error: `cry` cannot move to Rust as it is: it uses `@mark` of its object, by `marks`: pass what it needs as arguments
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        folder.path(),
        &arguments("lib/words.rb:whisper"),
        expect![[r#"
        error: `whisper` of lib/words.rb was not called by these requests
        hint: these of its file were: tally, shout, initialize, cry, marks
    "#]],
    );
}
