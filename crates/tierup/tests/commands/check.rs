//! `tierup check` as a process: servers that agree, differ and fail; the report, and how to repeat a mismatch.

use expect_test::{Expect, expect};

use self::{answers::raw_server, effects::caller};
use crate::{MANIFEST, run, tierup, write};

#[path = "../../../tierup-check/tests/addresses/server.rs"]
mod answers;
mod effects;
mod hidden;
mod secrets;
mod statuses;

/// A test server: `answer` maps a request's line and body to a status and a body.
fn server(answer: impl Fn(&str, &[u8]) -> (u16, String) + Send + Sync + Clone + 'static) -> String {
    raw_server(move |head, body| {
        let (status, text) = answer(head.first()?, body);
        (status != 0).then(|| (format!("{status} X\r\nContent-Type: text/plain"), text))
    })
}

/// Checks two servers; replaces addresses and times in the output.
#[track_caller]
fn check(control: &str, candidate: &str, more: &[&str], expected: Expect) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[("requests.http", "GET /hello?name=a\n\n###\nPOST /echo\nContent-Type: text/plain\n\nhello\n")],
    );
    let arguments = [&["check", "--url", control, "--vs", candidate, "--seed", "1", "-q"], more].concat();
    let said = run(folder.path(), &arguments);
    let said = said.replace(control, "CONTROL").replace(candidate, "CANDIDATE");
    let plain = said.lines().map(|line| match line.split_once(" comparisons in ") {
        Some((before, after)) => format!("{before} comparisons in N s, {}", after.split_once(", ").unwrap().1),
        None => line.trim_end().to_owned(),
    });
    let plain = plain.collect::<Vec<_>>().join("\n");
    expected.assert_eq(&plain);
    plain
}

fn greets(line: &str, body: &[u8]) -> (u16, String) {
    match line.split(' ').nth(1).unwrap_or_default() {
        target if target.starts_with("/hello") => (200, "hello\nworld\n".to_owned()),
        target if target.starts_with("/echo") => (200, String::from_utf8_lossy(body).into_owned()),
        _ => (404, "nothing here".to_owned()),
    }
}

