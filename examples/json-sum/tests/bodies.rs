//! Bodies, good and bad, and what is said of them.

use expect_test::{Expect, expect};
use json_sum::sum_items;

#[track_caller]
fn check(bodies: &[&str], expected: Expect) {
    // What cannot be seen is shown as Rust writes it.
    let shown = |body: &str| {
        if body.trim().is_empty() || body.contains(|c: char| c.is_control() || !c.is_ascii()) {
            format!("{body:?}")
        } else {
            body.to_owned()
        }
    };
    let lines = bodies.iter().map(|body| format!("{}\n    {}\n", shown(body), answer(body.as_bytes())));
    expected.assert_eq(&lines.collect::<String>());
}

fn answer(body: &[u8]) -> String {
    match sum_items(body) {
        Ok(sum) => sum.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

#[test]
fn plain_bodies() {
    check(
        &[
            r#"{"items":[{"value":1},{"value":20},{"value":300}]}"#,
            r#"{"items":[]}"#,
            r#"{"items":[{"value":-5},{"value":5}]}"#,
            " \t\r\n{ \"items\" : [ { \"value\" : 7 } ] } \n",
            r#"{"items":[{"id":"a","value":1,"tags":["x",{"y":null}]}],"total":true}"#,
        ],
        expect![[r#"
            {"items":[{"value":1},{"value":20},{"value":300}]}
                642
            {"items":[]}
                0
            {"items":[{"value":-5},{"value":5}]}
                0
            " \t\r\n{ \"items\" : [ { \"value\" : 7 } ] } \n"
                14
            {"items":[{"id":"a","value":1,"tags":["x",{"y":null}]}],"total":true}
                2
        "#]],
    );
}

#[test]
fn whole_numbers_in_any_notation() {
    check(
        &[
            r#"{"items":[{"value":1.0},{"value":20e-1},{"value":-0},{"value":3E0}]}"#,
            r#"{"items":[{"value":1.5}]}"#,
            r#"{"items":[{"value":0},{"value":"1"}]}"#,
            r#"{"items":[{"value":null}]}"#,
            r#"{"items":[{"value":true}]}"#,
            r#"{"items":[{"value":[1]}]}"#,
            r#"{"items":[{"value":{"value":1}}]}"#,
            r#"{"items":[{"value":1e400}]}"#,
            r#"{"items":[{"value":9007199254740992}]}"#,
        ],
        expect![[r#"
            {"items":[{"value":1.0},{"value":20e-1},{"value":-0},{"value":3E0}]}
                12
            {"items":[{"value":1.5}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"items":[{"value":0},{"value":"1"}]}
                error: items[1].value is not a whole number of up to 2^53 - 1
            {"items":[{"value":null}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"items":[{"value":true}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"items":[{"value":[1]}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"items":[{"value":{"value":1}}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"items":[{"value":1e400}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
            {"items":[{"value":9007199254740992}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
        "#]],
    );
}

#[test]
fn the_sum_after_each_item_is_safe() {
    check(
        &[
            r#"{"items":[{"value":4503599627370495},{"value":-4503599627370495}]}"#,
            r#"{"items":[{"value":4503599627370496}]}"#,
            r#"{"items":[{"value":-4503599627370495},{"value":-1}]}"#,
            r#"{"items":[{"value":9007199254740991},{"value":-9007199254740991}]}"#,
            r#"{"items":[{"value":4503599627370495},{"value":1},{"value":-1}]}"#,
        ],
        expect![[r#"
            {"items":[{"value":4503599627370495},{"value":-4503599627370495}]}
                0
            {"items":[{"value":4503599627370496}]}
                error: overflow: at items[0] the sum is beyond 2^53 - 1
            {"items":[{"value":-4503599627370495},{"value":-1}]}
                error: overflow: at items[1] the sum is beyond 2^53 - 1
            {"items":[{"value":9007199254740991},{"value":-9007199254740991}]}
                error: overflow: at items[0] the sum is beyond 2^53 - 1
            {"items":[{"value":4503599627370495},{"value":1},{"value":-1}]}
                error: overflow: at items[1] the sum is beyond 2^53 - 1
        "#]],
    );
}

#[test]
fn other_shapes() {
    check(
        &[
            "null",
            "5",
            r#""items""#,
            r#"[{"items":[]}]"#,
            "{}",
            r#"{"Items":[]}"#,
            r#"{"items":null}"#,
            r#"{"items":{"0":{"value":1},"length":1}}"#,
            r#"{"items":"x"}"#,
            r#"{"items":[1]}"#,
            r#"{"items":[{"value":1},null]}"#,
            r#"{"items":[[1]]}"#,
            r#"{"items":["value"]}"#,
            r#"{"items":[{"value":1},{}]}"#,
            r#"{"items":[{"VALUE":1}]}"#,
        ],
        expect![[r#"
            null
                error: the body is not an object
            5
                error: the body is not an object
            "items"
                error: the body is not an object
            [{"items":[]}]
                error: the body is not an object
            {}
                error: the body has no "items"
            {"Items":[]}
                error: the body has no "items"
            {"items":null}
                error: "items" is not an array
            {"items":{"0":{"value":1},"length":1}}
                error: "items" is not an array
            {"items":"x"}
                error: "items" is not an array
            {"items":[1]}
                error: items[0] is not an object
            {"items":[{"value":1},null]}
                error: items[1] is not an object
            {"items":[[1]]}
                error: items[0] is not an object
            {"items":["value"]}
                error: items[0] is not an object
            {"items":[{"value":1},{}]}
                error: items[1].value is not a whole number of up to 2^53 - 1
            {"items":[{"VALUE":1}]}
                error: items[0].value is not a whole number of up to 2^53 - 1
        "#]],
    );
}

#[test]
fn no_json() {
    check(
        &[
            "",
            " ",
            "{",
            r#"{"items":[{"value":1}]"#,
            r#"{"items":[{"value":1}]}}"#,
            r#"{"items":[{"value":1}]} {}"#,
            r#"{"items":[{"value":1},]}"#,
            r#"{"items":[],}"#,
            r#"{items:[]}"#,
            r#"{'items':[]}"#,
            r#"{"items":[{"value":01}]}"#,
            r#"{"items":[{"value":.5}]}"#,
            r#"{"items":[{"value":1.}]}"#,
            r#"{"items":[{"value":+1}]}"#,
            r#"{"items":[{"value":NaN}]}"#,
            r#"{"items":[]} // done"#,
            "\u{feff}{\"items\":[]}",
            "{\"items\":[],\"a\tb\":1}",
            "{\"items\":[],\"x\":\"a\tb\"}",
            r#"{"items":[],"x":"\x41"}"#,
            "{\"items\":[]}\0",
            "{\"items\":\u{a0}[]}",
        ],
        expect![[r#"
            ""
                error: the body is not JSON: EOF while parsing a value at line 1 column 0
            " "
                error: the body is not JSON: EOF while parsing a value at line 1 column 1
            {
                error: the body is not JSON: EOF while parsing an object at line 1 column 1
            {"items":[{"value":1}]
                error: the body is not JSON: EOF while parsing an object at line 1 column 22
            {"items":[{"value":1}]}}
                error: the body is not JSON: trailing characters at line 1 column 24
            {"items":[{"value":1}]} {}
                error: the body is not JSON: trailing characters at line 1 column 25
            {"items":[{"value":1},]}
                error: the body is not JSON: expected value at line 1 column 23
            {"items":[],}
                error: the body is not JSON: trailing comma at line 1 column 13
            {items:[]}
                error: the body is not JSON: key must be a string at line 1 column 2
            {'items':[]}
                error: the body is not JSON: key must be a string at line 1 column 2
            {"items":[{"value":01}]}
                error: the body is not JSON: invalid number at line 1 column 21
            {"items":[{"value":.5}]}
                error: the body is not JSON: expected value at line 1 column 20
            {"items":[{"value":1.}]}
                error: the body is not JSON: invalid number at line 1 column 22
            {"items":[{"value":+1}]}
                error: the body is not JSON: expected value at line 1 column 20
            {"items":[{"value":NaN}]}
                error: the body is not JSON: expected value at line 1 column 20
            {"items":[]} // done
                error: the body is not JSON: trailing characters at line 1 column 14
            "\u{feff}{\"items\":[]}"
                error: the body is not JSON: expected value at line 1 column 1
            "{\"items\":[],\"a\tb\":1}"
                error: the body is not JSON: control character (\u0000-\u001F) found while parsing a string at line 1 column 14
            "{\"items\":[],\"x\":\"a\tb\"}"
                error: the body is not JSON: control character (\u0000-\u001F) found while parsing a string at line 1 column 18
            {"items":[],"x":"\x41"}
                error: the body is not JSON: invalid escape at line 1 column 19
            "{\"items\":[]}\0"
                error: the body is not JSON: trailing characters at line 1 column 13
            "{\"items\":\u{a0}[]}"
                error: the body is not JSON: expected value at line 1 column 10
        "#]],
    );
}

#[test]
fn bytes_that_are_not_utf8() {
    for body in [
        &b"\xff"[..],
        b"{\"items\":[],\"x\":\"\xff\"}",
        b"{\"items\":[]}\xc3",
        b"{\"items\":[],\"x\":\"\xed\xa0\x80\"}",
    ] {
        assert_eq!(answer(body), "error: the body is not UTF-8");
    }
}
