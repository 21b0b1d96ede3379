//! No secret is in a file or a report, and text that is not UTF-8 ends no run.
#![cfg(unix)]

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
};

use super::{answers::raw_server, effects::caller};
use crate::{shown, tierup, write};

const SECRETS: [&str; 5] = ["s3cret-env", "s3cret-dot", "s3cret-basic", "s3cret-literal", "s3cret-cookie"];

/// A server that returns the request's lines, in order or reversed.
fn echoes(reverse: bool) -> String {
    raw_server(move |head, body| {
        let mut lines = head.to_vec();
        if reverse {
            lines.reverse();
        }
        let text = format!("{}\n{}\n", lines.join("\n"), String::from_utf8_lossy(body));
        Some(("200 OK\r\nContent-Type: text/plain\r\nSet-Cookie: id=s3cret-cookie".to_owned(), text))
    })
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    let mut command = tierup(folder, arguments);
    command.env("TOKEN", "s3cret-env").env("PASSWORD", "s3cret-basic").env("NOT_TEXT", OsStr::from_bytes(b"\xff"));
    shown(&command.output().unwrap(), folder)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[track_caller]
fn has_no_secret(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    // The last one is the password in an `Authorization: Basic` header.
    for secret in SECRETS.into_iter().chain(["YWRtaW46czNjcmV0LWJhc2lj"]) {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

const REQUESTS: &str = "\
GET /a?token={{$processEnv TOKEN}}\nAuthorization: Bearer {{$processEnv TOKEN}}\n\n\
###\nPOST /b\nCookie: a={{$dotenv KEY}}\nAuthorization: Basic admin {{$processEnv PASSWORD}}\n\n{\"key\":\"{{$dotenv KEY}}\"}\n\n\
###\nGET /c\nAuthorization: Bearer s3cret-literal\n";

#[test]
fn no_secret_is_shown_or_kept() {
    let (one, other) = (echoes(false), echoes(true));
    for more in [&[][..], &["--json"]] {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), &[("requests.http", REQUESTS), (".env", "KEY=s3cret-dot\n"), (".git/HEAD", "")]);
        let arguments = [
            "check", "--url", &one, "--vs", &other, "--requests", "requests.http", "--hostile", "100", "--show", "200",
        ];
        let said = run(folder.path(), &[&arguments[..], more].concat());
        assert!(said.starts_with("exit code: 1\n") && said.contains("{{$processEnv TOKEN}}"), "{said}");
        has_no_secret(said.as_bytes());
        let cases = files_below(&folder.path().join("tierup-report"));
        let requests: Vec<&PathBuf> =
            cases.iter().filter(|file| file.extension().is_some_and(|end| end == "http")).collect();
        assert!(requests.len() > 10, "{requests:?}");
        for case in &cases {
            has_no_secret(&fs::read(case).unwrap());
            if !case.ends_with(".gitignore") {
                assert_eq!(fs::metadata(case).unwrap().permissions().mode() & 0o777, 0o600, "{}", case.display());
            }
        }
        assert_eq!(fs::read_to_string(folder.path().join("tierup-report/check/.gitignore")).unwrap(), "*\n");
        // A case repeats its request: it contains the variables, not their values.
        let texts: Vec<String> = requests.iter().map(|case| fs::read_to_string(case).unwrap()).collect();
        let own = texts.iter().position(|text| text.contains("Basic admin:{{$processEnv PASSWORD}}")).unwrap();
        assert!(texts[own].contains("Cookie: a={{$dotenv KEY}}") && texts[own].contains("\"key\":\"{{$dotenv KEY}}\""));
        let again = ["check", "--url", &one, "--vs", &other, "-q", "--case", requests[own].to_str().unwrap()];
        let said = run(folder.path(), &again);
        assert!(said.starts_with("exit code: 1\n") && said.contains("a={{$dotenv KEY}}"), "{said}");
        has_no_secret(said.as_bytes());
    }
}

#[test]
fn a_kept_request_has_the_variable() {
    let folder = caller(&["adds"]);
    write(
        folder.path(),
        &[("requests.http", "POST /\nAuthorization: Bearer {{$processEnv TOKEN}}\nContent-Type: text/plain\n\n3\n")],
    );
    let keep = ["check", "--only", "servers", "--tiers", "0:adds", "--hostile", "0", "--keep"];
    let said = run(folder.path(), &keep);
    assert!(said.contains("kept: corpus/requests/"), "{said}");
    let kept = files_below(&folder.path().join("corpus"));
    assert_eq!(kept.len(), 1);
    let text = fs::read_to_string(&kept[0]).unwrap();
    assert!(text.contains("Authorization: Bearer {{$processEnv TOKEN}}\n"), "{text}");
}

#[test]
fn reports_of_a_benchmark_are_private_and_have_no_secret() {
    let (one, other) = (echoes(false), echoes(true));
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("requests.http", REQUESTS), (".env", "KEY=s3cret-dot\n"), ("mine/kept", "")]);
    let bench = ["bench", "--url", &one, "--vs", &other, "--requests", "requests.http", "--duration", "4s", "--blocks"];
    let said = run(folder.path(), &[&bench[..], &["2", "--connections", "1", "--json"]].concat());
    has_no_secret(said.as_bytes());
    assert!(said.contains("answers 3 of 3 requests differently"), "{said}");
    let files = files_below(&folder.path().join("tierup-report"));
    for name in ["report.json", "report.md", "report.html"] {
        let file = folder.path().join("tierup-report").join(name);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600, "{name}");
    }
    files.iter().for_each(|file| has_no_secret(&fs::read(file).unwrap()));
    assert_eq!(fs::read_to_string(folder.path().join("tierup-report/.gitignore")).unwrap(), "*\n");
    assert_eq!(files.len(), 4, "{files:?}");
}

#[test]
fn text_that_is_not_utf_8_ends_no_run() {
    let address = echoes(false);
    let folder = tempfile::tempdir().unwrap();
    let file = OsString::from(OsStr::from_bytes(b"requests-\xff.http"));
    fs::write(folder.path().join(&file), "GET /a\n").unwrap();
    let said = |first: &[&str]| {
        let mut command = tierup(folder.path(), first);
        command.args(["--url", &address, "--vs", &address, "-q"]).arg("--requests").arg(&file);
        command.env("NOT_TEXT", OsStr::from_bytes(b"\xff")).env(OsStr::from_bytes(b"\xfe"), "name");
        shown(&command.output().unwrap(), folder.path())
    };
    let checked = said(&["check"]);
    assert!(checked.starts_with("exit code: 0\n"), "{checked}");
    let measured = said(&["bench", "--duration", "4s", "--blocks", "2", "--connections", "1"]);
    assert!(measured.starts_with("exit code: 0\n"), "{measured}");

    write(folder.path(), &[("asks.http", "GET /?a={{$processEnv NOT_TEXT}}\n")]);
    let asked = run(folder.path(), &["check", "--url", &address, "--vs", &address, "--requests", "asks.http"]);
    assert!(asked.starts_with("exit code: 2\n") && asked.contains("the value of `NOT_TEXT` is not UTF-8"), "{asked}");
}
