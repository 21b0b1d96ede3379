//! The function against the simplest one that is right: a whole document in memory, and a loop.

use json_sum::sum_items;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

/// As JavaScript would do it, with its numbers. `None` where there is no sum.
///
fn reference(body: &[u8]) -> Option<i64> {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    let is_safe = |number: f64| number.fract() == 0.0 && number.abs() <= LARGEST;
    let body: Value = serde_json::from_slice(body).ok()?;
    let mut sum = 0.0;
    for item in body.as_object()?.get("items")?.as_array()? {
        let value = item.as_object()?.get("value")?.as_f64().filter(|value| is_safe(*value))?;
        sum += value * 2.0;
        if !is_safe(sum) {
            return None;
        }
    }
    Some(sum as i64)
}

/// Whether the reference can tell. What serde_json's documents cannot hold is left to `javascript.rs`.
fn is_known(body: &[u8]) -> bool {
    let error = serde_json::from_slice::<Value>(body).err().map(|error| error.to_string()).unwrap_or_default();
    !error.starts_with("number out of range") && !error.contains("surrogate")
}

/// Numbers as they are written, around every edge.
fn number() -> impl Strategy<Value = String> {
    let small = (-1000i64..1000).prop_map(|number| number.to_string());
    let edge = (-5i64..5, select(vec![1i64 << 52, 1 << 53, 1 << 62, i64::MAX - 5]), any::<bool>())
        .prop_map(|(offset, edge, negative)| (if negative { -edge - offset } else { edge + offset }).to_string());
    let float =
        any::<f64>().prop_filter("JSON has none", |number| number.is_finite()).prop_map(|number| format!("{number:?}"));
    let pieces =
        (0u64..20, 0u64..1000, -20i32..20).prop_map(|(whole, part, exponent)| format!("{whole}.{part}e{exponent}"));
    prop_oneof![60 => small, 4 => edge, 1 => float, 1 => pieces]
}

fn key() -> impl Strategy<Value = &'static str> {
    select(vec![
        "items",
        "items",
        "items",
        "value",
        "value",
        "value",
        "x",
        "",
        "\\u0069tems",
        "v\\u0061lue",
        "Items",
        "é",
    ])
}

/// Any JSON, with a liking for what the function reads.
fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![4 => number(), 1 => select(vec!["null", "true", "\"\"", "\"1\"", "\"a\\n\\u00e9\""]).prop_map(str::to_owned)];
    leaf.prop_recursive(5, 40, 6, |inner| {
        let array = prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(",")));
        let object = prop::collection::vec((key(), inner), 0..4).prop_map(|members| {
            let members: Vec<_> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
            format!("{{{}}}", members.join(" , "))
        });
        prop_oneof![array, object]
    })
}

/// Bodies of the right shape, now and then with something else in it.
fn body() -> impl Strategy<Value = String> {
    let value = prop_oneof![30 => number(), 1 => json()];
    let item = (value, prop::option::weighted(0.2, (key(), json()))).prop_map(|(value, more)| match more {
        Some((key, more)) => format!("{{\"{key}\":{more},\"value\":{value}}}"),
        None => format!("{{\"value\":{value}}}"),
    });
    let item = prop_oneof![30 => item, 1 => json()];
    (prop::collection::vec(item, 0..8), prop::option::weighted(0.2, (key(), json()))).prop_map(|(items, more)| {
        let items = items.join(",");
        match more {
            Some((key, more)) => format!("{{\"items\":[{items}],\"{key}\":{more}}}"),
            None => format!("{{\"items\":[{items}]}}"),
        }
    })
}

/// What becomes of a body on a bad line, or in the hands of a fuzzer.
fn broken() -> impl Strategy<Value = Vec<u8>> {
    (body(), prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4u8), 1..4)).prop_map(
        |(body, edits)| {
            let mut body = body.into_bytes();
            for (place, byte, kind) in edits {
                let place = place.index(body.len() + 1);
                match kind {
                    0 => body.insert(place, byte),
                    1 => body.insert(place, b"{}[]\",:0123456789.-+eE \t"[usize::from(byte) % 24]),
                    2 if place < body.len() => drop(body.remove(place)),
                    _ => body.truncate(place),
                }
            }
            body
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bodies_of_the_right_shape(body in body()) {
        prop_assert_eq!(sum_items(body.as_bytes()).ok(), reference(body.as_bytes()), "{}", body);
    }

    #[test]
    fn any_json(json in json()) {
        prop_assert_eq!(sum_items(json.as_bytes()).ok(), reference(json.as_bytes()), "{}", json);
    }

    #[test]
    fn broken_bodies(body in broken()) {
        prop_assume!(is_known(&body));
        prop_assert_eq!(sum_items(&body).ok(), reference(&body), "{}", String::from_utf8_lossy(&body));
    }
}

/// Were nearly all bodies refused, the tests above would show nothing.
#[test]
fn many_bodies_have_a_sum() {
    use proptest::{strategy::ValueTree, test_runner::TestRunner};
    let mut runner = TestRunner::deterministic();
    let strategy = body();
    let sums = (0..1000).filter(|_| {
        let body = strategy.new_tree(&mut runner).map(|tree| tree.current()).unwrap_or_default();
        sum_items(body.as_bytes()).is_ok()
    });
    let count = sums.count();
    assert!((300..1000).contains(&count), "{count} of 1000");
}
