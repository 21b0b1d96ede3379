//! Headers of two answers: which count, and when two mean the same.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use tierup_parity::{
    Answer, ErrorBodies, Finding, HeaderRules, Noise, Observation, Policy, Seen, compare, not_compared,
};

fn answer(status: u16, port: u16, headers: &[&str]) -> Answer {
    let pair = |line: &&str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let headers = headers.iter().filter_map(pair).collect();
    Answer { url: format!("http://127.0.0.1:{port}/items/7"), status, headers, ..Answer::default() }
}

fn found(status: u16, control: &[&str], candidate: &[&str], policy: &Policy) -> String {
    let [mine, theirs] = [(1, control), (2, candidate)]
        .map(|(port, headers)| Observation::new(Seen::Answer(answer(status, port, headers))));
    match compare(&mine, &theirs, policy) {
        Finding::Mismatch(found) => found.list.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        other => format!("{other:?}"),
    }
}

fn check(control: &[&str], candidate: &[&str], expected: Expect) {
    expected.assert_eq(&found(200, control, candidate, &Policy::default()));
}

#[test]
fn differences_that_a_client_acts_on_count() {
    check(&["Location: /a"], &["Location: /b"], expect!["header Location: /b instead of /a"]);
    check(
        &["Set-Cookie: id=1; HttpOnly; Path=/"],
        &["Set-Cookie: id=2; Path=/"],
        expect!["header Set-Cookie: id; Path=/ instead of id; HttpOnly; Path=/"],
    );
    check(&["Set-Cookie: id=1"], &[], expect!["header Set-Cookie: nothing instead of id"]);
    check(
        &["Cache-Control: no-store"],
        &["Cache-Control: public"],
        expect!["header Cache-Control: public instead of no-store"],
    );
    check(&["Vary: Origin"], &[], expect!["header Vary: nothing instead of origin"]);
    check(&["Content-Encoding: gzip"], &[], expect!["header Content-Encoding: nothing instead of gzip"]);
    check(
        &["Content-Disposition: attachment; filename=a.csv"],
        &["Content-Disposition: inline; filename=a.csv"],
        expect!["header Content-Disposition: inline; filename=a.csv instead of attachment; filename=a.csv"],
    );
    check(
        &["Access-Control-Allow-Origin: https://example.org"],
        &["Access-Control-Allow-Origin: *"],
        expect!["header Access-Control-Allow-Origin: * instead of https://example.org/"],
    );
    check(
        &["Access-Control-Allow-Private-Network: true"],
        &[],
        expect!["header Access-Control-Allow-Private-Network: nothing instead of true"],
    );
}

#[test]
fn spellings_of_one_meaning_are_alike() {
    let same = |control: &[&str], candidate: &[&str]| check(control, candidate, expect!["Same"]);
    same(&["Location: http://127.0.0.1:1/x"], &["Location: /x"]);
    same(&["Location: http://localhost:1/x"], &["Location: http://127.0.0.1:2/x"]);
    same(
        &["Set-Cookie: b=1; path=/; secure", "Set-Cookie: a=2"],
        &["Set-Cookie: a=9", "Set-Cookie: b=3; Secure; Path=/"],
    );
    same(
        &["Set-Cookie: a=1; Expires=Sun, 22 Nov 2026 09:00:00 GMT"],
        &["Set-Cookie: a=1; Expires=Sun, 22 Nov 2026 09:00:02 GMT"],
    );
    same(&["Cache-Control: no-cache, Max-Age=60"], &["Cache-Control: max-age=\"60\"", "Cache-Control: No-Cache"]);
    same(&["Vary: Accept, Origin"], &["Vary: origin", "Vary: accept"]);
    same(&["Allow: GET, HEAD"], &["Allow: HEAD,GET"]);
    same(&["Content-Disposition: attachment; filename=\"a;b\""], &["Content-Disposition: Attachment;filename=\"a;b\""]);
    same(
        &["WWW-Authenticate: Digest realm=\"a\", nonce=\"1\", Basic realm=\"b\""],
        &["WWW-Authenticate: Basic realm=\"b\"", "WWW-Authenticate: Digest nonce=\"2\", realm=\"a\""],
    );
    same(&["Date: today", "Connection: close", "ETag: 1"], &["Date: tomorrow", "Keep-Alive: 5", "ETag: 2"]);
}

#[test]
fn removing_a_cookie_differs_from_setting_it() {
    check(
        &["Set-Cookie: a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT"],
        &["Set-Cookie: a=; Expires=Thu, 01 Jan 2099 00:00:00 GMT"],
        expect!["header Set-Cookie: a; Expires=… instead of a; Expires=past"],
    );
}

#[test]
fn headers_that_a_client_acts_on_count() {
    for (control, candidate) in [
        ("content-security-policy: default-src 'self'", "content-security-policy: default-src *"),
        ("strict-transport-security: max-age=60", ""),
        ("x-frame-options: DENY", "x-frame-options: SAMEORIGIN"),
        ("x-content-type-options: nosniff", ""),
        ("content-range: bytes 0-1/9", "content-range: bytes 0-1/8"),
        ("accept-ranges: bytes", "accept-ranges: none"),
        ("retry-after: 1", "retry-after: 2"),
        ("link: </a>; rel=next", ""),
        ("refresh: 1; url=/a", "refresh: 1; url=/b"),
        ("expires: Thu, 26 Nov 2026 00:00:02 GMT", "expires: 0"),
        ("expires: Thu, 26 Nov 2026 00:00:02 GMT", "expires: Wed, 25 Nov 2026 00:00:01 GMT"),
    ] {
        let date = "date: Thu, 26 Nov 2026 00:00:01 GMT";
        let found = found(206, &[date, control], &[date, candidate], &Policy::default());
        assert!(found.starts_with("header "), "{control}: {found}");
    }
}

