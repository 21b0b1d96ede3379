//! `tierup check`, from outside: servers that agree, differ, fail and call others; what is shown, kept and asked again.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
};

use expect_test::{Expect, expect};

use crate::{MANIFEST, run, tierup, write};

mod headers;
mod hidden;
mod secrets;
mod sent;
mod statuses;

/// A server of this test's own: `answer` maps a request's line and body to a status and a body.
fn server(answer: impl Fn(&str, &[u8]) -> (u16, String) + Send + Sync + Clone + 'static) -> String {
    raw_server(move |head, body| {
        let (status, text) = answer(head.first()?, body);
        (status != 0).then(|| (format!("{status} X\r\nContent-Type: text/plain"), text))
    })
}

/// The same with more to tell: `answer` maps a request's head and body to a status with headers, and a body. It closes the
/// connection where there is no answer.
fn raw_server(answer: impl Fn(&[String], &[u8]) -> Option<(String, String)> + Send + Sync + Clone + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let answer = answer.clone();
            thread::spawn(move || serve(stream.unwrap(), &answer));
        }
    });
    address
}

fn serve(stream: TcpStream, answer: &impl Fn(&[String], &[u8]) -> Option<(String, String)>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        if line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let header = |name: &str| {
        let mut found = head.iter().filter_map(|line| line.split_once(": "));
        found.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned())
    };
    let mut body = vec![0; header("content-length").map_or(0, |length| length.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    let (said, text) = answer(&head, &body)?;
    let content = if head[0].starts_with("HEAD") { "" } else { &text };
    let length = text.len();
    let stream = reader.get_mut();
    let answer = format!("HTTP/1.1 {said}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{content}");
    stream.write_all(answer.as_bytes()).ok()?;
    // What was sent and not read must not break the connection before the answer is.
    stream.shutdown(std::net::Shutdown::Write).ok()?;
    std::io::copy(stream, &mut std::io::sink()).ok().map(drop)
}

/// Two servers are asked; addresses, times and seeds do not show.
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
fn two_servers_alike() {
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
fn servers_that_run_already_are_asked_nothing_hostile() {
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
fn a_difference_is_shown_and_asked_again() {
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
fn a_server_that_differs_from_itself_is_noise_and_no_agreement() {
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
fn a_server_that_answers_nothing_is_no_agreement() {
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
            error: nothing was compared
            hint: add a function with arguments, or requests that the servers answer"#]],
    );
    check(
        &other,
        &one,
        &["--requests", "requests.http", "--hostile", "0"],
        expect![[r#"
            exit code: 1
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

/// Rows of one server that differ in what they do to others: `0` is right.
const CALLER: &str = r#"
const http = require('node:http');
const wrong = (process.env.TIERUP_TIER ?? '0').slice(2);
const call = async (total) => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(process.env.STORE_URL + '/store', { method: 'POST', headers, body: JSON.stringify({ total }) });
  if (!answer.ok) throw new Error('the store failed');
};
http.createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const total = Number(body);
  try {
    if (request.method !== 'POST' || request.url !== '/' || body === '' || !Number.isSafeInteger(total)) {
      response.statusCode = 400;
      return response.end('a whole number, please');
    }
    if (wrong !== 'skips') await call(wrong === 'adds' ? total + 1 : total);
    if (wrong === 'twice') await call(total);
    if (wrong === 'late') setTimeout(call, 30, total);
    if (wrong === 'later') setTimeout(() => call(total).catch(() => {}), 600);
    if (wrong === 'dies' && total === 5) setTimeout(() => process.exit(3), 100);
    response.setHeader('content-type', 'application/json');
    response.end('{"ok":true}');
  } catch (error) {
    response.statusCode = wrong === 'hides' ? 200 : 502;
    response.end(error.message);
  }
}).listen(process.env.PORT, '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
"#;

fn caller(labels: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    let mut settings =
        "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n\
         [downstream]\nenv = \"STORE_URL\"\n[host.node.baseline]\n\"0\" = \"shout.js\"\n"
            .to_owned();
    for label in labels {
        settings.push_str(&format!("\"0:{label}\" = \"shout.js\"\n"));
    }
    let requests: String =
        (1..6).map(|number| format!("POST /\nContent-Type: text/plain\n\n{number}\n\n###\n")).collect();
    let package = "{ \"name\": \"test-server\", \"private\": true }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/package.json", package)]);
    write(folder.path(), &[("tierup.toml", &settings), ("requests.http", &requests), ("node/server.js", CALLER)]);
    write(folder.path(), &[("node/shout.js", "module.exports = (text) => text;\n")]);
    folder
}

fn found(folder: &Path, row: &str) -> String {
    run(folder, &["check", "--only", "servers", "--tiers", row, "--show", "20", "--hostile", "40", "-q"])
}

#[test]
fn what_a_server_does_to_others_counts() {
    let said = found(caller(&["right"]).path(), "0:right");
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    let rows = [
        ("0:skips", r#"downstream call 1: nothing instead of POST /store {"total":1} (a call is missing)"#),
        ("0:twice", r#"downstream call 2: POST /store {"total":1} instead of nothing (an extra call)"#),
        ("0:late", r#"downstream call 2: POST /store {"total":1} instead of nothing (an extra call)"#),
        ("0:adds", r#"downstream call 1, line 1: "{\"total\":2}" instead of "{\"total\":1}""#),
        ("0:hides", "downstream: it answers 503"),
        ("0:later", "calls to other services, over all requests: "),
    ];
    // Most of the time they wait for calls that may come.
    thread::scope(|scope| {
        for (row, difference) in rows {
            scope.spawn(move || {
                let folder = caller(&[&row[2..]]);
                let said = found(folder.path(), row);
                assert!(said.starts_with("exit code: 1\n") && said.contains(difference), "{row}: {said}");
            });
        }
    });
}

#[test]
fn what_is_kept_is_asked_again() {
    let folder = caller(&["adds"]);
    let keep = ["check", "--only", "servers", "--tiers", "0:adds", "--hostile", "0", "--keep", "--show", "1"];
    let said = run(folder.path(), &keep);
    assert!(said.contains("kept: corpus/requests/"), "{said}");
    let kept = fs::read_dir(folder.path().join("corpus/requests")).unwrap().count();
    assert_eq!(kept, 1);
    write(folder.path(), &[("requests.http", "GET /\n")]);
    let said = run(folder.path(), &["check", "--only", "servers", "--tiers", "0:adds", "--hostile", "0", "-q"]);
    assert!(said.contains("1 kept") && said.contains("kept in corpus/requests"), "{said}");
}

#[test]
fn nothing_compared_is_a_failure() {
    let folder = caller(&[]);
    let said = run(folder.path(), &["check", "--only", "servers", "--tiers", "0", "-q"]);
    assert!(said.starts_with("exit code: 1\n") && said.contains("nothing was compared"), "{said}");
}

#[test]
fn wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [&["check", "--vs", "http://127.0.0.1:1"][..], &["check", "--url", "http://127.0.0.1:1"]] {
        let output = tierup(folder.path(), arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}
