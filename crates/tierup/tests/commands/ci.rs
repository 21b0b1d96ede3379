//! `tierup ci`: a project at two commits. It measures like `bench`; these tests cover its comparison and its end.
#![cfg(target_os = "linux")]

use std::{fs, path::Path, process::Command};

use expect_test::expect;

use crate::{MANIFEST, run, shown, tierup, write};

const SETTINGS: &str =
    "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n";
const SERVER: &str = "
const server = require('node:http').createServer((request, response) => response.end('hello'));
server.listen(process.env.PORT);
process.on('SIGTERM', () => server.close());
";

fn git(folder: &Path, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    assert!(Command::new("git").args(identity).args(arguments).current_dir(folder).status().unwrap().success());
}

fn commit(folder: &Path) {
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "--message", "a change"]);
}

/// A repository with a commit before the project, and one with it.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    git(folder.path(), &["init", "--quiet"]);
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), (".gitignore", ".tierup/\ncache/\n")]);
    commit(folder.path());
    let package = "{ \"name\": \"test-server\", \"private\": true }\n";
    write(folder.path(), &[("tierup.toml", SETTINGS), ("requests.http", "GET /a\n###\nGET /b\n")]);
    write(folder.path(), &[("node/server.js", SERVER), ("node/package.json", package)]);
    commit(folder.path());
    folder
}

/// Compares the working tree with the last commit, at tier 0.
fn compared(folder: &Path, arguments: &[&str]) -> String {
    let short = ["ci", "--base", "HEAD", "--tiers", "0", "--duration", "6s", "--blocks", "2", "--connections", "4"];
    let mut command = tierup(folder, &[&short[..], arguments].concat());
    command.env("TIERUP_CACHE", folder.join("cache"));
    shown(&command.output().unwrap(), folder)
}

#[test]
fn a_changed_answer_is_exit_code_1() {
    let folder = project();
    fs::write(folder.path().join("node/server.js"), SERVER.replace("'hello'", "request.url === '/b' ? 'oh' : 'hello'"))
        .unwrap();
    let said = compared(folder.path(), &[]);
    assert!(said.starts_with("exit code: 1\n-- stdout\n### tierup: answers differ, compared with "), "{said}");
    assert!(
        said.contains("- **`0`: answers differ.** 0 head failed: it answers 1 of 2 requests differently, e.g. GET /b"),
        "{said}"
    );
    assert!(said.ends_with("error: answers differ\n"), "{said}");
    let comment = fs::read_to_string(folder.path().join(".tierup/ci/comment.md")).unwrap();
    assert!(said.contains(comment.trim_end()), "{comment}");
}

/// The outcome depends on the machine, but the answers are alike.
#[test]
fn the_same_server_answers_alike() {
    let folder = project();
    let said = compared(folder.path(), &["--json"]);
    let outcome = |code: &str, outcomes: &[&str]| {
        said.starts_with(&format!("exit code: {code}\n"))
            && outcomes.iter().any(|outcome| said.contains(&format!("\"outcome\": \"{outcome}\"")))
    };
    let is_sound = outcome("0", &["same", "faster", "cannot-tell"]) || outcome("1", &["slower", "mixed"]);
    assert!(is_sound || outcome("3", &["unsound"]), "{said}");
    let report = fs::read_to_string(folder.path().join(".tierup/ci/report.json")).unwrap();
    assert_eq!(report.matches("\"outcome\": \"different\"").count(), 0, "{report}");
}

