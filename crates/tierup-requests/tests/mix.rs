//! How templates share the requests, and what a seed determines.

#![expect(clippy::unwrap_used, reason = "this is a test")]

use std::collections::{HashMap, HashSet};

use tierup_requests::{Context, Moment, Set, Templates};

const NOW: Moment = Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };

fn set(text: &str, count: usize, seed: u64) -> Set {
    Templates::parse("a.http", text).unwrap().expand(count, seed, &Context::new(NOW)).unwrap()
}

/// How often each line of the file is in `order`.
fn frequencies(set: &Set, order: &[u32]) -> HashMap<usize, usize> {
    order.iter().fold(HashMap::new(), |mut counts, index| {
        *counts.entry(set.requests[*index as usize].place.line).or_default() += 1;
        counts
    })
}

#[test]
fn one_line_makes_a_thousand_distinct_requests() {
    let set = set("GET /items/{{$guid}}", 1000, 1);
    let targets: HashSet<&str> = set.requests.iter().map(|request| request.target.as_str()).collect();
    assert_eq!(targets.len(), 1000);
    assert_eq!(set.order.iter().collect::<HashSet<_>>().len(), 1000);
}

#[test]
fn every_template_is_equally_frequent() {
    let text =
        "GET /static\n###\nGET /a/{{$guid}}\n###\nGET /b/{{$randomInt 0 1000000}}\n###\nGET /c/{{$randomInt 0 4}}";
    let set = set(text, 100, 1);
    let each = frequencies(&set, &(0..set.requests.len() as u32).collect::<Vec<_>>());
    assert_eq!(each, HashMap::from([(1, 1), (3, 33), (5, 33), (7, 4)]));
    for order in [set.order.clone(), set.sequence(5000, 3)] {
        let counts = frequencies(&set, &order);
        assert!(counts.values().all(|count| *count == order.len() / 4), "{counts:?}");
        assert!(order.len() >= 100);
    }
    assert_eq!(set.sequence(5000, 3).len(), 5000);
    assert_eq!(set.sequence(1, 3).len(), 4);
    // The order that comes with the set is complete.
    assert_eq!(set.order.iter().collect::<HashSet<_>>().len(), set.requests.len());
}

#[test]
fn a_seed_makes_the_same_requests_everywhere() {
    let text = "GET /a/{{$guid}}\n###\nPOST /b\n\n{{$random.alphanumeric(20)}}";
    assert_eq!(set(text, 50, 7), set(text, 50, 7));
    assert_ne!(set(text, 50, 7).requests, set(text, 50, 8).requests);
    assert_ne!(set(text, 50, 7).order, set(text, 50, 8).order);
    // Adding a template after the others does not change their requests.
    let longer = set(&format!("{text}\n###\nGET /c"), 51, 7);
    assert_eq!(longer.requests[..50], set(text, 50, 7).requests[..]);
}

#[test]
fn a_variable_of_the_file_has_one_value_in_a_request() {
    let set = set("@id = {{$guid}}\nPOST /items/{{id}}\n\n{{id}}", 10, 1);
    assert_eq!(set.requests.len(), 10);
    for request in &set.requests {
        assert_eq!(request.target.as_bytes()["/items/".len()..], request.body);
    }
}

#[test]
fn equal_requests_are_merged() {
    let set = set("### One\nGET /a\n### Two\nGET /a\n### Three\nGET /a\nAccept: */*", 10, 1);
    let names: Vec<&str> = set.requests.iter().map(|request| request.name.as_str()).collect();
    assert_eq!(names, ["One", "Three"]);
    // A request that was written twice is sent twice as often.
    let counts = frequencies(&set, &set.sequence(9, 1));
    assert_eq!(counts, HashMap::from([(2, 6), (6, 3)]));
}

#[test]
fn every_count_is_accepted() {
    assert_eq!(set("GET /a/{{$guid}}\n###\nGET /b/{{$guid}}", 0, 1).requests.len(), 2);
    assert_eq!(set("GET /a/{{$randomInt 0 3}}", usize::MAX, 1).requests.len(), 3);
}
