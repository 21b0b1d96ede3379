//! Where readers of JSON part: what `JSON.parse` takes is taken here, and means the same.

use expect_test::{Expect, expect};
use json_sum::sum_items;

#[track_caller]
fn check(bodies: &[&str], expected: Expect) {
    let lines = bodies.iter().map(|body| format!("{body}\n    {}\n", answer(body.as_bytes())));
    expected.assert_eq(&lines.collect::<String>());
}

fn answer(body: &[u8]) -> String {
    match sum_items(body) {
        Ok(sum) => sum.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn as_json_parse_reads_it() {
    check(
        &[
            // Of a key that is there twice, the last one counts, whatever the first one was.
            r#"{"items":[{"value":1}],"items":[{"value":2}]}"#,
            r#"{"items":null,"items":[{"value":2}]}"#,
            r#"{"items":["\ud800",1e400],"items":[{"value":2}]}"#,
            r#"{"items":[{"value":2}],"items":null}"#,
            r#"{"items":[{"value":"\ud800","value":1e400,"value":2}]}"#,
            r#"{"items":[{"value":2,"value":"2"}]}"#,
            // A key is its characters, not how they are written.
            r#"{"\u0069tems":[{"valu\u0065":2}]}"#,
            r#"{"it\ems":[]}"#,
            // Half a surrogate pair, a number beyond f64.
            r#"{"items":[],"\ud800":"\udc00","x":1e400}"#,
            r#"{"items":[{"value":2,"\ud800":1}]}"#,
            // What JavaScript knows by this name is no part of the document.
            r#"{"__proto__":{"items":[]}}"#,
            r#"{"items":[{"__proto__":{"value":1}}]}"#,
            r#"{"items":[{"__proto__":{"value":1},"value":2}],"constructor":1}"#,
        ],
        expect![[r#"
            {"items":[{"value":1}],"items":[{"value":2}]}
                4
            {"items":null,"items":[{"value":2}]}
                4
            {"items":["\ud800",1e400],"items":[{"value":2}]}
                4
            {"items":[{"value":2}],"items":null}
                error: "items" is not an array
            {"items":[{"value":"\ud800","value":1e400,"value":2}]}
                4
            {"items":[{"value":2,"value":"2"}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"\u0069tems":[{"valu\u0065":2}]}
                4
            {"it\ems":[]}
                error: the body is not JSON: invalid escape at line 1 column 6
            {"items":[],"\ud800":"\udc00","x":1e400}
                0
            {"items":[{"value":2,"\ud800":1}]}
                4
            {"__proto__":{"items":[]}}
                error: the body has no "items"
            {"items":[{"__proto__":{"value":1}}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"items":[{"__proto__":{"value":1},"value":2}],"constructor":1}
                4
        "#]],
    );
}

/// Nesting takes no stack, so how deep it goes is only its sender's business.
#[test]
fn deep_nesting() {
    const DEEP: usize = 100_000;
    let arrays = format!("{}0{}", "[".repeat(DEEP), "]".repeat(DEEP));
    let objects = format!("{}0{}", r#"{"a":"#.repeat(DEEP), "}".repeat(DEEP));
    for deep in [&arrays, &objects] {
        assert_eq!(answer(format!(r#"{{"x":{deep},"items":[{{"value":1,"y":{deep}}}]}}"#).as_bytes()), "2");
        assert_eq!(answer(format!(r#"{{"items":{deep},"items":[{{"value":{deep},"value":1}}]}}"#).as_bytes()), "2");
    }
    assert_eq!(answer(arrays.as_bytes()), "error: the body is not an object");
    assert_eq!(answer(objects.as_bytes()), "error: the body has no \"items\"");
    assert_eq!(answer(format!(r#"{{"items":{arrays}}}"#).as_bytes()), "error: items[0] is not an object");
    assert_eq!(
        answer(format!(r#"{{"items":[{{"value":{objects}}}]}}"#).as_bytes()),
        "error: items[0].value is not a whole number of up to 2^53 - 1"
    );
    let open = answer(format!(r#"{{"x":{}"#, "[".repeat(DEEP)).as_bytes());
    assert!(open.starts_with("error: the body is not JSON: EOF"), "{open}");
}