#[test]
fn equal_servers_are_alike() {
    let (one, other) = (server(greets), server(greets));
    check(
        &one,
        &other,
        &["--requests", "requests.http", "--hostile", "0"],
        expect![[r#"
            exit code: 0
            -- stdout
            servers, compared with CONTROL: 2 requests (2 from the requests file)

            CONTROL answers: 2xx 2 (from the requests file)

            row                     same  mismatch  error  skipped
            CANDIDATE  2     0         0      0        alike

            all rows answer alike: 2 comparisons in N s, seed 1
            -- stderr"#]],
    );
    check(
        &one,
        &one,
        &["--requests", "requests.http", "--hostile", "1000"],
        expect![[r#"
            exit code: 0
            -- stdout
            servers, compared with CONTROL: 81 requests (2 from the requests file, 79 hostile)

            CONTROL answers: 2xx 2 (from the requests file); 2xx 75, 4xx 4 (hostile)

            row                             same  mismatch  error  skipped
            CONTROL (again)  81    0         0      0        alike

            all rows answer alike: 81 comparisons in N s, seed 1
            -- stderr"#]],
    );
}

#[test]
fn running_servers_get_no_hostile_requests() {
    let one = server(greets);
    check(
        &one,
        &one,
        &["--requests", "requests.http"],
        expect![[r#"
        exit code: 0
        -- stdout
        servers, compared with CONTROL: 2 requests (2 from the requests file)

        CONTROL answers: 2xx 2 (from the requests file)

        row                             same  mismatch  error  skipped
        CONTROL (again)  2     0         0      0        alike

        note: no hostile requests were sent to servers that tierup did not start; --hostile N sends them

        all rows answer alike: 2 comparisons in N s, seed 1
        -- stderr"#]],
    );
}

#[test]
fn a_difference_is_shown_with_the_command_that_repeats_it() {
    let other = |line: &str, body: &[u8]| match greets(line, body) {
        (200, text) if line.contains("/hello") => (200, text.replace("world", "World")),
        same => same,
    };
    let (one, other) = (server(greets), server(other));
    check(
        &one,
        &other,
        &["--requests", "requests.http", "--hostile", "0"],
        expect![[r#"
            exit code: 1
            -- stdout
            servers, compared with CONTROL: 2 requests (2 from the requests file)

            CONTROL answers: 2xx 2 (from the requests file)

            row                     same  mismatch  error  skipped
            CANDIDATE  1     1         0      0        DIFFERS

            1. CANDIDATE (request `GET /hello`)
               GET /hello?name=a
               line 2: "World\n" instead of "world\n" (from byte 6; 12 bytes instead of 12)
                 line 1
                  hello
                 -world
                 +World
               again: tierup check --url CONTROL --vs CANDIDATE --case tierup-report/check/requests/1.http

            not alike: CANDIDATE (2 comparisons in N s, seed 1)
            -- stderr
            error: not alike: CANDIDATE"#]],
    );
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[("requests.http", "GET /hello?name=a\n")]);
    let found = run(
        folder.path(),
        &["check", "--url", &one, "--vs", &other, "--requests", "requests.http", "--json", "-q", "--hostile", "0"],
    );
    let json = found.split_once("-- stdout\n").unwrap().1.split_once("-- stderr").unwrap().0;
    let report: serde_json::Value = serde_json::from_str(json).unwrap();
    let again = report["parts"][0]["mismatches"][0]["again"].as_str().unwrap();
    let words: Vec<&str> = again.split(' ').skip(1).collect();
    let said = run(folder.path(), &words);
    assert!(said.starts_with("exit code: 1\n") && said.contains(r#"line 2: "World\n" instead of "world\n""#), "{said}");
}

#[test]
fn a_server_that_differs_from_itself_is_noise() {
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counts = move |_: &str, _: &[u8]| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        (200, format!("{{\"id\":{number},\"name\":\"a\"}}"))
    };
    let folder = tempfile::tempdir().unwrap();
    let address = server(counts);
    write(
        folder.path(),
        &[("Cargo.toml", MANIFEST), ("src/lib.rs", "pub fn shout(text: &str) -> String { text.into() }\n")],
    );
    let settings = "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\"]\n[check]\ncompare = \"json\"\n";
    write(folder.path(), &[("tierup.toml", settings), ("node/server.js", "")]);
    let arguments = ["check", "--url", &address, "--vs", &address, "--hostile", "0", "-q"];
    let said = run(folder.path(), &arguments);
    assert!(said.starts_with("exit code: 1\n"), "{said}");
    assert!(said.contains("noise: ") && said.contains("ignore = [\"$.id\"]"), "{said}");
    write(folder.path(), &[("tierup.toml", &format!("{settings}ignore = [\"$.id\"]\n"))]);
    let said = run(folder.path(), &arguments);
    assert!(said.starts_with("exit code: 0\n") && !said.contains("noise: "), "{said}");
}

#[test]
fn a_server_that_answers_nothing_does_not_agree() {
    let (one, other) = (server(greets), server(|_, _| (0, String::new())));
    check(
        &one,
        &other,
        &["--requests", "requests.http", "--hostile", "0"],
        expect![[r#"
            exit code: 1
            -- stdout
            servers, compared with CONTROL: 2 requests (2 from the requests file)

            CONTROL answers: 2xx 2 (from the requests file)

            row                     same  mismatch  error  skipped
            CANDIDATE  0     0         2      0        FAILED

            1. CANDIDATE (request `GET /hello`)
               GET /hello?name=a
               no answer: it closed the connection without an answer
               again: tierup check --url CONTROL --vs CANDIDATE --case tierup-report/check/requests/1.http

            2. CANDIDATE (request `POST /echo`)
               POST /echo
               no answer: it closed the connection without an answer
               again: tierup check --url CONTROL --vs CANDIDATE --case tierup-report/check/requests/2.http

            nothing was compared
            -- stderr
            error: not alike: CANDIDATE"#]],
    );
    check(
        &other,
        &one,
        &["--requests", "requests.http", "--hostile", "0"],
        expect![[r#"
            exit code: 3
            -- stdout
            servers, compared with CONTROL: 2 requests (2 from the requests file)

            CONTROL answers: no answer 2 (from the requests file)

            row                     same  mismatch  error  skipped
            CANDIDATE  0     0         2      0        FAILED

            noise: CONTROL answers differently when asked again, or not at all, for 2 inputs, e.g. GET /hello?name=a
              neither answered: it closed the connection without an answer: no rule can ignore this

            1. CANDIDATE (request `GET /hello`)
               GET /hello?name=a
               the control did not answer: it closed the connection without an answer
               the control's own answers also differ here: see noise
               again: tierup check --url CONTROL --vs CANDIDATE --case tierup-report/check/requests/1.http

            2. CANDIDATE (request `POST /echo`)
               POST /echo
               the control did not answer: it closed the connection without an answer
               the control's own answers also differ here: see noise
               again: tierup check --url CONTROL --vs CANDIDATE --case tierup-report/check/requests/2.http

            nothing was compared
            -- stderr
            error: nothing was compared
            hint: add a function with arguments, or requests that the servers answer"#]],
    );
}

#[test]
fn nothing_compared_is_a_failure() {
    let folder = caller(&[]);
    let said = run(folder.path(), &["check", "--only", "servers", "--tiers", "0", "-q"]);
    assert!(said.starts_with("exit code: 3\n") && said.contains("nothing was compared"), "{said}");
}

#[test]
fn wrong_usage_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["check", "--vs", "http://127.0.0.1:1"][..], &["check", "--url", "http://127.0.0.1:1"]] {
        let output = tierup(folder.path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
