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
