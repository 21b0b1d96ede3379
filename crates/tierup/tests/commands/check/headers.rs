//! Headers of answers: what a client acts on counts, what frameworks add is a line.

use expect_test::expect;

use super::{check, server::raw_server};
use crate::{MANIFEST, run, write};

/// A server that answers everything with these headers; `HERE` is its own address.
fn with_headers(headers: &'static str) -> String {
    raw_server(move |head, _| {
        let here = head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("host: ").map(str::to_owned))?;
        Some((format!("200 OK\r\n{}", headers.replace("HERE", &format!("http://{here}"))), "hello".to_owned()))
    })
}

const GOOD: &str = "Location: HERE/next\r\nSet-Cookie: id=secret-1; HttpOnly\r\nCache-Control: no-store\r\n\
                    Vary: Origin\r\nAccess-Control-Allow-Origin: https://example.org\r\nETag: \"1\"";

#[test]
fn headers_that_mean_something_count() {
    let candidate = with_headers(
        "Location: /other\r\nCache-Control: public\r\nVary: Origin\r\nAccess-Control-Allow-Origin: *\r\n\
         X-Powered-By: tests",
    );
    let said = check(
        &format!("{}/a", with_headers(GOOD)),
        &candidate,
        &["--hostile", "0"],
        expect![[r#"
        exit code: 1
        -- stdout
        servers, compared with CONTROL: 1 requests (1 from the requests file)

        CONTROL answers: 2xx 1 (from the requests file)

        row                     same  mismatch  error  skipped
        CANDIDATE  0     1         0      0        DIFFERS
        headers that differ and do not count: ETag (CANDIDATE), X-Powered-By (CANDIDATE); [check] of tierup.toml can make them count: headers = ["ETag"]

        1. CANDIDATE (request `GET /a`)
           GET /a
           header Access-Control-Allow-Origin: * instead of https://example.org/
           header Cache-Control: public instead of no-store
           header Location: /other instead of /next
           header Set-Cookie: nothing instead of id; HttpOnly
           again: tierup check --url CONTROL --vs CANDIDATE --case tierup-report/check/requests/1.http

        not alike: CANDIDATE (1 comparisons in N s, seed 1)
        -- stderr
        error: not alike: CANDIDATE"#]],
    );
    assert!(!said.contains("secret-1"), "{said}");
}

#[test]
fn headers_that_say_the_same_are_alike() {
    let candidate = with_headers(
        "location: /next\r\nset-cookie: id=secret-2; httponly\r\ncache-control: No-Store\r\nvary: origin\r\n\
         access-control-allow-origin: https://example.org\r\netag: \"2\"",
    );
    check(
        &format!("{}/a", with_headers(GOOD)),
        &candidate,
        &["--hostile", "0"],
        expect![[r#"
        exit code: 0
        -- stdout
        servers, compared with CONTROL: 1 requests (1 from the requests file)

        CONTROL answers: 2xx 1 (from the requests file)

        row                     same  mismatch  error  skipped
        CANDIDATE  1     0         0      0        alike
        headers that differ and do not count: ETag (CANDIDATE); [check] of tierup.toml can make them count: headers = ["ETag"]

        all rows answer alike: 1 comparisons in N s, seed 1
        -- stderr"#]],
    );
}

#[test]
fn a_project_says_which_headers_count() {
    let folder = tempfile::tempdir().unwrap();
    let settings = "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\"]\n[check]\n";
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
    let (one, other) = (with_headers("ETag: 1\r\nVary: a"), with_headers("ETag: 2\r\nVary: b"));
    let said = |more: &str| {
        write(folder.path(), &[("tierup.toml", &format!("{settings}{more}"))]);
        run(folder.path(), &["check", "--url", &one, "--vs", &other, "-q"])
    };
    let by_default = said("");
    assert!(
        by_default.contains("header Vary: b instead of a") && by_default.contains("do not count: ETag ("),
        "{by_default}"
    );
    let ignored = said("ignore_headers = [\"vary\"]\n");
    assert!(ignored.starts_with("exit code: 0\n"), "{ignored}");
    let named = said("ignore_headers = [\"vary\"]\nheaders = [\"etag\"]\n");
    assert!(named.starts_with("exit code: 1\n") && named.contains("header ETag: 2 instead of 1"), "{named}");
    let wrong = said("headers = [\"ETag: 1\"]\n");
    assert!(wrong.contains("`ETag: 1` is not the name of a header"), "{wrong}");
}

#[test]
fn a_header_that_changes_by_itself_is_noise() {
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let address = raw_server(move |_, _| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Some((format!("200 OK\r\nCache-Control: max-age={number}\r\nX-Id: {number}"), String::new()))
    });
    let folder = tempfile::tempdir().unwrap();
    let said = run(folder.path(), &["check", "--url", &address, "--vs", &address, "-q"]);
    assert!(said.starts_with("exit code: 1\n") && said.contains("ignore_headers = [\"Cache-Control\"]"), "{said}");
    assert!(!said.contains("X-Id"), "{said}");
}
