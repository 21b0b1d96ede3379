//! Every case of `contract.json`, which the servers' own tests read too.

use std::fs;

use experiments::{Outcome, create_experiment};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    what: String,
    #[serde(default)]
    body: Body,
    /// What no JSON text can hold.
    hex: Option<String>,
    status: u16,
    answer: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Body {
    Text(String),
    /// Texts, each so many times.
    Repeated(Vec<(String, usize)>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Case {
    fn bytes(&self) -> Vec<u8> {
        if let Some(hex) = &self.hex {
            let byte = |start| u8::from_str_radix(&hex[start..start + 2], 16).expect("hex digits");
            return (0..hex.len()).step_by(2).map(byte).collect();
        }
        match &self.body {
            Body::Text(text) => text.clone().into_bytes(),
            Body::Repeated(parts) => parts.iter().flat_map(|(text, times)| text.repeat(*times).into_bytes()).collect(),
        }
    }
}

#[test]
fn every_case_is_answered_as_the_contract_says() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/contract.json")).expect("it is there");
    let cases: Vec<Case> = serde_json::from_str(&text).expect("it is a list of cases");
    assert!(cases.len() > 150);
    for case in &cases {
        let (status, answer) = match create_experiment(&case.bytes(), None) {
            Outcome::Valid(json) => (200, json),
            Outcome::Malformed(json) => (400, json),
            Outcome::Invalid(json) => (422, json),
        };
        assert_eq!((status, &answer), (case.status, &case.answer), "{}", case.what);
    }
}
