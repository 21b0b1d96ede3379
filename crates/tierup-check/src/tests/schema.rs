//! `--json` is a contract: each report fits `check.schema.json`, a counterexample is as small as it gets, and its
//! identifier is the same in every run.

use serde_json::Value as Json;
use tierup_codegen::abi::Value;
use tierup_parity::{Call, Observation, Outcome, Seen};
use tierup_report::{Exporter as _, Json as AsJson};
use tierup_requests::{Context, Moment, Secrets, Templates};

use super::{functions::compare, half, project, write};
use crate::{Check, Counterexample, Only, Report, SCHEMA, counterexample::Pair, shown_value::Hiding};

/// Checks a value by the keywords that the schema uses. It refuses fields that the schema does not list, so that a new
/// field cannot be forgotten there.
fn problems(value: &Json, schema: &Json, root: &Json, at: &str, found: &mut Vec<String>) {
    const KNOWN: [&str; 17] = [
        "$ref", "type", "const", "enum", "anyOf", "required", "properties", "additionalProperties", "items",
        "minItems", "maxItems", "minimum", "pattern", "description", "title", "$schema", "$defs",
    ];
    let schema = match schema["$ref"].as_str() {
        Some(name) => root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name} is not there")),
        None => schema,
    };
    for keyword in schema.as_object().unwrap().keys() {
        assert!(KNOWN.contains(&keyword.as_str()), "this test does not know `{keyword}`");
    }
    let mut wrong = |what: &str| found.push(format!("{at}: {what}: {value}"));
    let is_of = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("the type {other}"),
    };
    if schema["type"].as_str().is_some_and(|name| !is_of(name)) {
        wrong("another type");
    }
    if !schema["const"].is_null() && schema["const"] != *value
        || schema["enum"].as_array().is_some_and(|all| !all.contains(value))
        || schema["minimum"].as_f64().is_some_and(|least| value.as_f64().is_none_or(|value| value < least))
    {
        wrong("another value");
    }
    if schema["pattern"].is_string() {
        assert_eq!(schema["pattern"], "^[0-9a-f]{16}$");
        let text = value.as_str().unwrap_or_default();
        if text.len() != 16 || !text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)) {
            wrong("no identifier");
        }
    }
    if let Some(all) = schema["anyOf"].as_array() {
        let fits = |one: &Json| {
            let mut found = Vec::new();
            problems(value, one, root, at, &mut found);
            found.is_empty()
        };
        if !all.iter().any(fits) {
            wrong("none of the alternatives");
        }
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap()).is_none() {
            wrong(&format!("{name} is missing"));
        }
    }
    if let Some(properties) = schema["properties"].as_object() {
        for (name, value) in value.as_object().into_iter().flatten() {
            match properties.get(name) {
                Some(schema) => problems(value, schema, root, &format!("{at}.{name}"), found),
                None => found.push(format!("{at}: {name} is not in the schema")),
            }
        }
    }
    if schema["additionalProperties"].is_object() {
        for (name, value) in value.as_object().into_iter().flatten() {
            problems(value, &schema["additionalProperties"], root, &format!("{at}.{name}"), found);
        }
    }
    for (number, value) in value.as_array().into_iter().flatten().enumerate() {
        if schema["items"].is_object() {
            problems(value, &schema["items"], root, &format!("{at}[{number}]"), found);
        }
    }
}

/// The report as a program reads it.
#[track_caller]
pub(super) fn read(report: &Report) -> Json {
    let json: Json = serde_json::from_str(&AsJson.export(report)).unwrap();
    let schema: Json = serde_json::from_str(SCHEMA).unwrap();
    let mut found = Vec::new();
    problems(&json, &schema, &schema, "$", &mut found);
    assert!(found.is_empty(), "{}", found.join("\n"));
    json
}

#[test]
fn what_does_not_fit_is_found() {
    let (_folder, loaded) = project("[\"echo\"]", "");
    let json = read(&compare(&half(Only::Functions), &loaded, &["0", "3:native=wrong"], &[]));
    let schema: Json = serde_json::from_str(SCHEMA).unwrap();
    let check = |change: fn(&mut Json), expected: &str| {
        let (mut json, mut found) = (json.clone(), Vec::new());
        change(&mut json);
        problems(&json, &schema, &schema, "$", &mut found);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
    };
    check(|json| json["format"] = 2.into(), "$.format: another value");
    check(|json| json["title"] = 1.into(), "$.title: another type");
    check(|json| json["new"] = 1.into(), "$: new is not in the schema");
    check(|json| json["parts"][0]["mismatches"][0]["id"] = "x".into(), "$.parts[0].mismatches[0].id: no identifier");
    check(|json| drop(json.as_object_mut().unwrap().remove("seed")), "$: \"seed\" is missing");
}

