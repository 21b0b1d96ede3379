//! Requests, good and bad, and their answers.

use expect_test::{Expect, expect};

use crate::process::{Process, build};

/// Sends a request and compares what comes back.
fn check(server: &Process, request: &str, expected: Expect) {
    expected.assert_eq(&server.answer(request.as_bytes()));
}

#[test]
fn a_request_names_one_host() {
    let server = Process::start(build(), &[]);
    let refused = || expect!["400: the request must name one host"];
    check(&server, "GET /livez HTTP/1.1\r\n\r\n", refused());
    check(&server, "GET /livez HTTP/1.1\r\nhost: a\r\nHost: a\r\n\r\n", refused());
    check(&server, "GET /livez HTTP/1.0\r\n\r\n", expect!["200: ok"]);
}

#[test]
fn parameters() {
    let server = Process::start(build(), &[]);
    let get =
        |target: &str, expected: Expect| check(&server, &format!("GET {target} HTTP/1.1\r\nhost: a\r\n\r\n"), expected);
    get("/draw?text=hello", expect!["200 image/png: hello"]);
    get("/draw?text=a+b%2B%C3%A9&other=%C3%A9", expect!["200 image/png: a b+é"]);
    // A malformed part is refused even if the route does not read it.
    get("/draw?text=a&other=%zz", expect![[r#"400: query parameter "other" has a broken percent-encoding"#]]);
    get("/draw?text=a&other=%ff", expect![[r#"400: query parameter "other" is not valid UTF-8"#]]);
    get("/draw?text=a&%ff", expect![[r#"400: a query parameter's name is not valid UTF-8"#]]);
    get("/draw?text=é", expect!["400: the query string has bytes that are not percent-encoded"]);
    get("/draw?te%78t=hello", expect!["200 image/png: hello"]);
    get("/draw", expect![[r#"400: missing "text" query param"#]]);
    get("/draw?text=", expect![[r#"400: missing "text" query param"#]]);
    get("/draw?text", expect![[r#"400: missing "text" query param"#]]);
    get("/draw?text=a&text=b", expect![[r#"400: missing "text" query param"#]]);
    get("/draw?text=%zz", expect![[r#"400: query parameter "text" has a broken percent-encoding"#]]);
    get("/draw?text=%2", expect![[r#"400: query parameter "text" has a broken percent-encoding"#]]);
    get("/draw?text=%ff", expect![[r#"400: query parameter "text" is not valid UTF-8"#]]);
    get(&format!("/draw?text={}", "x".repeat(513)), expect!["400: text must be <= 512 bytes"]);
    get("/draw?text=number+300", expect!["400: number too large to fit in target type"]);

    get("/things/7?loud=true&ratio=1e3", expect!["200: 7 None true 1000 None"]);
    get(
        "/things/65535?loud=false&ratio=-0.5&color=DarkBlue&note=",
        expect![[r#"200: 65535 Some(DarkBlue) false -0.5 Some("")"#]],
    );
    get("/things/%37?loud=true&ratio=1", expect!["200: 7 None true 1 None"]);
    get("/things/+7?loud=true&ratio=1", expect!["200: 7 None true 1 None"]);
    get(
        "/things/65536?loud=true&ratio=1",
        expect![[r#"400: path parameter "id" must be a whole number from 0 to 65535, not "65536""#]],
    );
    get("/things/%zz?loud=true&ratio=1", expect![[r#"400: path parameter "id" has a broken percent-encoding"#]]);
    get("/things/7?loud=yes&ratio=1", expect![[r#"400: query parameter "loud" must be true or false, not "yes""#]]);
    get("/things/7?loud=true&ratio=nan", expect![[r#"400: query parameter "ratio" must be a number, not "nan""#]]);
    get("/things/7?loud=true", expect![[r#"400: query parameter "ratio" is missing"#]]);
    get(
        "/things/7?loud=true&ratio=1&color=Pink",
        expect![[r#"400: query parameter "color" must be one of Red, DarkBlue, not "Pink""#]],
    );
    get("/things/7?loud=true&ratio=1&color=Red&color=Red", expect![[r#"400: query parameter "color" is given twice"#]]);
}

#[test]
fn bodies() {
    let server = Process::start(build(), &[("TIERUP_BODY_LIMIT", "300000")]);
    let post = |path: &str, content_type: &str, body: &str, expected: Expect| {
        let length = body.len();
        let head =
            format!("POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: {content_type}\r\ncontent-length: {length}");
        check(&server, &format!("{head}\r\n\r\n{body}"), expected);
    };
    const ITEM: &str = r#"{"id":18446744073709551615,"value":1,"type":"Red","note":null,"data":"AP8=","ratio":0.1}"#;
    post("/total", "application/json", &format!("[{ITEM}]"), expect!["200 application/json: 18446744073709551615"]);
    post("/total", "Application/JSON; charset=utf-8", "[]", expect!["200 application/json: 0"]);
    post("/total", "application/vnd.sample+json", "[]", expect!["200 application/json: 0"]);
    post("/join", "application/json", r#"["a","b"]"#, expect!["200: a+b"]);
    post(
        "/total",
        "text/plain",
        "[]",
        expect!["415: the body must be JSON, with the header `content-type: application/json`"],
    );
    post(
        "/total",
        "application/json",
        "[",
        expect![[r#"400: body parameter "items": expected `,` or `]`, not the end, at line 1, column 2"#]],
    );
    post(
        "/total",
        "application/json",
        &"[".repeat(100_000),
        expect![[r#"400: body parameter "items": [0]: expected an object, not a list"#]],
    );
    post(
        "/total",
        "application/json",
        r#"[{"id":1,"value":"x"}]"#,
        expect![[r#"400: body parameter "items": [0].value: expected a whole number from 0 to 255, not "x""#]],
    );
    post(
        "/total",
        "application/json",
        "",
        expect![[r#"400: body parameter "items": expected a list, not the end, at line 1, column 1"#]],
    );
    post(
        "/echo",
        "application/json",
        &format!(r#"{{"items":[{ITEM}],"counts":{{"b":1,"a":-1}},"shapes":{{"p":{{"type":"Point"}}}}}}"#),
        expect![[
            r#"200 application/json: {"items":[{"id":18446744073709551615,"value":1,"type":"Red","note":null,"data":"AP8=","ratio":0.10000000149011612}],"counts":{"a":-1,"b":1},"shapes":{"p":{"type":"Point"}},"due_date":null}"#
        ]],
    );
    post(
        "/echo",
        "application/json",
        r#"{"items":[],"counts":{},"shapes":{},"more":1}"#,
        expect![[
            r#"400: body parameter "order": unknown field "more"; expected "items", "counts", "shapes", "due_date""#
        ]],
    );
    let arrange = |body: &str, expected: Expect| post("/arrange/7", "application/json", body, expected);
    arrange(
        &format!(r#"{{"labels":["a","b"],"items":[{ITEM}],"mainColor":"Red","data":"AQI="}}"#),
        expect![[r#"200: 7 1 Some(Red) ["a", "b"] [1, 2]"#]],
    );
    arrange(r#"{"items":[],"labels":[],"data":""}"#, expect!["200: 7 0 None [] []"]);
    arrange(r#"{"items":[],"data":""}"#, expect![[r#"400: the body: field "labels" is missing"#]]);
    arrange(
        r#"{"items":[],"labels":[],"data":"","main_color":null}"#,
        expect![[r#"400: the body: unknown field "main_color"; expected "items", "mainColor", "labels", "data""#]],
    );
    arrange(
        r#"{"items":[],"labels":[],"items":[],"data":""}"#,
        expect![[r#"400: the body: field "items" is given twice"#]],
    );
    arrange(r#"{"items":[],"labels":[1],"data":""}"#, expect![[r#"400: the body: labels[0]: expected text, not 1"#]]);
    arrange(r#"{"items":[],"labels":[],"data":"AQIDBAU="}"#, expect![[r#"400: "data" must be at most 4 bytes long"#]]);
    arrange("[]", expect!["400: the body: expected an object, not a list"]);
    post("/length", "image/png", "\0x\r\n", expect!["200 application/json: 4"]);
    post("/length", "image/png", &"x".repeat(300_001), expect!["413: the body must be at most 300000 bytes long"]);

    let check = |request: &[u8], expected: Expect| expected.assert_eq(&server.answer(request));
    check(b"PUT /texts HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\ngr\xc3\xbc", expect!["200: GRÜ"]);
    check(
        b"PUT /texts HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\n\r\ngr\xfc",
        expect![[r#"400: body parameter "text" is not valid UTF-8"#]],
    );
    check(
        b"PUT /texts HTTP/1.1\r\nhost: a\r\ncontent-length: 11\r\n\r\n12345678901",
        expect![[r#"400: "text" must be at most 10 bytes long"#]],
    );
    check(
        b"PUT /texts HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
        expect!["200: ABC"],
    );
    check(
        b"PUT /texts HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nx\r\n",
        expect!["400: the body cannot be read to its end"],
    );
    check(
        b"POST /total HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n\xff\xff",
        expect![[r#"400: body parameter "items" is not valid UTF-8"#]],
    );
    check(
        b"POST /total HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n[]",
        expect!["415: the body must be JSON, with the header `content-type: application/json`"],
    );
    let chunk = format!("{:x}\r\n{}\r\n", 200_000, "x".repeat(200_000));
    check(
        format!("POST /length HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n{chunk}{chunk}0\r\n\r\n")
            .as_bytes(),
        expect!["413: the body must be at most 300000 bytes long"],
    );
}

#[test]
fn addresses_and_methods() {
    let server = Process::start(build(), &[]);
    check(&server, "GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n", expect!["404: not found"]);
    check(&server, "POST /draw HTTP/1.1\r\nhost: a\r\n\r\n", expect!["405 GET,HEAD"]);
    check(&server, "GET /texts HTTP/1.1\r\nhost: a\r\n\r\n", expect!["405 PUT,DELETE"]);
    check(&server, "HEAD /draw?text=hello HTTP/1.1\r\nhost: a\r\n\r\n", expect!["200 image/png"]);
    check(&server, "DELETE /texts HTTP/1.1\r\nhost: a\r\n\r\n", expect!["204"]);
    check(&server, "GET /livez HTTP/1.1\r\nhost: a\r\n\r\n", expect!["200: ok"]);
    check(&server, "GET /readyz HTTP/1.1\r\nhost: a\r\n\r\n", expect!["200: ok"]);
    check(
        &server,
        "GET /draw?text=a HTTP/1.1\r\nhost: a\r\n\r\nGET /draw?text=b HTTP/1.1\r\nhost: a\r\n\r\n",
        expect![[r#"
        200 image/png: a
        200 image/png: b"#]],
    );
    check(&server, "nonsense\r\n\r\n", expect!["400"]);
    check(&server, &format!("GET /livez HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(70_000)), expect!["431"]);
    check(&server, &format!("GET /livez HTTP/1.1\r\nhost: a\r\n{}\r\n", "x: y\r\n".repeat(101)), expect!["431"]);
    check(&server, &format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(70_000)), expect!["431"]);
}
