//! Python: types by the calls that the interpreter shows.

use expect_test::expect;

use super::{init, makes};
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
