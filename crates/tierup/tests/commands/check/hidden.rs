//! Differences that could stay hidden: by a reader that closes its pipe, a crash that looks like a refusal, a late
//! call, or an incomplete case.

use std::{fs, process::Stdio};

use super::{
    effects::{caller, found},
    greets, server,
};
use crate::{run, tierup};

#[test]
fn a_closed_pipe_does_not_hide_the_exit_code() {
    let other = |line: &str, body: &[u8]| (200, format!("{} and more", greets(line, body).1));
    let (one, other) = (server(greets), server(other));
    let folder = tempfile::tempdir().unwrap();
    let one = format!("{one}/hello");
    for (candidate, code) in [(&other, 1), (&one, 0)] {
        for more in [&[][..], &["--json"]] {
            let arguments = ["check", "--url", &one, "--vs", candidate, "--hostile", "0"];
            let mut command = tierup(folder.path(), &[&arguments[..], more].concat());
            let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            drop((child.stdout.take(), child.stderr.take()));
            assert_eq!(child.wait().unwrap().code(), Some(code), "{more:?}");
        }
    }
}

#[test]
fn a_case_records_how_the_downstream_fails() {
    let folder = caller(&["hides"]);
    let said = found(folder.path(), "0:hides");
    let again = said.lines().find_map(|line| line.trim().strip_prefix("again: tierup ")).unwrap();
    let words: Vec<&str> = again.split(' ').collect();
    let words = words.iter().map(|word| word.replace("FOLDER", folder.path().to_str().unwrap()));
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = run(folder.path(), &words);
    assert!(said.starts_with("exit code: 1\n") && said.contains("status: 200 instead of 502"), "{said}");
    assert!(said.contains("downstream: it "), "{said}");

    let keep = ["check", "--only", "servers", "--tiers", "0:hides", "--hostile", "40", "--keep", "-q"];
    run(folder.path(), &keep);
    let kept = fs::read_dir(folder.path().join("corpus/requests")).unwrap().map(|file| file.unwrap().path());
    let texts: Vec<String> = kept.map(|file| fs::read_to_string(file).unwrap()).collect();
    assert!(texts.iter().any(|text| text.contains("\n# @downstream fails\n")), "{texts:?}");
    let said = run(folder.path(), &["check", "--only", "servers", "--tiers", "0:hides", "--hostile", "0", "-q"]);
    assert!(said.starts_with("exit code: 1\n") && said.contains("kept in corpus/requests"), "{said}");
}
