//! The reader on `json-cases/`: it reads every valid text, refuses every invalid one, and treats cases that JSON leaves
//! open as decided. `serde_json` reads the same files, so that a wrong case is found too.

use std::collections::BTreeMap;
use std::path::Path;

use expect_test::expect;
use tierup_parity::json;

/// Names without `.json`, and contents.
fn cases() -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("json-cases");
    let files = std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    let cases = files.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    let case = |path: std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read(path).expect("a file that can be read"))
    };
    cases.map(case).collect()
}

#[test]
fn valid_texts_are_read_and_invalid_ones_are_not() {
    let cases = cases();
    let count = |start: &str| cases.keys().filter(|name| name.starts_with(start)).count();
    assert!(count("y_") >= 50 && count("n_") >= 100 && count("i_") >= 30, "cases are missing");
    for (name, content) in &cases {
        let by_serde = serde_json::from_slice::<serde_json::Value>(content);
        match name.split_once('_').unwrap().0 {
            "y" => {
                assert!(json::read(content).is_ok(), "{name}: {:?}", json::read(content));
                assert!(by_serde.is_ok(), "{name}: {by_serde:?}");
            }
            "n" => assert!(json::read(content).is_err() && by_serde.is_err(), "{name}"),
            "i" => {}
            other => panic!("{name}: a case starts with y_, n_ or i_, not {other}"),
        }
    }
}

#[test]
fn a_valid_text_keeps_its_meaning_when_written() {
    for (name, content) in cases().iter().filter(|(name, _)| name.starts_with("y_")) {
        let value = json::read(content).unwrap();
        for written in [value.compact(), value.pretty()] {
            assert_eq!(json::read(written.as_bytes()).unwrap().compact(), value.compact(), "{name}");
            let [one, other] = [content, written.as_bytes()].map(serde_json::from_slice::<serde_json::Value>);
            assert_eq!(one.unwrap(), other.unwrap(), "{name}");
        }
    }
}

#[test]
fn cases_that_json_leaves_open_are_decided() {
    let decided = cases().into_iter().filter(|(name, _)| name.starts_with("i_")).map(|(name, content)| {
        let decision = match json::read(&content) {
            Ok(value) => value.compact().chars().take(40).collect(),
            Err(why) => format!("refused: {why}"),
        };
        format!("{name}: {decision}\n")
    });
    expect![[r#"
        i_array_10000_deep: refused: nested deeper than 512 levels at byte 512
        i_array_501_deep: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
        i_byte_order_mark: refused: a byte order mark at byte 0
        i_byte_order_mark_only: refused: a byte order mark at byte 0
        i_number_1000_decimals: 0.11111111111111111111111111111111111111
        i_number_1000_digits: 1111111111111111111111111111111111111111
        i_number_23_digits: 12345678901234567890123
        i_number_2_to_53_and_one: 9007199254740993
        i_number_below_f64: 1e-400
        i_number_beyond_f64: 1e400
        i_number_beyond_f64_negative: -1e400
        i_number_exponent_of_20_digits: 1e99999999999999999999
        i_number_u64_max_and_one: 18446744073709551616
        i_object_10000_deep: refused: nested deeper than 512 levels at byte 2560
        i_object_doubled_key: {"a":1,"a":2}
        i_object_doubled_key_by_escape: {"a":1,"a":2}
        i_object_doubled_key_same_value: {"a":1,"a":1}
        i_object_key_lone_surrogate: {"\ud800":1}
        i_object_key_not_utf8: refused: not UTF-8 at byte 2
        i_string_high_then_not_low: "\ud800A"
        i_string_latin1: refused: not UTF-8 at byte 1
        i_string_lone_high: "\ud800"
        i_string_lone_high_then_escape: "\ud800\n"
        i_string_lone_high_then_text: "\ud800abc"
        i_string_lone_low: "\udc00"
        i_string_not_utf8: refused: not UTF-8 at byte 1
        i_string_pair_reversed: "\ude00\ud83d"
        i_string_two_highs: "\ud800\ud800"
        i_string_utf8_beyond: refused: not UTF-8 at byte 1
        i_string_utf8_continuation_alone: refused: not UTF-8 at byte 1
        i_string_utf8_cut: refused: not UTF-8 at byte 1
        i_string_utf8_overlong: refused: not UTF-8 at byte 1
        i_string_utf8_surrogate: refused: not UTF-8 at byte 1
        i_utf16_be: refused: '\0' instead of a value at byte 0
        i_utf16_le: refused: '\0' instead of a value at byte 1
        i_utf16_with_mark: refused: not UTF-8 at byte 0
        i_utf32_le: refused: '\0' instead of a value at byte 1
    "#]]
    .assert_eq(&decided.collect::<String>());
}
