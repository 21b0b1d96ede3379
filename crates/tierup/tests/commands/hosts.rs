//! `tierup hosts`.

use std::path::Path;

use expect_test::expect_file;

use crate::{run, tierup};

#[test]
fn every_missing_variant_has_a_reason() {
    let output = tierup(Path::new("."), &["hosts", "--json"]).output().unwrap();
    let hosts: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for host in hosts.as_array().unwrap() {
        let variants = host["variants"].as_array().unwrap();
        assert_eq!(variants.len(), 8);
        for variant in variants {
            let supported = variant["supported"].as_bool().unwrap();
            assert_eq!(supported, variant["reason"].is_null(), "{variant}");
        }
    }
}

#[test]
fn hosts_and_variants_are_a_table() {
    expect_file!["hosts.txt"].assert_eq(&run(Path::new("."), &["hosts"]));
}
