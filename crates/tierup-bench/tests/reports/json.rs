//! The report for scripts: the stored record with its analysis.

use expect_test::expect;
use serde_json::Value;
use tierup_bench::{
    record::Record,
    report::{RunReport, SideBySide},
};
use tierup_report::{Exporter as _, Json};

use crate::sample;

fn keys(value: &Value) -> String {
    value.as_object().expect("an object").keys().map(String::as_str).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_run_is_one_object_that_reads_back() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    let text = Json.export(&RunReport::new(&record, &analysis));
    let value: Value = serde_json::from_str(&text).unwrap();
    expect!["analysis began blocks command environment format interrupted requests rows seconds settings tierup title"]
        .assert_eq(&keys(&value));
    expect!["columns groups method rows warnings"].assert_eq(&keys(&value["analysis"]));
    assert_eq!(serde_json::from_value::<Record>(value).unwrap(), record);
}

#[test]
fn several_runs_are_a_list() {
    let (record, analysis) = sample::run(&sample::servers(), 3);
    let runs = [RunReport::new(&record, &analysis); 2];
    let value: Value = serde_json::from_str(&Json.export(&SideBySide { runs: &runs })).unwrap();
    let alone: Value = serde_json::from_str(&Json.export(&runs[0])).unwrap();
    assert_eq!(value, Value::Array(vec![alone.clone(), alone]));
}
