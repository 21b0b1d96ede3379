//! The kinds of mismatches, which never contain names that are data.

use tierup_parity::{Finding, Policy, compare};

use super::super::{place::kind, *};
use super::exchange::{Exchange, copied, observed, written};
use crate::{collector::Collector, hidden::Show, mirror::evidence::Findings};

#[test]
fn mismatches_at_different_positions_are_of_one_kind() {
    let line = |line| kind(&Place::Line(line));
    assert_eq!(line(12), line(3));
    assert_eq!(line(3), "line *");
    assert_ne!(kind(&Place::Header("location".into())), kind(&Place::Header("vary".into())));
    let json = |path: &str| {
        let body = |value: u8| format!("{{\"{path}\":[{value}]}}");
        let [control, candidate] = [1, 2].map(|value| observed(&(Vec::new(), body(value))));
        let policy = Policy { bodies: tierup_parity::Comparator::Json(Default::default()), ..Policy::default() };
        match compare(&control, &candidate, &policy) {
            Finding::Mismatch(found) => kind(&found.list[0].place),
            found => panic!("{found:?}"),
        }
    };
    assert_eq!(json("items"), "$.items[*]");
    assert_eq!(json("ann@example.org"), "$['*'][*]");
}

#[test]
fn a_route_keeps_the_name_under_which_it_is_counted() {
    let cookie = ("set-cookie", "session=f00dfeed; Path=/shop".to_owned());
    let exchange = Exchange {
        target: "/shop/items".to_owned(),
        answers: [(vec![cookie.clone()], r#"{"a":1}"#.to_owned()), (vec![cookie], r#"{"a":2}"#.to_owned())],
        ..Exchange::default()
    };
    let text = written(&exchange, &[]);
    assert!(text.contains(r#""route":"POST /shop/items""#), "{text}");
    assert!(!text.contains("f00dfeed"), "{text}");
}

/// The kinds of the mismatches, and their texts.
fn kinds(exchanges: impl IntoIterator<Item = Exchange>) -> Vec<(String, String)> {
    let (collector, notes) = Collector::showing(&[], Show::all());
    let mut findings = Findings::new(&collector, Hidden::new(vec!["$.private".parse().expect("a path")], Show::all()));
    let policy = Policy { bodies: tierup_parity::Comparator::Json(Default::default()), ..Policy::default() };
    for exchange in exchanges {
        let [control, candidate] = exchange.answers.each_ref().map(observed);
        let finding = compare(&control, &candidate, &policy);
        findings.add(Pair::Candidate, &copied(&exchange, &collector), &control, &candidate, &finding);
    }
    drop(findings);
    let noted = notes.try_iter().filter_map(|note| match note {
        crate::collector::Note::Entry(tierup_rollout::evidence::Entry::Difference(found)) => {
            Some((found.kind, found.words))
        }
        _ => None,
    });
    noted.collect()
}

#[test]
fn names_of_members_that_are_data_are_neither_counted_nor_shown() {
    let exchange = |path: &[&str], body: &str| {
        let nested = |value: u8| {
            path.iter().rev().fold(value.to_string(), |inner, name| format!("{{{}:{inner}}}", serde_json::json!(name)))
        };
        Exchange {
            target: "/users/annabel?of=brigitte".to_owned(),
            headers: vec![("cookie", "theme=dark; who=claudia".to_owned())],
            body: body.to_owned(),
            answers: [(Vec::new(), nested(1)), (Vec::new(), nested(2))],
            ..Exchange::default()
        }
    };
    for (path, expected) in [
        (&["items", "price"][..], "$.items.price"),
        (&["sessions", "gibberish", "at"], "$.sessions['*']['*']"),
        (&["private", "gibberish"], "$.private['*']"),
        (&["byId", "5f3a9c01d2e4", "at"], "$.byId['*'].at"),
        (&["byName", "sKdJfhGqPzLmWx"], "$.byName['*']"),
        (&["brigitte", "at"], "$['*'].at"),
        (&["claudia"], "$['*']"),
        (&["dorothea"], "$['*']"),
        (&["it's gibberish"], "$['*']"),
    ] {
        for body in [r#"{"for":["dorothea"]}"#, "for=dorothea"] {
            let found = kinds([exchange(path, body)]);
            let [(kind, words)] = &found[..] else { panic!("{found:?}") };
            assert_eq!(kind, expected);
            for name in path.iter().filter(|name| !expected.contains(**name) && !name.contains('\'')) {
                assert!(!words.contains(name), "{name} in {words}");
            }
        }
    }
}

#[test]
fn many_names_in_one_object_are_data() {
    let exchange = |number: u8| {
        // Only letters, as in a person's name.
        let who: String = [b'k', b'a' + number / 10, b'o', b'a' + number % 10].map(char::from).iter().collect();
        let body = |value: u8| format!("{{\"by\":{{\"{who}\":{value}}},\"z\":0}}");
        Exchange {
            target: "/".to_owned(),
            answers: [(Vec::new(), body(1)), (Vec::new(), body(2))],
            ..Exchange::default()
        }
    };
    let mut found: Vec<_> = kinds((0..100).map(exchange)).into_iter().map(|(kind, _)| kind).collect();
    found.sort();
    found.dedup();
    assert!(found.len() == 11 && found.contains(&"$.by['*']".to_owned()), "{found:?}");
}
