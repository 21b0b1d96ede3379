//! The content of `built.json` after finished and unfinished builds.

use std::fs;

use tempfile::tempdir;
use tierup_codegen::Variant;
use tierup_runner::BuildRecord;

#[test]
fn an_interrupted_build_does_not_count_as_built() {
    let folder = tempdir().unwrap();
    let mut record = BuildRecord::open(folder.path(), "0123456789abcdef").unwrap();
    record.begin(Variant::Core).unwrap();
    record.built(Variant::Core).unwrap();
    record.not_built(Variant::Bindgen, "no clocks").unwrap();
    let text = fs::read_to_string(folder.path().join("built.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        json,
        serde_json::json!({ "abi": "0123456789abcdef", "variants": {
            "2:bindgen": { "built": false, "reason": "no clocks" },
            "2:core": { "built": true },
        }})
    );

    let mut record = BuildRecord::open(folder.path(), "0123456789abcdef").unwrap();
    assert!(record.is_built(Variant::Core));
    record.begin(Variant::Core).unwrap();
    drop(record);
    let record = BuildRecord::open(folder.path(), "0123456789abcdef").unwrap();
    assert!(!record.is_built(Variant::Core));
    assert_eq!(record.reason(Variant::Bindgen), Some("no clocks"));
}

#[test]
fn another_interface_or_a_damaged_record_begins_anew() {
    let folder = tempdir().unwrap();
    BuildRecord::open(folder.path(), "1111111111111111").unwrap().built(Variant::Native).unwrap();
    assert!(!BuildRecord::open(folder.path(), "2222222222222222").unwrap().is_built(Variant::Native));
    fs::write(folder.path().join("built.json"), "{ \"abi\": ").unwrap();
    assert!(!BuildRecord::open(folder.path(), "2222222222222222").unwrap().is_built(Variant::Native));
}