#[test]
fn without_a_base_there_is_nothing_to_compare() {
    let folder = project();
    let refused = |arguments: &[&str]| {
        let mut command = tierup(folder.path(), arguments);
        command.env("TIERUP_CACHE", folder.path().join("cache"));
        command.env_remove("GITHUB_BASE_REF").env_remove("CI_MERGE_REQUEST_DIFF_BASE_SHA");
        shown(&command.output().unwrap(), folder.path())
    };
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: there is no commit to compare with
        hint: name one: `tierup ci --base main`
    "#]]
    .assert_eq(&refused(&["ci"]));
    expect![[r#"
        exit code: 2
        -- stdout
        -- stderr
        error: this repository has no commit `none`
        hint: in CI, fetch it first: `git fetch --depth 1 origin COMMIT`
    "#]]
    .assert_eq(&refused(&["ci", "--base", "none"]));
    let said = refused(&["ci", "--base", "HEAD~1"]);
    assert!(said.starts_with("exit code: 0\n-- stdout\nThere is nothing to compare with at "), "{said}");
    assert!(said.contains(": there is no tierup.toml\n"), "{said}");
    let said = refused(&["ci", "--base", "HEAD~1", "--strict"]);
    assert!(said.starts_with("exit code: 3\n-- stdout\n-- stderr\nerror: There is nothing"), "{said}");
}

#[test]
fn a_folder_outside_a_repository_is_refused() {
    let folder = project();
    fs::remove_dir_all(folder.path().join(".git")).unwrap();
    let said = run(folder.path(), &["ci", "--base", "main"]);
    assert!(said.contains("not a git repository"), "{said}");
}

/// If the base's answers differ each time, that is not the change's fault.
#[test]
fn a_base_that_differs_from_itself_gives_no_verdict() {
    let folder = project();
    let noisy = SERVER.replace("'hello'", "request.url === '/b' ? String(process.pid) : 'hello'");
    fs::write(folder.path().join("node/server.js"), noisy).unwrap();
    commit(folder.path());
    let said = compared(folder.path(), &[]);
    assert!(
        said.starts_with("exit code: 3\n-- stdout\n### tierup: no verdict: the base answers differently"),
        "{said}"
    );
}

/// A server may write secrets to standard error.
#[test]
fn the_comment_has_no_log() {
    let folder = project();
    let dies = "console.error('password=secret'); process.exit(1);\n";
    fs::write(folder.path().join("node/server.js"), dies).unwrap();
    let said = compared(folder.path(), &[]);
    let (_, comment) = said.split_once("-- stdout\n").unwrap();
    let (comment, _) = comment.split_once("-- stderr\n").unwrap();
    assert!(comment.starts_with("### tierup: failed") && !comment.contains("password"), "{said}");
}

/// A stand-in for GitHub's program `gh`: logs its calls; once a comment was made, it lists one.
const GH: &str = r#"#!/bin/sh
echo "$@" >> "$CALLS"
case $* in
  *--jq*) if [ -f "$CALLS.body" ]; then echo 17; fi ;;
  *) for word in "$@"; do case $word in body=@*) cp "${word#body=@}" "$CALLS.body" ;; esac; done ;;
esac
"#;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.github/compare.sh");

#[test]
fn the_action_comments_once_and_returns_the_exit_code() {
    let folder = project();
    let tools = tempfile::tempdir().unwrap();
    let (calls, summary) = (tools.path().join("calls"), tools.path().join("summary"));
    write(tools.path(), &[("gh", GH)]);
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_tierup"), tools.path().join("tierup")).unwrap();
    let executable = Command::new("chmod").arg("+x").arg(tools.path().join("gh")).status();
    assert!(executable.unwrap().success());
    let acts = || {
        // The base has no project, so nothing is measured.
        let base = Command::new("git").args(["rev-parse", "HEAD~1"]).current_dir(folder.path()).output().unwrap();
        let path = format!("{}:{}", tools.path().display(), std::env::var("PATH").unwrap());
        let variables = [("PROJECT", "."), ("ARGUMENTS", "--tiers 0"), ("NUMBER", "5"), ("GITHUB_REPOSITORY", "a/b")];
        let mut script = Command::new("bash");
        script.arg(SCRIPT).current_dir(folder.path()).envs(variables).env("PATH", path);
        script.env("BASE", String::from_utf8(base.stdout).unwrap().trim()).env("CALLS", &calls);
        script.env("GITHUB_STEP_SUMMARY", &summary).env("TIERUP_CACHE", folder.path().join("cache"));
        script.status().unwrap().code()
    };
    assert_eq!((acts(), acts()), (Some(0), Some(0)));
    let said = fs::read_to_string(calls.with_extension("body")).unwrap();
    let (mark, words) = said.split_once('\n').unwrap();
    assert!(mark.starts_with("<!-- tierup ci ") && words.starts_with("There is nothing to compare with at "), "{said}");
    assert_eq!(fs::read_to_string(summary).unwrap(), words.repeat(2));
    let asked = fs::read_to_string(calls).unwrap();
    assert_eq!(asked.matches("issues/5/comments --field").count(), 1, "{asked}");
    assert_eq!(asked.matches("--method PATCH repos/a/b/issues/comments/17 ").count(), 1, "{asked}");
}
