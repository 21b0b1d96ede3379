//! Compares answers and calls, and finds the noise between two answers of the control.

use expect_test::{Expect, expect};
use tierup_codegen::abi::Value;
use tierup_model::{Definition, DefinitionKind, Field, Interface, Output, Type};
use tierup_parity::{
    Answer, Call, Comparator, DownstreamCall, ErrorBodies, Finding, JsonRules, Noise, Observation, Outcome, Policy,
    Seen, Silence, compare, diff, wants_meaning,
};

fn answer(status: u16, content_type: &str, body: &str) -> Observation {
    let content_type = (!content_type.is_empty()).then(|| content_type.to_owned());
    let answer = Answer { status, content_type, body: body.into(), ..Answer::default() };
    Observation::new(Seen::Answer(answer))
}

fn json() -> Policy {
    Policy { bodies: Comparator::Json(JsonRules::default()), ..Policy::default() }
}

fn check(control: &Observation, candidate: &Observation, policy: &Policy, expected: Expect) {
    let found = match compare(control, candidate, policy) {
        Finding::Mismatch(found) => found.list.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        other => format!("{other:?}"),
    };
    expected.assert_eq(&found);
}

#[test]
fn answers() {
    let exact = Policy::default();
    let good = answer(200, "text/plain", "a");
    check(&good, &answer(200, "text/plain; charset=utf-8", "a"), &exact, expect!["Same"]);
    check(&good, &answer(201, "text/plain", "b"), &exact, expect!["status: 201 instead of 200"]);
    check(&good, &answer(200, "", "a"), &exact, expect!["content type: nothing instead of text/plain"]);
    check(
        &good,
        &answer(200, "text/plain", "b"),
        &exact,
        expect![[r#"line 1: "b" instead of "a" (from byte 0; 1 bytes instead of 1)"#]],
    );
    let status = Policy { bodies: Comparator::Status, ..exact.clone() };
    check(&good, &answer(200, "text/plain", "b"), &status, expect!["Same"]);
    check(&answer(200, "a/b", r#"{"a":1}"#), &answer(200, "a/b", r#"{ "a": 1 }"#), &json(), expect!["Same"]);
}

#[test]
fn calls_to_others_belong_to_an_answer() {
    let with = |bodies: &[&str]| {
        let call = |body: &&str| DownstreamCall {
            method: "POST".into(),
            target: "/store".into(),
            content_type: Some("application/json".into()),
            body: body.as_bytes().to_vec(),
        };
        Observation { downstream: bodies.iter().map(call).collect(), ..answer(200, "", "a") }
    };
    let good = with(&[r#"{"total":40}"#]);
    check(&good, &with(&[r#"{ "total": 40 }"#]), &json(), expect!["Same"]);
    check(
        &good,
        &with(&[]),
        &json(),
        expect![[r#"downstream call 1: nothing instead of POST /store {"total":40} (a call is missing)"#]],
    );
    check(
        &good,
        &with(&[r#"{"total":40}"#, r#"{"total":40}"#]),
        &json(),
        expect![[r#"downstream call 2: POST /store {"total":40} instead of nothing (an extra call)"#]],
    );
    check(&good, &with(&[r#"{"total":41}"#]), &json(), expect!["downstream call 1, $.total: 41 instead of 40"]);
    let mut elsewhere = good.clone();
    elsewhere.downstream[0].target = "/other".into();
    check(&good, &elsewhere, &json(), expect!["downstream call 1: POST /other instead of POST /store"]);
    elsewhere = good.clone();
    elsewhere.downstream[0].content_type = None;
    check(&good, &elsewhere, &json(), expect!["downstream call 1, content type: nothing instead of application/json"]);
    let noise = Noise::between(&good, &with(&[r#"{"total":41}"#]), &json());
    expect!["$.total"].assert_eq(&noise.paths.iter().map(ToString::to_string).collect::<String>());
    assert!(!Noise::between(&good, &with(&[]), &json()).unsteady.is_empty());
}

#[test]
fn error_bodies_by_policy() {
    let (mine, theirs) = (answer(404, "text/html", "<p>no"), answer(404, "", "not found"));
    check(&mine, &theirs, &json(), expect!["Same"]);
    let exact = Policy { errors: ErrorBodies::Exact, ..json() };
    check(&mine, &theirs, &exact, expect!["content type: nothing instead of text/html"]);
    check(
        &answer(500, "", "a"),
        &answer(500, "", "b"),
        &exact,
        expect![[r#"line 1: "b" instead of "a" (from byte 0; 1 bytes instead of 1)"#]],
    );
}

#[test]
fn answers_that_cannot_be_compared() {
    let seen = |seen: Seen| Observation::new(seen);
    let (good, lost) = (answer(200, "", ""), seen(Seen::Nothing(Silence::TimedOut)));
    let skipped = seen(Seen::Skipped("not built".into()));
    check(&good, &lost, &json(), expect![[r#"Error("no answer: it does not answer in time")"#]]);
    check(&lost, &good, &json(), expect![[r#"Error("the control did not answer: it does not answer in time")"#]]);
    check(&lost, &lost, &json(), expect![[r#"Error("neither answered: it does not answer in time")"#]]);
    let closed = seen(Seen::Nothing(Silence::Closed));
    check(
        &closed,
        &lost,
        &json(),
        expect![[
            r#"Error("neither answered: it does not answer in time; the control: it closed the connection without an answer")"#
        ]],
    );
    check(&good, &skipped, &json(), expect![[r#"Skipped("not built")"#]]);
}

#[test]
fn normalized() {
    let policy = Policy { bodies: Comparator::Normalized(vec!["zbarimg".into()]), ..Policy::default() };
    let with = |body: &str, meaning: Option<Result<&str, &str>>| {
        let meaning = meaning.map(|it| it.map(|it| it.as_bytes().to_vec()).map_err(str::to_owned));
        let answer = Answer { status: 200, body: body.into(), meaning, ..Answer::default() };
        Observation::new(Seen::Answer(answer))
    };
    let control = with("png 1", Some(Ok("text")));
    check(&control, &with("png 2", Some(Ok("text"))), &policy, expect!["Same"]);
    check(&with("png", None), &with("png", None), &policy, expect!["Same"]);
    check(
        &control,
        &with("png 2", Some(Ok("test"))),
        &policy,
        expect![[r#"line 1: "test" instead of "text" (from byte 2; 4 bytes instead of 4)"#]],
    );
    check(
        &control,
        &with("png 2", Some(Err("no code"))),
        &policy,
        expect![[r#"Error("the normalizer cannot read the candidate's body: no code")"#]],
    );
    check(
        &control,
        &with("png 2", None),
        &policy,
        expect![[r#"Error("the normalizer did not read the candidate's body")"#]],
    );

    // A missing call is a difference whatever the bodies are. The normalizer still has to run on the bodies.
    let call = DownstreamCall { method: "POST".into(), target: "/store".into(), content_type: None, body: vec![] };
    let calls = |observation: Observation| Observation { downstream: vec![call.clone()], ..observation };
    let missing =
        |meaning, expected: Expect| check(&calls(control.clone()), &with("png 2", meaning), &policy, expected);
    missing(Some(Ok("text")), expect!["downstream call 1: nothing instead of POST /store (a call is missing)"]);
    missing(
        Some(Err("no code")),
        expect![[
            r#"downstream call 1: nothing instead of POST /store (a call is missing; bodies were not compared: the normalizer cannot read the candidate's body: no code)"#
        ]],
    );
    assert!(wants_meaning(&calls(with("1", None)), &with("2", None), &policy));

    assert!(wants_meaning(&with("1", None), &with("2", None), &policy));
    assert!(!wants_meaning(&with("1", None), &with("1", None), &policy));
    assert!(!wants_meaning(&with("1", None), &answer(500, "", "2"), &policy));
    assert!(!wants_meaning(&with("1", None), &with("2", None), &json()));
}

#[test]
fn calls() {
    let field = |name: &str, ty| Field { name: name.into(), docs: String::new(), ty, rust: String::new() };
    let kind = DefinitionKind::Record(vec![field("id", Type::Text), field("sums", Type::List(Box::new(Type::F64)))]);
    let totals = Definition { name: "Totals".into(), path: String::new(), docs: String::new(), kind };
    let interface = Interface {
        package: "x".into(),
        library: "x".into(),
        version: "0.0.0".into(),
        definitions: vec![totals],
        ..Interface::default()
    };
    let output = Output { ty: Some(Type::Defined(0)), rust: String::new(), fallible: true };
    let call = |outcome| Observation::new(Seen::Call(Call::new(outcome, &output, &interface)));
    let totals = |id: &str, sums: &[f64]| {
        let sums = sums.iter().copied().map(Value::F64).collect();
        call(Outcome::Ok(Some(Value::Record(vec![Value::Text(id.into()), Value::List(sums)]))))
    };
    let exact = Policy { errors: ErrorBodies::Exact, ..Policy::default() };
    let ignoring = JsonRules { ignore: vec!["$.id".parse().unwrap()], ..JsonRules::default() };
    let ignoring = Policy { bodies: Comparator::Json(ignoring), ..Policy::default() };
    check(&totals("a", &[1.0, f64::NAN]), &totals("a", &[1.0, f64::NAN]), &exact, expect!["Same"]);
    check(&totals("a", &[1.0]), &totals("b", &[1.0]), &ignoring, expect!["Same"]);
    check(&totals("a", &[1.0, 0.1]), &totals("b", &[1.0, -0.1]), &ignoring, expect!["$.sums[1]: -0.1 instead of 0.1"]);
    check(
        &totals("a", &[0.0]),
        &totals("a", &[-0.0]),
        &json(),
        expect!["$.sums[0]: -0.0 instead of 0.0 (the same value, written differently)"],
    );
    check(
        &totals("a", &[f64::NAN]),
        &totals("a", &[-f64::NAN]),
        &exact,
        expect![[
            r#"outcome: Record([Text("a"), List([F64(NaN)])]) instead of Record([Text("a"), List([F64(NaN)])]) (they differ in bits that JSON does not show)"#
        ]],
    );

    let (error, other) = (call(Outcome::Error("too long".into())), call(Outcome::Error("Too long".into())));
    check(&error, &other, &json(), expect!["Same"]);
    check(&error, &other, &exact, expect!["message: Too long instead of too long"]);
    check(
        &error,
        &call(Outcome::Panic("too long".into())),
        &json(),
        expect!["outcome: panic: too long instead of error: too long"],
    );
    check(
        &error,
        &totals("a", &[]),
        &json(),
        expect![[r#"outcome: Record([Text("a"), List([])]) instead of error: too long"#]],
    );
    check(&error, &call(Outcome::Lost("died".into())), &json(), expect![[r#"Error("lost: died")"#]]);
}

#[test]
fn noise_is_found_and_subtracted_only_on_request() {
    let body = |id: u32, total: u32| {
        answer(200, "application/json", &format!(r#"{{"items":[{{"id":{id}}},{{"id":{}}}],"total":{total}}}"#, id + 1))
    };
    let noise = Noise::between(&body(1, 5), &body(7, 5), &json());
    assert_eq!(
        serde_json::to_string(&noise).unwrap(),
        r#"{"paths":["$.items[*].id"],"whole_body":false,"headers":[],"unsteady":[]}"#
    );
    assert!(matches!(compare(&body(1, 5), &body(9, 5), &json()), Finding::Mismatch(_)));
    let quiet = noise.subtracted_from(&json());
    assert_eq!(compare(&body(1, 5), &body(9, 5), &quiet), Finding::Same);
    check(&body(1, 5), &body(9, 6), &quiet, expect!["$.total: 6 instead of 5"]);
    assert!(Noise::between(&body(1, 5), &body(1, 5), &json()).is_empty());
}

#[test]
fn noise_of_thousands_of_items_is_one_path_each() {
    let body = |start: usize| {
        let items: Vec<String> = (0..3000).map(|at| format!(r#"{{"id":{},"v":{at}}}"#, start + at)).collect();
        answer(200, "", &format!(r#"{{"items":[{}],"z":{start}}}"#, items.join(",")))
    };
    let noise = Noise::between(&body(0), &body(5000), &json());
    let paths: Vec<String> = noise.paths.iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["$.items[*].id", "$.z"]);
    assert!(!noise.whole_body);
}

#[test]
fn noise_of_thousands_of_keys_is_the_whole_body() {
    let body = |start: usize| {
        let fields: Vec<String> = (start..start + 9000).map(|key| format!(r#""id{key}":1"#)).collect();
        answer(200, "", &format!("{{{}}}", fields.join(",")))
    };
    let noise = Noise::between(&body(0), &body(9000), &json());
    assert!(noise.whole_body && noise.paths.len() <= 1000);
}

#[test]
fn noise_of_thousands_of_calls_comes_to_an_end() {
    let calling = |target: &str| {
        let mut observation = answer(200, "", "{}");
        let call = DownstreamCall { method: "GET".into(), target: target.into(), content_type: None, body: vec![] };
        observation.downstream = vec![call; 3000];
        observation
    };
    let noise = Noise::between(&calling("/a"), &calling("/b"), &json());
    assert!(!noise.unsteady.is_empty());
}

#[test]
fn noise_that_is_not_json_is_the_whole_body() {
    let (first, second) = (answer(200, "", "at 10:00"), answer(200, "", "at 10:01"));
    let mut noise = Noise::between(&first, &second, &Policy::default());
    assert!(noise.whole_body && noise.unsteady.is_empty());
    noise.join(Noise::between(&first, &answer(503, "", ""), &Policy::default()));
    assert_eq!(noise.unsteady, ["status: 503 instead of 200"]);
    let quiet = noise.subtracted_from(&Policy::default());
    assert_eq!(compare(&first, &second, &quiet), Finding::Same);
    assert!(matches!(compare(&first, &answer(503, "", ""), &quiet), Finding::Mismatch(_)), "a status is never noise");
}

#[test]
fn findings_for_scripts() {
    let finding = compare(&answer(200, "", r#"{"a":[1]}"#), &answer(200, "", r#"{"a":[1.0]}"#), &json());
    expect![[r#"
        {
          "finding": "mismatch",
          "detail": {
            "list": [
              {
                "place": {
                  "kind": "json",
                  "at": "$.a[0]"
                },
                "control": "1",
                "candidate": "1.0",
                "note": "the same value, written differently"
              }
            ],
            "left_out": 0
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&finding).unwrap());
}

#[test]
fn readable_diffs() {
    let check = |control: &[u8], candidate: &[u8], comparator: Comparator, expected: Expect| {
        expected.assert_eq(&diff(control, candidate, &comparator));
    };
    let json = || Comparator::Json(JsonRules::default());
    check(
        br#"{"b":[1,2],"a":"x"}"#,
        br#"{"a":"x","b":[1,3]}"#,
        json(),
        expect![[r#"
        line 2
           "a": "x",
           "b": [
             1,
        -    2
        +    3
           ]
         }
    "#]],
    );
    check(
        b"one\n",
        b"one",
        Comparator::Exact,
        expect![[r#"
        line 1
         one
        +(no line end)
    "#]],
    );
    check(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR+",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR-",
        Comparator::Exact,
        expect![[r#"
        line 1
         00000000  89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52  .PNG........IHDR
        -00000010  2b                                               +
        +00000010  2d                                               -
    "#]],
    );
    check(b"same", b"same", Comparator::Exact, expect![""]);
    let long = |end: &str| format!("{}{end}\n", "line\n".repeat(100_000));
    check(
        long("x").as_bytes(),
        long("y").as_bytes(),
        Comparator::Exact,
        expect![[r#"
        line 99998
         line
         line
         line
        -x
        +y
    "#]],
    );
}
