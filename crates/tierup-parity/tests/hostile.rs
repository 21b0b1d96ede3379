//! Hostile requests: which variations a good request has, and that each has the defect in its name.

use std::collections::BTreeSet;

use expect_test::{Expect, expect};
use tierup_parity::{Framing, Hostile, Limits, Methods, hostile, json};
use tierup_requests::{FileLine, Request, Secret};

fn request(method: &str, target: &str, content_type: &str, body: &str) -> Request {
    let place = FileLine { file: "requests.http".into(), line: 1 };
    let headers = [("Content-Type".to_owned(), content_type.to_owned())];
    Request {
        name: "good".into(),
        place,
        method: method.into(),
        target: target.into(),
        host: None,
        headers: headers.into_iter().filter(|(_, value)| !value.is_empty()).collect(),
        body: body.into(),
        expected_status: Some(200),
        secrets: Vec::new(),
    }
}

fn json_request() -> Request {
    request("POST", "/", "application/json", r#"{"items": [{"value": 1}, {"value": 2}], "ok": true}"#)
}

const LIMITS: Limits = Limits { parameter: Some(3), body: Some(60) };

/// One line each: the defect, and how the changed part begins.
fn names(all: &[Hostile], part: impl Fn(&Hostile) -> Option<String>) -> String {
    let line = |it: &Hostile| Some(format!("{} | {}\n", it.what, part(it)?.chars().take(60).collect::<String>()));
    all.iter().filter_map(line).collect()
}

fn check(good: &Request, start: &str, part: impl Fn(&Request) -> String, expected: Expect) {
    let all = hostile(good, LIMITS, Methods::Any);
    expected.assert_eq(&names(&all, |it| it.what.starts_with(start).then(|| part(&it.request))));
}

#[test]
fn queries() {
    check(
        &request("GET", "/say?text=hi&size=4", "", ""),
        "query",
        |it| it.target.clone(),
        expect![[r#"
            query: one more that nobody asked for | /say?text=hi&size=4&tierup_unknown=1
            query: no parameters | /say
            query: `text` is missing | /say?size=4
            query: `text` is empty | /say?text=&size=4
            query: `text` has no `=` | /say?text&size=4
            query: `text` is there twice, the same | /say?text=hi&size=4&text=hi
            query: `text` is there twice, then different | /say?text=hi&size=4&text=tierup
            query: `text` is there twice, first empty | /say?text=&text=hi&size=4
            query: `text` is a list by its name | /say?text[]=hi&size=4
            query: `text` is a record by its name | /say?text[a]=hi&size=4
            query: `text` has its name in capitals | /say?TEXT=hi&size=4
            query: `text` is not UTF-8 | /say?text=%FF%FE&size=4
            query: `text` is not UTF-8 at its end | /say?text=hi%C3&size=4
            query: `text` is UTF-8 in too many bytes | /say?text=%C0%AF&size=4
            query: `text` is half of a surrogate pair | /say?text=%ED%A0%80&size=4
            query: `text` ends within a percent encoding | /say?text=hi%4&size=4
            query: `text` has a percent sign that encodes nothing | /say?text=hi%zz&size=4
            query: `text` is encoded twice | /say?text=hi%2541&size=4
            query: `text` has a plus sign | /say?text=hi+b&size=4
            query: `text` has a semicolon | /say?text=hi;b=1&size=4
            query: `text` has an equals sign | /say?text=hi=b&size=4
            query: `text` has a NUL | /say?text=hi%00b&size=4
            query: `text` has line ends | /say?text=hi%0D%0Ab&size=4
            query: `text` is a space | /say?text=%20&size=4
            query: `text` has space around it | /say?text=%20hi%20&size=4
            query: `text` is a word | /say?text=tierup&size=4
            query: `text` is zero | /say?text=0&size=4
            query: `text` is negative | /say?text=-1&size=4
            query: `text` is a fraction | /say?text=1.5&size=4
            query: `text` is beyond 64 bits | /say?text=18446744073709551616&size=4
            query: `text` has characters beyond the basic plane | /say?text=%F0%9F%98%80&size=4
            query: `text` has a combining accent | /say?text=e%CC%81&size=4
            query: `text` starts with a byte order mark | /say?text=%EF%BB%BFhi&size=4
            query: `text` is as long as it may be | /say?text=aaa&size=4
            query: `text` is too long by one | /say?text=aaaa&size=4
            query: `text` is too long by one, of emoji | /say?text=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80&s
            query: `text` is very long | /say?text=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
            query: `size` is missing | /say?text=hi
            query: `size` is empty | /say?text=hi&size=
            query: `size` has no `=` | /say?text=hi&size
            query: `size` is there twice, the same | /say?text=hi&size=4&size=4
            query: `size` is there twice, then different | /say?text=hi&size=4&size=tierup
            query: `size` is there twice, first empty | /say?text=hi&size=&size=4
            query: `size` is a list by its name | /say?text=hi&size[]=4
            query: `size` is a record by its name | /say?text=hi&size[a]=4
            query: `size` has its name in capitals | /say?text=hi&SIZE=4
            query: `size` is not UTF-8 | /say?text=hi&size=%FF%FE
            query: `size` is not UTF-8 at its end | /say?text=hi&size=4%C3
            query: `size` is UTF-8 in too many bytes | /say?text=hi&size=%C0%AF
            query: `size` is half of a surrogate pair | /say?text=hi&size=%ED%A0%80
            query: `size` ends within a percent encoding | /say?text=hi&size=4%4
            query: `size` has a percent sign that encodes nothing | /say?text=hi&size=4%zz
            query: `size` is encoded twice | /say?text=hi&size=4%2541
            query: `size` has a plus sign | /say?text=hi&size=4+b
            query: `size` has a semicolon | /say?text=hi&size=4;b=1
            query: `size` has an equals sign | /say?text=hi&size=4=b
            query: `size` has a NUL | /say?text=hi&size=4%00b
            query: `size` has line ends | /say?text=hi&size=4%0D%0Ab
            query: `size` is a space | /say?text=hi&size=%20
            query: `size` has space around it | /say?text=hi&size=%204%20
            query: `size` is a word | /say?text=hi&size=tierup
            query: `size` is zero | /say?text=hi&size=0
            query: `size` is negative | /say?text=hi&size=-1
            query: `size` is a fraction | /say?text=hi&size=1.5
            query: `size` is beyond 64 bits | /say?text=hi&size=18446744073709551616
            query: `size` has characters beyond the basic plane | /say?text=hi&size=%F0%9F%98%80
            query: `size` has a combining accent | /say?text=hi&size=e%CC%81
            query: `size` starts with a byte order mark | /say?text=hi&size=%EF%BB%BF4
            query: `size` is as long as it may be | /say?text=hi&size=aaa
            query: `size` is too long by one | /say?text=hi&size=aaaa
            query: `size` is too long by one, of emoji | /say?text=hi&size=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F
            query: `size` is very long | /say?text=hi&size=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        "#]],
    );
}

#[test]
fn forms() {
    let good = request("POST", "/form", "application/x-www-form-urlencoded; charset=utf-8", "a=b");
    check(
        &good,
        "form: `a` is",
        |it| String::from_utf8_lossy(&it.body).into_owned(),
        expect![[r#"
            form: `a` is missing | 
            form: `a` is empty | a=
            form: `a` is there twice, the same | a=b&a=b
            form: `a` is there twice, then different | a=b&a=tierup
            form: `a` is there twice, first empty | a=&a=b
            form: `a` is a list by its name | a[]=b
            form: `a` is a record by its name | a[a]=b
            form: `a` is not UTF-8 | a=%FF%FE
            form: `a` is not UTF-8 at its end | a=b%C3
            form: `a` is UTF-8 in too many bytes | a=%C0%AF
            form: `a` is half of a surrogate pair | a=%ED%A0%80
            form: `a` is encoded twice | a=b%2541
            form: `a` is a space | a=%20
            form: `a` is a word | a=tierup
            form: `a` is zero | a=0
            form: `a` is negative | a=-1
            form: `a` is a fraction | a=1.5
            form: `a` is beyond 64 bits | a=18446744073709551616
            form: `a` is as long as it may be | a=aaa
            form: `a` is too long by one | a=aaaa
            form: `a` is too long by one, of emoji | a=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80
            form: `a` is very long | a=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
        "#]],
    );
}

#[test]
fn bodies() {
    let good = request("POST", "/", "text/plain", "a good body");
    check(
        &good,
        "body",
        |it| format!("{} bytes: {:?}", it.body.len(), String::from_utf8_lossy(&it.body)),
        expect![[r#"
        body: empty | 0 bytes: ""
        body: cut in half | 5 bytes: "a goo"
        body: cut by a byte | 10 bytes: "a good bod"
        body: twice | 22 bytes: "a good bodya good body"
        body: a NUL | 1 bytes: "\0"
        body: not UTF-8 | 3 bytes: "���"
        body: not UTF-8 at its end | 12 bytes: "a good body�"
        body: a byte order mark before it | 14 bytes: "\u{feff}a good body"
        body: as long as it may be | 60 bytes: "a good body                                      
        body: too long by one | 61 bytes: "a good body                                      
        body: large: 1 MiB and a byte | 1048577 bytes: "a good body                                 
        body: huge: 16 MiB and a byte | 16777217 bytes: "a good body                                
        body: as it was, chunked | 11 bytes: "a good body"
        body: cut in half, chunked | 5 bytes: "a goo"
        body: large: 1 MiB and a byte, chunked | 1048577 bytes: "a good body                                 
    "#]],
    );
}

#[test]
fn envelopes() {
    let good = json_request();
    let all: Vec<Hostile> =
        hostile(&good, LIMITS, Methods::Any).into_iter().filter(|it| it.request.body == good.body).collect();
    let part = |it: &Hostile| {
        let Request { method, target, headers, .. } = &it.request;
        let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        Some(format!("{method} {target} {:?} {}", it.framing, headers.join(", ")))
    };
    expect![[r#"
        query: one more that nobody asked for | POST /?tierup_unknown=1 Length Content-Type: application/jso
        body: as it was, chunked | POST / Chunked Content-Type: application/json
        method GET | GET / Length Content-Type: application/json
        method HEAD | HEAD / Length Content-Type: application/json
        method OPTIONS | OPTIONS / Length Content-Type: application/json
        method PUT | PUT / Length Content-Type: application/json
        method PATCH | PATCH / Length Content-Type: application/json
        method DELETE | DELETE / Length Content-Type: application/json
        method TIERUP | TIERUP / Length Content-Type: application/json
        path: a slash at its end | POST // Length Content-Type: application/json
        path: one step further | POST /tierup Length Content-Type: application/json
        path: not UTF-8 | POST /%FF Length Content-Type: application/json
        no content type | POST / Length 
        content type `text/plain` | POST / Length Content-Type: text/plain
        content type `application/xml` | POST / Length Content-Type: application/xml
        content type `application/x-www-form-urlencoded` | POST / Length Content-Type: application/x-www-form-urlencode
        content type `multipart/form-data` | POST / Length Content-Type: multipart/form-data
        content type `application/json; charset=utf-16` | POST / Length Content-Type: application/json; charset=utf-16
        content type `;` | POST / Length Content-Type: ;
        a content encoding that the body is not in | POST / Length Content-Type: application/json, Content-Encodi
        accepts nothing that there is | POST / Length Content-Type: application/json, Accept: applic
        a header of 20 kB | POST / Length Content-Type: application/json, X-Tierup: aaaa
        a header of 2 MB | POST / Length Content-Type: application/json, X-Tierup: aaaa
        200 headers | POST / Length Content-Type: application/json, X-Tierup-0: a,
    "#]]
    .assert_eq(&names(&all, part));
}

#[test]
fn shapes_of_json() {
    check(
        &json_request(),
        "JSON: `$`",
        |it| String::from_utf8_lossy(&it.body).into_owned(),
        expect![[r#"
        JSON: `$` is null | null
        JSON: `$` is a bool | true
        JSON: `$` is 0 | 0
        JSON: `$` is minus zero | -0
        JSON: `$` is negative | -1
        JSON: `$` is a whole number with a point | 1.0
        JSON: `$` is a fraction | 1.5
        JSON: `$` is a number with an exponent | 1e3
        JSON: `$` is a number that is no f64 | 9007199254740993
        JSON: `$` is a number beyond 64 bits | 18446744073709551616
        JSON: `$` is a number of 23 digits | 12345678901234567890123
        JSON: `$` is a number beyond f64 | 1e400
        JSON: `$` is an empty text | ""
        JSON: `$` is a text that is a number | "1"
        JSON: `$` is a NUL in a text | "\u0000"
        JSON: `$` is half of a surrogate pair | "\ud800"
        JSON: `$` is an empty array | []
        JSON: `$` is an empty object | {}
        JSON: `$` is an object with `__proto__` | {"__proto__":{}}
        JSON: `$` is NaN | NaN
        JSON: `$` is Infinity | Infinity
        JSON: `$` is a number with a leading zero | 01
        JSON: `$` is a number without a digit before the point | .5
        JSON: `$` is a number with a plus sign | +1
        JSON: `$` is a text in single quotes | 'a'
        JSON: `$` is a tab in a text | "	"
        JSON: `$` is undefined | undefined
        JSON: `$` is not UTF-8 | "�"
        JSON: `$` has a key that nobody asked for | {"items": [{"value": 1}, {"value": 2}], "ok": true,"tierup_u
        JSON: `$`: "items" is missing | {"ok": true}
        JSON: `$`: "items" is there twice, the same | {"items": [{"value": 1}, {"value": 2}],"items": [{"value": 1
        JSON: `$`: "items" is there twice, null first | {"items":null,"items": [{"value": 1}, {"value": 2}], "ok": t
        JSON: `$`: "items" is there twice, null last | {"items": [{"value": 1}, {"value": 2}],"items":null, "ok": t
        JSON: `$`: "items" is in capitals | {"ITEMS": [{"value": 1}, {"value": 2}], "ok": true}
        JSON: `$`: "items" has no quotes | {items: [{"value": 1}, {"value": 2}], "ok": true}
        JSON: `$`: "ok" is missing | {"items": [{"value": 1}, {"value": 2}]}
        JSON: `$`: "ok" is there twice, the same | {"items": [{"value": 1}, {"value": 2}], "ok": true,"ok": tru
        JSON: `$`: "ok" is there twice, null first | {"items": [{"value": 1}, {"value": 2}], "ok":null,"ok": true
        JSON: `$`: "ok" is there twice, null last | {"items": [{"value": 1}, {"value": 2}], "ok": true,"ok":null
        JSON: `$`: "ok" is in capitals | {"items": [{"value": 1}, {"value": 2}], "OK": true}
        JSON: `$`: "ok" has no quotes | {"items": [{"value": 1}, {"value": 2}], ok: true}
    "#]],
    );
}

#[test]
fn json_that_is_called_broken_is_broken() {
    let broken =
        ["NaN", "Infinity", "leading zero", "before the point", "plus sign", "single quotes", "a tab", "undefined"];
    let also =
        ["deep", "not closed", "behind it", "comma", "without its last", "no quotes", "not UTF-8", "nothing but"];
    let all = hostile(&json_request(), LIMITS, Methods::Any);
    for it in all.iter().filter(|it| it.what.starts_with("JSON")) {
        let is_called_broken = broken.iter().chain(&also).any(|word| it.what.contains(word));
        assert_eq!(json::read(&it.request.body).is_err(), is_called_broken, "{}", it.what);
    }
}

#[test]
fn variations_can_be_sent_and_are_distinct() {
    let form = request("POST", "/a?b=c", "application/x-www-form-urlencoded", "d=e&f=g");
    for good in [json_request(), form, request("GET", "/?a=b", "", ""), request("OPTIONS", "*", "", "")] {
        let all = hostile(&good, Limits::default(), Methods::Any);
        let mut seen = BTreeSet::new();
        for it in &all {
            let Request { method, target, headers, body, expected_status, .. } = &it.request;
            assert!(target == "*" || target.starts_with('/'), "{target}");
            assert!(target.bytes().all(|byte| byte.is_ascii_graphic()), "{target}");
            assert!(headers.iter().all(|(_, value)| value.bytes().all(|byte| (0x20..0x7f).contains(&byte))));
            assert_eq!(*expected_status, None);
            assert!(seen.insert((method, target, headers, body, it.framing)), "{} is there twice", it.what);
        }
        let unchanged = (&good.method, &good.target, &good.headers, &good.body, Framing::Length);
        assert!(!seen.contains(&unchanged));
        let names: BTreeSet<&str> = all.iter().map(|it| &*it.what).collect();
        assert_eq!(names.len(), all.len(), "names repeat");
    }
}

#[test]
fn variations_are_the_same_each_time_and_enough() {
    let good = json_request();
    let all = hostile(&good, LIMITS, Methods::Any);
    assert_eq!(all, hostile(&good, LIMITS, Methods::Any));
    assert!(all.len() >= 200, "{}", all.len());
}

#[test]
fn safe_requests_stay_safe() {
    let good = request("GET", "/items?id=1", "", "");
    let methods = |good: &Request, methods| {
        let all: BTreeSet<String> = hostile(good, LIMITS, methods).into_iter().map(|it| it.request.method).collect();
        all.into_iter().collect::<Vec<_>>().join(" ")
    };
    expect!["GET HEAD OPTIONS"].assert_eq(&methods(&good, Methods::Safe));
    expect!["DELETE GET HEAD OPTIONS PATCH POST PUT TIERUP"].assert_eq(&methods(&good, Methods::Any));
    expect!["GET HEAD OPTIONS POST"].assert_eq(&methods(&json_request(), Methods::Safe));
    // A `DELETE` without its parameter may delete everything.
    expect![""].assert_eq(&methods(&request("DELETE", "/items?id=1", "", ""), Methods::Safe));
}

#[test]
fn credentials_are_not_sent() {
    let mut good = request("POST", "/items?access_token=literal-7&id=a%20secret", "text/plain", "key: a secret, b");
    let headers = [
        ("Authorization", "Bearer literal-1"),
        ("cookie", "session=literal-2"),
        ("Proxy-Authorization", "Basic bGl0ZXJhbC0z"),
        ("X-Api-Key", "literal-4"),
        ("X-Tenant", "of a secret"),
        ("X-Author", "somebody"),
    ];
    good.headers.extend(headers.map(|(name, value)| (name.to_owned(), value.to_owned())));
    good.secrets = vec![Secret { value: "a secret".into(), written: "{{$processEnv KEY}}".into() }];
    for methods in [Methods::Safe, Methods::Any] {
        let all = hostile(&good, LIMITS, methods);
        assert!(all.len() > 40, "{}", all.len());
        for it in &all {
            let body = String::from_utf8_lossy(&it.request.body);
            let sent = format!("{} {:?} {body}", it.request.target, it.request.headers).to_lowercase();
            let has = |text: &str| sent.contains(text);
            assert!(
                !["literal-", "a secret", "a%20secret", "bgl0zxjhbc0z"].into_iter().any(has),
                "{}: {sent}",
                it.what
            );
            assert!(it.request.secrets.is_empty() && has("somebody"), "{}", it.what);
        }
    }
}
