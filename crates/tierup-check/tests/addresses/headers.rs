//! Headers of answers: those that clients act on are compared, and others that differ are listed on one line.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use tierup_parity::HeaderRules;

use crate::{check, server::raw_server};

/// A server that always answers with these headers; `HERE` stands for its address.
fn with_headers(headers: &'static str) -> String {
    raw_server(move |head, _| {
        let here = head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("host: ").map(str::to_owned))?;
        Some((format!("200 OK\r\n{}", headers.replace("HERE", &format!("http://{here}"))), "hello".to_owned()))
    })
}

const GOOD: &str = "Location: HERE/next\r\nSet-Cookie: id=secret-1; HttpOnly\r\nCache-Control: no-store\r\n\
                    Vary: Origin\r\nAccess-Control-Allow-Origin: https://example.org\r\nETag: \"1\"";

#[test]
fn headers_that_clients_act_on_are_compared() {
    let candidate = with_headers(
        "Location: /other\r\nCache-Control: public\r\nVary: Origin\r\nAccess-Control-Allow-Origin: *\r\n\
         X-Powered-By: tests",
    );
    let (alike, said) = check(&format!("{}/a", with_headers(GOOD)), &candidate, |_, _| {});
    assert!(!alike);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| line.starts_with("header")).collect();
    let expected = [
        "headers that differ and do not count: ETag (CANDIDATE), X-Powered-By (CANDIDATE); [check] of tierup.toml can make them count: headers = [\"ETag\"]",
        "header Access-Control-Allow-Origin: * instead of https://example.org/",
        "header Cache-Control: public instead of no-store",
        "header Location: /other instead of /next",
        "header Set-Cookie: nothing instead of id; HttpOnly",
    ];
    assert_eq!(lines, expected);
    assert!(!said.contains("secret-1"), "{said}");
}

#[test]
fn equivalent_headers_are_alike() {
    let candidate = with_headers(
        "location: /next\r\nset-cookie: id=secret-2; httponly\r\ncache-control: No-Store\r\nvary: origin\r\n\
         access-control-allow-origin: https://example.org\r\netag: \"2\"",
    );
    let (alike, said) = check(&format!("{}/a", with_headers(GOOD)), &candidate, |_, _| {});
    assert!(alike && said.contains("do not count: ETag (CANDIDATE);"), "{said}");
}

#[test]
fn a_project_chooses_which_headers_are_compared() {
    let (one, other) = (with_headers("ETag: 1\r\nVary: a"), with_headers("ETag: 2\r\nVary: b"));
    let said = |also: &[&str], ignore: &[&str]| {
        let words = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        check(&one, &other, |_, settings| {
            settings.policy.headers = HeaderRules { also: words(also), ignore: words(ignore) };
        })
    };
    let (_, by_default) = said(&[], &[]);
    assert!(
        by_default.contains("header Vary: b instead of a") && by_default.contains("do not count: ETag ("),
        "{by_default}"
    );
    assert!(said(&[], &["vary"]).0);
    let (alike, named) = said(&["etag"], &["vary"]);
    assert!(!alike && named.contains("header ETag: 2 instead of 1"), "{named}");
}

#[test]
fn a_header_that_changes_by_itself_is_noise() {
    let count = Arc::new(AtomicUsize::new(0));
    let address = raw_server(move |_, _| {
        let number = count.fetch_add(1, SeqCst);
        Some((format!("200 OK\r\nCache-Control: max-age={number}\r\nX-Id: {number}"), String::new()))
    });
    let (alike, said) = check(&address, &address, |_, _| {});
    assert!(!alike && said.contains("ignore_headers = [\"Cache-Control\"]") && !said.contains("X-Id"), "{said}");
}