#[test]
fn a_counterexample_is_minimal_and_has_the_same_identifier_in_every_run() {
    let mut found = Vec::new();
    // Other folders, other long inputs and another seed end at the same smallest arguments.
    for (text, seed, row) in [("long, with an x in it", 1, "1:pool"), ("axb", 7, "3:native"), ("x", 8, "3:native")] {
        let (folder, loaded) = project("[\"echo\"]", "");
        write(folder.path(), &[("corpus/echo/long.txt", text)]);
        let check = Check { seed, cases: 0, ..half(Only::Functions) };
        let json = read(&compare(&check, &loaded, &["0", &format!("{row}=wrong")], &[]));
        let all = json["parts"][0]["mismatches"].as_array().unwrap();
        assert_eq!(all.len(), 1, "{all:?}");
        let fields = ["id", "function", "arguments", "expected", "got", "first_difference"];
        found.push(fields.map(|field| all[0][field].to_string()).join("\n"));
    }
    expect_test::expect![[r#"
        "05f691e44fd33e8e"
        "echo"
        [{"bytes":3,"name":"text","value":"x"}]
        {"outcome":"ok","value":"x"}
        {"outcome":"ok","value":"wrong"}
        {"candidate":"\"wrong\"","control":"\"x\"","note":"from byte 0; 5 bytes instead of 1","place":{"at":1,"kind":"line"}}"#]]
    .assert_eq(&found[0].replace(", differs from the same function called from Rust", ""));
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn an_error_a_panic_and_a_lost_call_are_told_apart() {
    let (_folder, loaded) = project("[\"echo\"]", "");
    for (does, outcome) in [("error", "error"), ("panic", "panic"), ("refused", "refused"), ("dies", "nothing")] {
        let json = read(&compare(&half(Only::Functions), &loaded, &["0", &format!("3:native={does}")], &[]));
        let first = &json["parts"][0]["mismatches"][0];
        assert_eq!(
            (&first["expected"]["outcome"], &first["got"]["outcome"]),
            (&"ok".into(), &outcome.into()),
            "{does}"
        );
        assert!(first["got"]["text"].is_string(), "{first}");
        assert_eq!(first["first_difference"].is_null(), does == "dies", "{first}");
    }
}

#[test]
fn coverage_counts_the_calls_of_each_shape() {
    let (folder, loaded) = project("[\"echo\", \"pair\"]", "");
    write(folder.path(), &[("corpus/echo/one.txt", "ä")]);
    let json = read(&compare(&half(Only::Functions), &loaded, &["0", "3:native"], &[]));
    let coverage = json["parts"][0]["coverage"].as_array().unwrap();
    let shapes = |function: usize| {
        let shapes = coverage[function]["shapes"].as_array().unwrap().iter();
        let shown =
            |one: &Json| format!("{} {} {}", one["at"].as_str().unwrap(), one["shape"].as_str().unwrap(), one["seen"]);
        shapes.map(shown).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(shapes(0), "text empty 0, text ASCII 0, text beyond ASCII 1, text long 0");
    let pair = "number zero 0, number whole 0, number fraction 0, number negative 0, number not finite 0, \
                bytes empty 0, bytes UTF-8 0, bytes not UTF-8 0, bytes long 0";
    assert_eq!(shapes(1), pair);
    // Edge values reach every shape.
    assert_eq!([&coverage[0], &coverage[1]].map(|one| one["reached"].as_u64().unwrap()), [4, 9]);
    assert!(coverage[0]["calls"].as_u64().unwrap() > 20);
}

#[test]
fn a_secret_is_in_no_counterexample() {
    let (_folder, loaded) = project("[\"echo\", \"pair\"]", "");
    let interface = &loaded.project.interface;
    let text = "GET /\nAuthorization: Bearer s3cret-literal\n";
    let now = Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };
    let requests = Templates::parse("requests.http", text).unwrap().expand(1, 0, &Context::new(now)).unwrap().requests;
    let secrets = Secrets::collect(&requests);
    let function = &interface.functions[0];
    let answer = |text: &str| {
        let value = Outcome::Ok(Some(Value::Text(text.to_owned())));
        Observation::new(Seen::Call(Call::new(value, &function.output, interface)))
    };
    let of = |function: usize, arguments: &[Value]| {
        let pair =
            Pair { expected: &answer("a s3cret-literal"), got: &answer("s3cret-literal b"), first_difference: None };
        let function = &interface.functions[function];
        let found = Counterexample::of_call(function, interface, arguments, pair, &Hiding::known(&secrets));
        serde_json::to_string(&found).unwrap()
    };
    let found = of(0, &[Value::Text("the s3cret-literal".to_owned())]);
    assert!(!found.contains("s3cret") && found.contains("the (masked)") && found.contains("(masked) b"), "{found}");
    // Bytes that are not text are shown in hexadecimal, in which nobody would find a secret any more.
    let found = of(1, &[Value::F64(1.0), Value::Bytes(b"\xffs3cret-literal".to_vec())]);
    let hexadecimal: String = b"s3cret".iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(found.contains("hex:ff") && !found.contains(&hexadecimal), "{found}");
}
