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
    makes(folder.path(), &arguments("lib/words.rb:tally"), expect![[""]]);
    makes(folder.path(), &arguments("lib/words.rb:shout"), expect![[""]]);
    refuses(folder.path(), &arguments("lib/words.rb:cry"), expect![[""]]);
    refuses(folder.path(), &arguments("lib/words.rb:whisper"), expect![[""]]);
}
