//! Tests reading and writing by the generated JSON crate. Its `types.rs` is the one that `golden.rs` keeps, compiled
//! into this test, so that it needs no build of its own.

#![allow(dead_code, unreachable_pub, reason = "what is generated is a crate of its own")]

// The generated code names the user's crate, which is this test here.
extern crate self as sample;

#[path = "../templates/json/base64.rs"]
mod base64;
#[path = "../templates/json/case.rs"]
mod case;
#[path = "../templates/json/keys.rs"]
mod keys;
#[path = "../templates/json/problem.rs"]
mod problem;
#[path = "../templates/json/read.rs"]
mod read;
#[path = "../templates/json/reader.rs"]
mod reader;
#[path = "sample/lib.rs"]
mod sample_crate;
#[path = "../templates/json/text.rs"]
mod text;
// Kept as it was generated.
#[rustfmt::skip]
#[path = "golden/json/types.rs"]
mod types;
#[path = "../templates/json/write.rs"]
mod write;

use expect_test::{Expect, expect};
use keys::Keys;
use read::FromJson;
pub use sample_crate::*;
use write::ToJson;

fn parse<T: FromJson>(text: &str) -> Result<T, String> {
    read::parse(text, Keys::SnakeCase)
}

fn to_string<T: ToJson + ?Sized>(value: &T) -> String {
    write::to_string(value, Keys::SnakeCase)
}

/// Reads `text` and writes it again.
fn check<T: FromJson + ToJson>(text: &str, expected: Expect) {
    let answer = parse::<T>(text).map_or_else(|problem| format!("error: {problem}"), |value| to_string(&value));
    expected.assert_eq(&answer);
}

