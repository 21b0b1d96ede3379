//! What could be hidden: by a reader that has seen enough.

use std::process::Stdio;

use super::{greets, server};
use crate::tierup;

#[test]
fn a_reader_that_has_seen_enough_makes_no_success() {
    let other = |line: &str, body: &[u8]| (200, format!("{} and more", greets(line, body).1));
    let (one, other) = (server(greets), server(other));
    let folder = tempfile::tempdir().unwrap();
    for (candidate, code) in [(&other, 1), (&one, 0)] {
        for more in [&[][..], &["--json"]] {
            let arguments = ["check", "--url", &one, "--vs", candidate, "--hostile", "0", "-q"];
            let mut command = tierup(folder.path(), &[&arguments[..], more].concat());
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
            drop(child.stdout.take());
            assert_eq!(child.wait().unwrap().code(), Some(code), "{more:?}");
        }
    }
}
