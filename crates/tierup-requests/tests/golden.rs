//! Each `.http` or `.har` file is a case; the `.expected` file beside it has the result of reading it.
//!
//! A line `# count: 5` sets how many requests are made (3 by default), and `# variables: a=b, c=d` sets variables. In a
//! `.har`, `log.comment` names the host. `UPDATE_EXPECT=1 cargo test` rewrites the `.expected` files.

#![expect(clippy::unwrap_used, reason = "this is a test")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use tierup_diagnostic::Diagnostic;
use tierup_requests::{Context, Moment, Recording, Request, Set, Templates};

/// 2026-11-21T09:04:05.678Z, on a clock that is an hour ahead.
const NOW: Moment = Moment { unix_milliseconds: 1_795_251_845_678, utc_offset_minutes: 60 };

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "http" || extension == "har"));
    paths.sort();
    assert!(!paths.is_empty());
    let wrong: Vec<&PathBuf> = paths.iter().filter(|path| !agrees(path, &read(path))).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether the result equals the `.expected` file; prints how they differ.
fn agrees(path: &Path, actual: &str) -> bool {
    let expected_path = path.with_extension("expected");
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&expected_path, actual).unwrap();
        return true;
    }
    let expected = fs::read_to_string(&expected_path).unwrap_or_default();
    if expected != actual {
        eprintln!("{}:\n--- expected\n{expected}\n--- actual\n{actual}", path.display());
    }
    expected == actual
}

fn read(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let file_name = path.file_name().unwrap().to_str().unwrap();
    let answer = if file_name.ends_with(".har") { har(file_name, &text) } else { http(path, file_name, &text) };
    answer
        .unwrap_or_else(|problems| problems.iter().map(|problem| format!("{problem}\n")).collect::<Vec<_>>().join("\n"))
}

fn http(path: &Path, file_name: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    let option = |name: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {name}: ")));
    let count = option("count").map_or(3, |count| count.parse().unwrap());
    let pair =
        |pair: &str| pair.trim().split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap();
    let variables: Vec<_> = option("variables").map_or(Vec::new(), |pairs| pairs.split(',').map(pair).collect());
    let folder = path.parent().unwrap();
    let context = Context {
        variables: &variables,
        environment: &[pair("USER=ferris")],
        dotenv: &[pair("TOKEN=secret")],
        files: &|path: &str| fs::read(folder.join(path)).map_err(|error| error.kind().into()),
        ..Context::new(NOW)
    };
    let set = Templates::parse(file_name, text)?.expand(count, 1, &context)?;
    Ok(show(&set))
}

fn har(file_name: &str, text: &str) -> Result<String, Vec<Diagnostic>> {
    let json: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let recording = Recording::parse(file_name, text, json["log"]["comment"].as_str())?;
    let mut shown = format!("host: {}\n", recording.host);
    for left_out in &recording.left_out {
        writeln!(shown, "left out: {} × {}", left_out.requests, left_out.reason).unwrap();
    }
    Ok(shown + &show(&recording.set))
}

fn show(set: &Set) -> String {
    let requests: String = set.requests.iter().map(show_request).collect();
    format!("{requests}order: {:?}\n", set.order)
}

fn show_request(request: &Request) -> String {
    let mut shown = format!("=== {} ({}:{})\n", request.name, request.place.file, request.place.line);
    let host = request.host.as_deref().map_or(String::new(), |host| format!(" at {host}"));
    writeln!(shown, "{} {}{host}", request.method, request.target).unwrap();
    for (name, value) in &request.headers {
        writeln!(shown, "{name}: {value}").unwrap();
    }
    if let Some(status) = request.expected_status {
        writeln!(shown, "expected: {status}").unwrap();
    }
    for line in request.body.split_inclusive(|byte| *byte == b'\n') {
        writeln!(shown, "| {}", line.escape_ascii()).unwrap();
    }
    shown
}

/// Reads the examples' own files: they make as many requests as asked for. Targets without variables stay as written,
/// including a broken percent-encoding that one example tests.
#[test]
fn the_examples() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = fs::read_dir(examples).unwrap().map(|entry| entry.unwrap().path().join("requests.http"));
    let files: Vec<_> = files.filter(|file| file.is_file()).collect();
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let templates = Templates::parse("requests.http", &text).unwrap();
        let set = templates.expand(1000, 1, &Context::new(NOW)).unwrap();
        // A file without random variables makes one request per template.
        let expected = if text.contains("{{$") { 1000 } else { templates.len() };
        assert_eq!(set.requests.len(), expected, "{}", file.display());
        let lines = text.lines().filter_map(|line| line.strip_prefix("GET {{host}}"));
        for line in lines.filter(|line| !line.contains("{{")) {
            assert!(set.requests.iter().any(|request| request.target == line), "{line}");
        }
    }
}
