//! JSON bodies compared by rules: control, candidate, rules in; one line for each difference out.

use expect_test::{Expect, expect};
use tierup_parity::{Comparator, DuplicateKeys, JsonRules, Numbers, Path, Tolerance};

fn paths(paths: &[&str]) -> Vec<Path> {
    paths.iter().map(|path| path.parse().expect("a path")).collect()
}

fn differences(control: &str, candidate: &str, rules: &JsonRules) -> String {
    let found = Comparator::Json(rules.clone()).differences(control.as_bytes(), candidate.as_bytes());
    assert_eq!(found.left_out, 0);
    found.list.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn same(control: &str, candidate: &str, rules: &JsonRules) {
    assert_eq!(differences(control, candidate, rules), "");
    assert_eq!(differences(candidate, control, rules), "");
}

fn check(control: &str, candidate: &str, rules: &JsonRules, expected: Expect) {
    expected.assert_eq(&differences(control, candidate, rules));
    assert_ne!(differences(candidate, control, rules), "", "the other way round");
}

#[test]
fn differences_that_never_count() {
    let rules = JsonRules::default();
    same(r#"{"a":1,"b":[true,null]}"#, "\r\n{ \"b\": [ true,\tnull ], \"a\": 1 }\n", &rules);
    same(r#""\u00e4\ud83d\ude00\/\n\u0041""#, "\"ä😀/\\u000aA\"", &rules);
    same(r#"{"\u0061":1}"#, r#"{"a":1}"#, &rules);
    same(r#""\ud800""#, r#""\uD800""#, &rules);
}

#[test]
fn differences_that_count() {
    let rules = JsonRules::default();
    check(
        "[1,2]",
        "[2,1]",
        &rules,
        expect![[r#"
        $[0]: 2 instead of 1
        $[1]: 1 instead of 2"#]],
    );
    check(
        r#"{"a":{"b c":[1]}}"#,
        r#"{"a":{"b c":[1,"x"]}}"#,
        &rules,
        expect![[r#"$.a['b c'][1]: "x" instead of nothing"#]],
    );
    check(r#"{"a":null}"#, "{}", &rules, expect!["$.a: nothing instead of null"]);
    check("{}", "[]", &rules, expect!["$: [] instead of {}"]);
    check("1", r#""1""#, &rules, expect![[r#"$: "1" instead of 1"#]]);
    check(r#""e\u0301""#, r#""\u00e9""#, &rules, expect![[r#"$: "é" instead of "é" (U+00E9 instead of U+0065)"#]]);
    check(r#""\ud800""#, r#""\ufffd""#, &rules, expect![[r#"$: "�" instead of "\ud800" (U+FFFD instead of U+D800)"#]]);
    check(
        r#""\ud800""#,
        r#""\ud801""#,
        &rules,
        expect![[r#"$: "\ud801" instead of "\ud800" (U+D801 instead of U+D800)"#]],
    );
}

#[test]
fn a_long_text_is_shown_where_it_differs() {
    let long = |end: &str| format!("\"{}{end}\"", "é".repeat(5000));
    check(
        &long("a"),
        &long("b"),
        &JsonRules::default(),
        expect![[r#"$: …"ééééééééééééééééééééb" instead of …"ééééééééééééééééééééa""#]],
    );
    check(
        &long(""),
        &long("€"),
        &JsonRules::default(),
        expect![[r#"$: …"éééééééééééééééééééé€" instead of …"éééééééééééééééééééé" (U+20AC instead of the end)"#]],
    );
}

#[test]
fn numbers() {
    let exact = JsonRules::default();
    let value = JsonRules { numbers: Numbers::Value, ..exact.clone() };
    for (one, other) in [("1.0", "1"), ("1e3", "1000"), ("-0", "0"), ("0.10", "1E-1"), ("1e400", "10e399")] {
        assert_eq!(
            differences(one, other, &exact),
            format!("$: {other} instead of {one} (the same value, written differently)")
        );
        same(one, other, &value);
    }
    let long = ("12345678901234567890123", "12345678901234567890124");
    check(long.0, long.1, &value, expect!["$: 12345678901234567890124 instead of 12345678901234567890123"]);
    check("9007199254740993", "9007199254740992", &value, expect!["$: 9007199254740992 instead of 9007199254740993"]);
    check("1", "-1", &value, expect!["$: -1 instead of 1"]);
}

#[test]
fn tolerances() {
    let nine_digits = Tolerance { absolute: 0.0, relative: 1e-9 };
    let rules = JsonRules { tolerance: Some(nine_digits), ..JsonRules::default() };
    same("0.1414213562373095", "0.14142135623730953", &rules);
    same("4", "4.0000000001", &rules);
    check("1.0", "1.1", &rules, expect!["$: 1.1 instead of 1.0"]);
    check(
        "12345678901234567890123",
        "12345678901234567890124",
        &rules,
        expect!["$: 12345678901234567890124 instead of 12345678901234567890123"],
    );
    check("1e400", "1e401", &rules, expect!["$: 1e401 instead of 1e400"]);

    let at_path = vec![("$..count".parse().unwrap(), Tolerance { absolute: 2.0, relative: 0.0 })];
    let rules = JsonRules { tolerances: at_path, ..rules };
    same(r#"{"a":{"count":5}}"#, r#"{"a":{"count":7}}"#, &rules);
    check(r#"{"count":5}"#, r#"{"count":8}"#, &rules, expect!["$.count: 8 instead of 5"]);
    check(r#"{"other":5}"#, r#"{"other":6}"#, &rules, expect!["$.other: 6 instead of 5"]);
}

#[test]
fn ignored() {
    let rules = JsonRules { ignore: paths(&["$.items[*].id", "$..time"]), ..JsonRules::default() };
    same(r#"{"items":[{"id":1,"v":1},{"v":2}],"time":1}"#, r#"{"items":[{"id":2,"v":1},{"id":{},"v":2}]}"#, &rules);
    check(
        r#"{"items":[{"id":1,"v":1}],"id":3}"#,
        r#"{"items":[{"id":2,"v":2}],"id":4}"#,
        &rules,
        expect![[r#"
        $.id: 4 instead of 3
        $.items[0].v: 2 instead of 1"#]],
    );
}

#[test]
fn unordered() {
    let rules = JsonRules { unordered: paths(&["$", "$[*].tags"]), ..JsonRules::default() };
    same(r#"[1,{"tags":["a","b"]},1]"#, r#"[{"tags":["b","a"]},1,1]"#, &rules);
    check("[1,1,2]", "[1,2,2]", &rules, expect!["$[1]: 2 instead of 1"]);
    check(
        r#"[{"id":1,"v":1},{"id":2,"v":2}]"#,
        r#"[{"v":2,"id":2},{"v":9,"id":1}]"#,
        &rules,
        expect!["$[0].v: 9 instead of 1"],
    );
    check(
        "[1,2,3]",
        "[3]",
        &rules,
        expect![[r#"
        $[0]: nothing instead of 1 (missing in the candidate's array)
        $[1]: nothing instead of 2 (missing in the candidate's array)"#]],
    );
    check(
        r#"[{"other":["a","b"]}]"#,
        r#"[{"other":["b","a"]}]"#,
        &rules,
        expect![[r#"
        $[0].other[0]: "b" instead of "a"
        $[0].other[1]: "a" instead of "b""#]],
    );

    let ignoring = JsonRules { ignore: paths(&["$[*].id"]), ..rules.clone() };
    same(r#"[{"id":1,"v":1},{"id":2,"v":2}]"#, r#"[{"v":2,"id":3},{"v":1}]"#, &ignoring);
    let values = JsonRules { numbers: Numbers::Value, ..rules.clone() };
    same("[1.0,2]", "[2.0,1]", &values);
}

#[test]
fn unordered_within_tolerance_finds_the_pairing_that_works() {
    let tolerance = Some(Tolerance { absolute: 1.0, relative: 0.0 });
    let rules = JsonRules { unordered: paths(&["$"]), tolerance, ..JsonRules::default() };
    // 2.0 equals 2.0, but this pair would leave 1.0 and 3.0, which are not alike.
    same("[1.0,2.0]", "[2.0,3.0]", &rules);
    same("[1.0,2.0,3.0]", "[3.5,1.5,2.5]", &rules);
    check(
        "[1.0,2.0]",
        "[2.5,3.5]",
        &rules,
        expect![[r#"
        $[0]: nothing instead of 1.0 (missing in the candidate's array)
        $[1]: nothing instead of 2.0 (missing in the candidate's array)
        $[0]: 2.5 instead of nothing (missing in the control's array)
        $[1]: 3.5 instead of nothing (missing in the control's array)"#]],
    );
}

#[test]
fn nested_unordered_arrays_are_compared_quickly() {
    let nest = |inside: &str| format!("{}{inside}{}", "[1.0,".repeat(200), "]".repeat(200));
    let tolerance = Some(Tolerance { absolute: 0.5, relative: 0.0 });
    let rules = JsonRules { unordered: paths(&["$", "$..*"]), tolerance, ..JsonRules::default() };
    same(&nest("2.0"), &nest("2.25"), &rules);
    let found = differences(&nest("2.0"), &nest("3.0"), &rules);
    assert!(found.ends_with("[1]: 3.0 instead of 2.0"), "{found}");
}

#[test]
fn a_large_array_deep_in_unordered_ones_is_compared_quickly() {
    let nest = |last: &str| format!("{}{}{last}{}", r#"{"x":["#.repeat(250), "1,".repeat(1_000), "]}".repeat(250));
    let rules = JsonRules { unordered: paths(&["$..x"]), ignore: paths(&["$..id"]), ..JsonRules::default() };
    let found = differences(&nest("2"), &nest("3"), &rules);
    assert!(found.ends_with("[1000]: 3 instead of 2"), "{found}");
}

#[test]
fn doubled_keys() {
    let refuse = JsonRules::default();
    let last = JsonRules { duplicate_keys: DuplicateKeys::Last, ..refuse.clone() };
    let doubled = r#"{"a":1,"a":2}"#;
    same(doubled, doubled, &refuse);
    check(r#"{"a":2}"#, doubled, &refuse, expect!["$.a: 1 and 2 instead of 2 (the key appears twice instead of once)"]);
    check(
        doubled,
        r#"{"a":1, "a":2}"#,
        &refuse,
        expect!["$.a: 1 and 2 instead of 1 and 2 (the key appears twice instead of twice)"],
    );
    same(r#"{"a":2}"#, doubled, &last);
    check(r#"{"a":1}"#, doubled, &last, expect!["$.a: 2 instead of 1"]);
    let ignoring = JsonRules { ignore: paths(&["$.a"]), ..refuse.clone() };
    same("{}", doubled, &ignoring);
    let unordered = JsonRules { unordered: paths(&["$"]), ..refuse };
    check(
        r#"[{"a":1,"a":2},3]"#,
        r#"[3,{"a":2}]"#,
        &unordered,
        expect!["$[0].a: 2 instead of 1 and 2 (the key appears once instead of twice)"],
    );
}

#[test]
fn texts_that_are_not_json() {
    let rules = JsonRules::default();
    check("{}", "<html>", &rules, expect!["body: no JSON: '<' instead of a value at byte 0 instead of JSON"]);
    check(
        "one\ntwo",
        "one\n2",
        &rules,
        expect![[
            r#"line 2: "2" instead of "two" (neither body was compared as JSON: 'o' instead of a value at byte 0)"#
        ]],
    );
    let deep = |levels: usize, inside: &str| format!("{}{inside}{}", "[".repeat(levels), "]".repeat(levels));
    same(&deep(512, "1"), &deep(512, " 1"), &rules);
    same(&deep(100_000, "1"), &deep(100_000, "1"), &rules);
    check(
        &deep(1, "1"),
        &deep(100_000, "1"),
        &rules,
        expect!["body: no JSON: nested deeper than 512 levels at byte 512 instead of JSON"],
    );
}

#[test]
fn deep_values_fit_a_small_stack() {
    // A thread's stack is 2 MiB by default, and tests are built without optimization.
    let nest = |inside: &str| format!("{}{inside}{}", r#"{"a":["#.repeat(256), "]}".repeat(256));
    let rules = JsonRules { unordered: paths(&["$..*"]), numbers: Numbers::Value, ..JsonRules::default() };
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let compare = move || {
        same(&nest("1.0"), &nest("1"), &rules);
        differences(&nest("1"), &nest("2"), &rules)
    };
    let found = thread.spawn(compare).unwrap().join().unwrap();
    assert!(found.starts_with("$.a[0].a[0].a[0]") && found.ends_with(": 2 instead of 1"), "{found}");
}

#[test]
fn a_huge_body_is_compared_and_its_differences_are_counted() {
    let list = |last: &str| format!("[{}{last}]", "1,".repeat(200_000));
    let rules = JsonRules { ignore: paths(&["$[*].id"]), ..JsonRules::default() };
    check(&list("2"), &list("3"), &rules, expect!["$[200000]: 3 instead of 2"]);
    let other = list("2").replace('1', "4");
    let found = Comparator::Json(rules).differences(list("2").as_bytes(), other.as_bytes());
    assert_eq!((found.list.len(), found.left_out), (1000, 199_000));
}