#[test]
fn values_that_are_new_in_each_answer_do_not_count() {
    check(
        &[
            "date: Thu, 26 Nov 2026 00:00:01 GMT",
            "expires: Thu, 26 Nov 2026 01:00:01 GMT",
            "content-security-policy: script-src 'nonce-a' b; img-src *",
        ],
        &[
            "date: Thu, 26 Nov 2026 00:00:03 GMT",
            "expires: Thu, 26 Nov 2026 01:00:03 GMT",
            "content-security-policy: Img-Src *; script-src 'nonce-c' b",
        ],
        expect!["Same"],
    );
}

#[test]
fn headers_of_errors_are_compared_too() {
    let errors = |control: &[&str], candidate: &[&str], policy: &Policy| found(405, control, candidate, policy);
    let policy = Policy::default();
    expect!["header Allow: GET instead of GET, POST"].assert_eq(&errors(
        &["Allow: GET, POST"],
        &["Allow: GET"],
        &policy,
    ));
    expect!["header WWW-Authenticate: nothing instead of basic"].assert_eq(&errors(
        &["WWW-Authenticate: Basic"],
        &[],
        &policy,
    ));
    // Headers about the body count only if the body does.
    expect!["Same"].assert_eq(&errors(&["Content-Encoding: gzip"], &[], &policy));
    let exact = Policy { errors: ErrorBodies::Exact, ..Policy::default() };
    expect!["header Content-Encoding: nothing instead of gzip"].assert_eq(&errors(
        &["Content-Encoding: gzip"],
        &[],
        &exact,
    ));
    // The same holds for policies, which frameworks send with their error pages.
    for page in ["X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Content-Security-Policy: img-src *"] {
        assert_eq!(errors(&[page], &[], &policy), "Same");
        assert!(errors(&[page], &[], &exact).starts_with("header "), "{page}");
    }
    assert!(errors(&["Strict-Transport-Security: max-age=60"], &[], &policy).starts_with("header "));
}

#[test]
fn a_project_adds_and_ignores_headers() {
    let rules = |also: &[&str], ignore: &[&str]| {
        let [also, ignore] = [also, ignore].map(|names| names.iter().map(|name| name.to_string()).collect());
        Policy { headers: HeaderRules { also, ignore }, ..Policy::default() }
    };
    let of = |policy| found(200, &["ETag: \"1\"", "Vary: a"], &["ETag: \"2\"", "Vary: b"], &policy);
    expect![[r#"
        header ETag: "2" instead of "1"
        header Vary: b instead of a"#]]
    .assert_eq(&of(rules(&["etag"], &[])));
    expect!["Same"].assert_eq(&of(rules(&[], &["vary"])));
    // A token is compared if the project asks for it, but never shown.
    let tokens = found(200, &["X-Auth-Token: a"], &["X-Auth-Token: b"], &rules(&["x-auth-token"], &[]));
    expect!["header X-Auth-Token: (masked) instead of (masked)"].assert_eq(&tokens);
    let typed = |content_type: &str| {
        let content_type = Some(content_type.to_owned());
        Observation::new(Seen::Answer(Answer { content_type, ..answer(200, 1, &[]) }))
    };
    assert_eq!(compare(&typed("a/b"), &typed("c/d"), &rules(&[], &["Content-Type"])), Finding::Same);
}

#[test]
fn headers_that_frameworks_add_are_reported_and_do_not_count() {
    let control = answer(200, 1, &["ETag: 1", "X-Powered-By: Express", "X-Id: 1", "Date: a", "Vary: a"]);
    let candidate = answer(200, 2, &["ETag: 2", "Server: hyper", "X-Id: 2", "Date: b"]);
    let changing = BTreeSet::from(["X-Id".to_owned()]);
    let names = not_compared(&control, &candidate, &HeaderRules::default(), &changing);
    expect!["ETag, Server, X-Powered-By"].assert_eq(&names.into_iter().collect::<Vec<_>>().join(", "));
}

#[test]
fn a_header_that_changes_by_itself_is_noise() {
    let of =
        |value: &str| Observation::new(Seen::Answer(answer(200, 1, &[&format!("Cache-Control: max-age={value}")])));
    let noise = Noise::between(&of("1"), &of("2"), &Policy::default());
    assert_eq!(noise.headers, ["Cache-Control"]);
    assert_eq!(compare(&of("1"), &of("3"), &noise.subtracted_from(&Policy::default())), Finding::Same);
}

/// Both servers may be configured with the service's public address.
#[test]
fn equal_bytes_are_alike() {
    for same in ["Location: http://127.0.0.1:1/items/1", "Access-Control-Allow-Origin: http://127.0.0.1:1"] {
        check(&[same], &[same], expect!["Same"]);
    }
}
