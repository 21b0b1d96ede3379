//! Ruby: types by calls that the VM traces.

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

#[test]
fn a_request_that_gave_another_type_is_left_out_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let server = include_str!("server.rb");
    let (start, end) = (server.find("        text = ").unwrap(), server.find("        socket.write").unwrap());
    let own = "        all = URI.decode_www_form(target.split(\"?\", 2)[1]).map(&:last)\n        sleep 0.005\n        \
        body = Tags.tag(all.size > 1 ? all : all.first)\n        sleep 0.005\n";
    let server = [&server[..start], own, &server[end..]].concat().replace("lib/words", "tags");
    let requests = "GET /?text=a\n\n###\nGET /x?text=a\n\n###\nGET /?text=a&text=b\n";
    write(folder.path(), &[("server.rb", &server), ("requests.http", requests), ("temporary/empty", "")]);
    write(folder.path(), &[("tags.rb", "module Tags\n  def self.tag(text) = \"<#{text}>\"\nend\n")]);
    makes(
        folder.path(),
        &["--function", "tags.rb:tag", "--command", "ruby server.rb", "--most"],
        expect![[r#"
            export = ["tag"]
            [host.ruby]
            start = ["ruby", "server.rb"]
            [host.ruby.baseline]
            "0" = "tags:Tags"
            [health]
            call = "tag"
            arguments = ["a"]
            sha256 = "bee81bf20092f96979ce5770cf243bf01ebc0219f9533fd7c114b4b08c501bf9"
            -- hot/src/lib.rs
            /// What `tag` in tags.rb:2 does.
            /// Left out: `text` was a list in 2 of 6 calls, first in `GET /?text&text`.
            pub fn tag(text: &str) -> Result<String, String> {
            }
        "#]],
    );
}