#[test]
fn numbers_are_exact() {
    check::<u64>("18446744073709551615", expect!["18446744073709551615"]);
    check::<i64>("-9223372036854775808", expect!["-9223372036854775808"]);
    check::<u64>(
        "18446744073709551616",
        expect!["error: expected a whole number from 0 to 18446744073709551615, not 18446744073709551616"],
    );
    check::<u8>("1.0", expect!["error: expected a whole number from 0 to 255, not 1.0"]);
    check::<u8>("256", expect!["error: expected a whole number from 0 to 255, not 256"]);
    check::<i8>("-0", expect!["0"]);
    check::<f64>("0.1", expect!["0.1"]);
    check::<f64>("-0", expect!["0"]);
    check::<f64>("1E2", expect!["100"]);
    check::<f64>("5e-324", expect!["5e-324"]);
    check::<f64>("1e400", expect!["error: 1e400 is too large for f64"]);
    check::<f32>("16777217", expect!["16777216"]);
    check::<f64>("NaN", expect![[r#"error: expected a number, not "N", at line 1, column 1"#]]);
    expect!["null"].assert_eq(&to_string(&f64::NAN));
}

#[test]
fn syntax_is_that_of_the_standard() {
    check::<Vec<u64>>(" [ 1 ,\n2 ] ", expect!["[1,2]"]);
    check::<Vec<u64>>("[1,2", expect!["error: expected `,` or `]`, not the end, at line 1, column 5"]);
    check::<Vec<u64>>(
        "[1,]",
        expect![[
            r#"error: [1]: expected a whole number from 0 to 18446744073709551615, not "]", at line 1, column 4"#
        ]],
    );
    check::<Vec<u64>>(
        "[,1]",
        expect![[
            r#"error: [0]: expected a whole number from 0 to 18446744073709551615, not ",", at line 1, column 2"#
        ]],
    );
    check::<Vec<u64>>("[1]]", expect![[r#"error: expected the end, not "]", at line 1, column 4"#]]);
    check::<f64>("01", expect![[r#"error: expected the end, not "1", at line 1, column 2"#]]);
    check::<f64>("1.", expect!["error: expected a digit, not the end, at line 1, column 3"]);
    check::<f64>(".5", expect![[r#"error: expected a number, not ".", at line 1, column 1"#]]);
    check::<f64>("+1", expect![[r#"error: expected a number, not "+", at line 1, column 1"#]]);
    check::<bool>("nul", expect![[r#"error: expected true or false, not "n", at line 1, column 1"#]]);
    check::<bool>("", expect!["error: expected true or false, not the end, at line 1, column 1"]);
    check::<String>(r#""a\"\\\/\b\f\n\r\t\u0041\ud83d\ude00é""#, expect![[r#""a\"\\/\b\f\n\r\tA😀é""#]]);
    check::<String>(r#""\u0000\u001f""#, expect![[r#""\u0000\u001f""#]]);
    check::<String>(r#""\ud83d""#, expect!["error: \\ud83d is half of a pair, not a character"]);
    check::<String>(r#""\ud83dA""#, expect!["error: \\ud83d is half of a pair, not a character"]);
    check::<String>(
        r#""\u12é4""#,
        expect![[r#"error: expected four hexadecimal digits, not "1", at line 1, column 4"#]],
    );
    check::<String>(
        "\"a\nb\"",
        expect![[r#"error: expected a quote that ends the text, not "\n", at line 1, column 3"#]],
    );
    check::<String>("\"\\", expect!["error: expected an escaped character, not the end, at line 1, column 3"]);
}

#[test]
fn bytes_are_base64() {
    check::<Vec<u8>>(r#""""#, expect![[r#""""#]]);
    check::<Vec<u8>>(r#""/+8=""#, expect![[r#""/+8=""#]]);
    check::<Vec<u8>>(r#""AQ==""#, expect![[r#""AQ==""#]]);
    check::<Vec<u8>>(r#""AQID""#, expect![[r#""AQID""#]]);
    check::<Vec<u8>>(r#""AQ""#, expect!["error: the length of text in base64 must be a multiple of 4"]);
    check::<Vec<u8>>(r#""A===""#, expect!["error: text in base64 ends in at most two `=`"]);
    check::<Vec<u8>>(r#""AR==""#, expect!["error: text in base64 has bits that belong to no byte"]);
    check::<Vec<u8>>(r#""A-_D""#, expect!["error: expected digits of base64: A-Z, a-z, 0-9, `+` and `/`"]);
    check::<Vec<u8>>("[1,2]", expect!["error: expected bytes as text in base64, not a list"]);
    let all: Vec<u8> = (0..=255).collect();
    assert_eq!(parse::<Vec<u8>>(&to_string(&all)), Ok(all));
}

#[test]
fn records_are_strict() {
    const ITEM: &str = r#""id":1,"value":2,"type":"Red","data":"AQ==","ratio":0.1"#;
    check::<Item>(
        &format!("{{{ITEM}}}"),
        expect![[r#"{"id":1,"value":2,"type":"Red","note":null,"data":"AQ==","ratio":0.10000000149011612}"#]],
    );
    check::<Item>(
        &format!("{{{ITEM},\"x\":1}}"),
        expect![[r#"error: unknown field "x"; expected "id", "value", "type", "note", "data", "ratio""#]],
    );
    check::<Item>(&format!("{{{ITEM},\"id\":1}}"), expect![[r#"error: field "id" is given twice"#]]);
    check::<Item>(r#"{"id":1}"#, expect![[r#"error: field "value" is missing"#]]);
    check::<Item>("null", expect!["error: expected an object, not null"]);
    check::<Item>(r#"{"type":"Blue"}"#, expect![[r#"error: type: unknown case "Blue"; expected "Red", "DarkBlue""#]]);
    check::<Order>(
        r#"{"items":[{"id":1,"value":"x"}]}"#,
        expect![[r#"error: items[0].value: expected a whole number from 0 to 255, not "x""#]],
    );
    check::<Order>(
        r#"{"items":[],"shapes":{"b":{"type":"Point"},"a":{"type":"Circle","value":1}},"counts":{"z":1,"a":-1}}"#,
        expect![[
            r#"{"items":[],"counts":{"a":-1,"z":1},"shapes":{"a":{"type":"Circle","value":1},"b":{"type":"Point"}},"due_date":null}"#
        ]],
    );
    check::<Order>(r#"{"counts":{"a":1,"\u0061":2}}"#, expect![[r#"error: counts["a"]: the key is given twice"#]]);
}

#[test]
fn cases_carry_values() {
    check::<Shape>(r#"{"type":"Point"}"#, expect![[r#"{"type":"Point"}"#]]);
    check::<Shape>(r#"{"value":1.5,"type":"Circle"}"#, expect![[r#"{"type":"Circle","value":1.5}"#]]);
    check::<Shape>(r#"{"type":"Line","value":[-1,null]}"#, expect![[r#"{"type":"Line","value":[-1,null]}"#]]);
    check::<Shape>(
        r#"{"type":"Box","value":{"width":1,"type":"DarkBlue"}}"#,
        expect![[r#"{"type":"Box","value":{"width":1,"type":"DarkBlue","line_width":null}}"#]],
    );
    check::<Shape>(r#"{"type":"Point","value":null}"#, expect![[r#"error: this case has no "value""#]]);
    check::<Shape>(r#"{"type":"Circle"}"#, expect![[r#"error: field "value" is missing"#]]);
    check::<Shape>(r#"{"type":"Circle","value":true}"#, expect!["error: value: expected a number, not true"]);
    check::<Shape>(r#"{"type":"Line","value":[1]}"#, expect!["error: value: there are only 1 values"]);
    check::<Shape>(r#"{"type":"Line","value":[1,null,2]}"#, expect!["error: value: expected only 2 values"]);
    check::<Shape>(r#"{"type":"Line","value":[1,2]}"#, expect!["error: value[1]: expected text, not 2"]);
    check::<Shape>(r#"{"type":"Box","value":{"width":1}}"#, expect![[r#"error: value: field "type" is missing"#]]);
    check::<Shape>(
        r#"{"type":"Cube"}"#,
        expect![[r#"error: unknown case "Cube"; expected "Point", "Circle", "Line", "Box""#]],
    );
    check::<Shape>(r#"{"type":1}"#, expect!["error: type: expected text, not 1"]);
    check::<Shape>(r#""Point""#, expect![[r#"error: expected an object, not "Point""#]]);
}

#[test]
fn hostile_texts_are_refused_cheaply() {
    let deep = "[".repeat(100_000);
    check::<Vec<Vec<u64>>>(
        &deep,
        expect!["error: [0][0]: expected a whole number from 0 to 18446744073709551615, not a list"],
    );
    check::<Shape>(&format!("{{\"value\":{deep}"), expect!["error: value[0][0][0][0][0][0][0]…: nested too deeply"]);
    let long = "9".repeat(1_000_000);
    check::<u8>(
        &long,
        expect!["error: expected a whole number from 0 to 255, not 9999999999999999999999999999999999999999…"],
    );
}

/// A value as any JSON library of the day reads and writes it.
#[test]
fn values_survive() {
    let order = Order {
        items: vec![Item {
            id: u64::MAX,
            value: 255,
            r#type: Color::DarkBlue,
            note: Some("Grüße \u{1f600} \u{7f}\u{1}".into()),
            data: vec![0, 255],
            ratio: f32::MIN_POSITIVE,
        }],
        counts: [("ключ".to_owned(), i64::MIN)].into(),
        shapes: [("\"".to_owned(), Shape::Line(i64::MAX, None))].into(),
        due_date: Some(String::new()),
    };
    assert_eq!(parse(&to_string(&order)), Ok(order));
}

#[test]
fn numbers_are_written_as_javascript_writes_them() {
    // The output of node's `JSON.stringify` for each.
    let numbers = [
        (4.0, "4"),
        (-4.5, "-4.5"),
        (-0.0, "0"),
        (1e20, "100000000000000000000"),
        (999_999_999_999_999_900_000.0, "999999999999999900000"),
        (1e21, "1e+21"),
        (-1.5e300, "-1.5e+300"),
        (0.000_001, "0.000001"),
        (0.000_001_5, "0.0000015"),
        (0.000_000_999, "9.99e-7"),
        (1e-7, "1e-7"),
        (5e-324, "5e-324"),
        (f64::MAX, "1.7976931348623157e+308"),
        (0.1 + 0.2, "0.30000000000000004"),
        (9_007_199_254_740_993.0, "9007199254740992"),
        (f64::INFINITY, "null"),
    ];
    for (number, expected) in numbers {
        assert_eq!(to_string(&number), expected);
    }
    // JavaScript has no f32: it gets the f64 of the same value, and so does any other reader.
    assert_eq!(to_string(&0.1_f32), "0.10000000149011612");
    assert_eq!(parse::<f32>("0.10000000149011612"), Ok(0.1));
}

#[test]
fn keys_are_camel_case_where_asked() {
    let check = |text: &str, expected: Expect| {
        let order = read::parse::<Order>(text, Keys::CamelCase);
        let answer = order.map(|order| write::to_string(&order, Keys::CamelCase));
        expected.assert_eq(&answer.unwrap_or_else(|problem| format!("error: {problem}")));
    };
    check(
        r#"{"items":[],"counts":{"a_b":1},"dueDate":"1 May","shapes":{"a_b":{"type":"Box","value":{"lineWidth":2,"width":1,"type":"DarkBlue"}}}}"#,
        expect![[
            r#"{"items":[],"counts":{"a_b":1},"shapes":{"a_b":{"type":"Box","value":{"width":1,"type":"DarkBlue","lineWidth":2}}},"dueDate":"1 May"}"#
        ]],
    );
    check(
        r#"{"due_date":"1 May"}"#,
        expect![[r#"error: unknown field "due_date"; expected "items", "counts", "shapes", "dueDate""#]],
    );
    check(r#"{"dueDate":"1 May","dueDate":"2 May"}"#, expect![[r#"error: field "dueDate" is given twice"#]]);
    check(
        r#"{"shapes":{"a_b":{"type":"Box","value":{"lineWidth":-1}}}}"#,
        expect![[r#"error: shapes["a_b"].value.lineWidth: expected a whole number from 0 to 255, not -1"#]],
    );
}
