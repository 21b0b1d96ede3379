//! What holds for every body.

use experiments::{Outcome, create_experiment};
use proptest::{collection::vec, prelude::*};
use serde_json::{Value, json};

const BODY: &[u8] = br#"{"name":"new_home_page","variants":[{"name":"a","allocation_percent":100}]}"#;

#[test]
fn a_fingerprint_is_the_md5_of_name_and_time() {
    // $ printf new_home_page-1700000000 | md5sum
    let md5 = "8cee5114650cd4092bbf5ccb020dd8c1";
    let expected = format!(r#"{{"name":"{md5}","variants":[{{"name":"a","allocation_percent":100}}]}}"#);
    assert_eq!(create_experiment(BODY, Some(1_700_000_000)), Outcome::Valid(expected));
    assert_ne!(create_experiment(BODY, Some(1_700_000_001)), create_experiment(BODY, Some(1_700_000_000)));
}

#[test]
fn only_a_sound_experiment_has_a_fingerprint() {
    for body in ["{}", "{", r#"{"name":"","variants":[]}"#] {
        assert_eq!(create_experiment(body.as_bytes(), Some(1)), create_experiment(body.as_bytes(), None));
    }
}

/// An experiment, and what is answered to it.
fn experiments() -> impl Strategy<Value = Value> {
    let name = || vec(any::<char>(), 1..=200).prop_map(String::from_iter);
    (name(), vec((any::<char>(), 1..1000_u32), 1..30)).prop_map(|(name, variants)| {
        let total: u32 = variants.iter().map(|(_, weight)| weight).sum();
        let variant = |(index, (first, weight)): (usize, &(char, u32))| {
            let share = f64::from(*weight) * 100.0 / f64::from(total);
            json!({ "name": format!("{first}{index}"), "allocation_percent": share })
        };
        let variants: Vec<_> = variants.iter().enumerate().map(variant).collect();
        json!({ "name": name, "variants": variants })
    })
}

/// Something like an experiment.
fn nearly() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-10.0..200.0_f64).prop_map(Value::from),
        "[a-c\u{1F980}]{0,2}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(4, 32, 6, |inner| {
        let key = prop_oneof![Just("name"), Just("variants"), Just("allocation_percent"), Just("more")];
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((key.prop_map(str::to_owned), inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    });
    value.prop_map(|value| value.to_string())
}

proptest! {
    #[test]
    fn a_sound_experiment_comes_back(experiment in experiments()) {
        let Outcome::Valid(json) = create_experiment(experiment.to_string().as_bytes(), None) else {
            return Err(TestCaseError::fail("refused"));
        };
        let back: Value = serde_json::from_str(&json).expect("the answer is JSON");
        prop_assert_eq!(&back["name"], &experiment["name"]);
        let (theirs, ours) = (experiment["variants"].as_array(), back["variants"].as_array());
        for (theirs, ours) in theirs.into_iter().flatten().zip(ours.into_iter().flatten()) {
            prop_assert_eq!(&theirs["name"], &ours["name"]);
            prop_assert_eq!(theirs["allocation_percent"].as_f64(), ours["allocation_percent"].as_f64());
        }
        // What was answered is an experiment, and is answered by itself.
        prop_assert_eq!(create_experiment(json.as_bytes(), None), Outcome::Valid(json));
    }

    #[test]
    fn no_body_makes_it_panic(body in vec(any::<u8>(), 0..200)) {
        create_experiment(&body, Some(0));
    }

    #[test]
    fn what_is_json_is_valid_or_invalid_and_answered_with_json(body in nearly()) {
        match create_experiment(body.as_bytes(), None) {
            Outcome::Valid(json) => prop_assert!(serde_json::from_str::<Value>(&json).is_ok()),
            Outcome::Invalid(json) => {
                let json: Value = serde_json::from_str(&json).expect("the answer is JSON");
                let errors = json["errors"].as_array().expect("a list");
                prop_assert!(!errors.is_empty() && errors.len() <= 100);
            }
            Outcome::Malformed(json) => return Err(TestCaseError::fail(json)),
        }
    }

    #[test]
    fn what_is_cut_short_is_malformed(experiment in experiments(), at in any::<prop::sample::Index>()) {
        let body = experiment.to_string();
        let cut = &body.as_bytes()[..at.index(body.len())];
        prop_assert!(matches!(create_experiment(cut, None), Outcome::Malformed(_)));
    }
}
