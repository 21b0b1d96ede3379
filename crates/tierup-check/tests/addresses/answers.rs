//! Answers of two servers: noise, errors, and missing answers.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use tierup_parity::{Comparator, JsonRules};

use crate::{check, server::raw_server};

/// A server: `answer` maps a request line to a status and a body; at `None`, the connection closes.
fn server(answer: impl Fn(&str) -> Option<(u16, String)> + Send + Sync + Clone + 'static) -> String {
    raw_server(move |head, _| {
        let (status, text) = answer(head.first()?)?;
        Some((format!("{status} X\r\nContent-Type: application/json"), text))
    })
}

fn greets(_: &str) -> Option<(u16, String)> {
    Some((200, "\"hello\"".to_owned()))
}

fn fails(_: &str) -> Option<(u16, String)> {
    Some((500, "\"no database\"".to_owned()))
}

#[test]
fn two_servers_that_always_fail_do_not_agree() {
    let (good, bad) = (server(greets), server(fails));
    let (alike, said) = check(&format!("{bad}/a"), &server(fails), |_, _| {});
    assert!(!alike && said.contains("ONLY ERRORS"), "{said}");
    let (alike, said) = check(&format!("{bad}/a"), &good, |_, _| {});
    assert!(!alike && said.contains("DIFFERS") && !said.contains("ONLY ERRORS"), "{said}");
}

#[test]
fn one_good_answer_is_enough() {
    let half = server(|line| if line.contains("/b") { fails(line) } else { greets(line) });
    let folder = tempfile::tempdir().unwrap();
    let requests = folder.path().join("requests.http");
    std::fs::write(&requests, "GET /a\n\n###\nGET /b\n").unwrap();
    let (alike, said) = check(&half, &half, |check, _| check.requests = Some(requests));
    assert!(alike && said.contains("2xx 1, 5xx 1 (from the requests file)"), "{said}");
}

#[test]
fn a_server_that_drops_every_second_connection_differs() {
    let count = Arc::new(AtomicUsize::new(0));
    let drops = server(move |line| (count.fetch_add(1, SeqCst) % 2 == 1).then(|| greets(line)).flatten());
    let (alike, said) = check(&format!("{}/a", server(greets)), &drops, |_, _| {});
    assert!(!alike && said.contains("no answer: it closed the connection"), "{said}");
}

#[test]
fn a_changing_field_is_noise_until_a_rule_ignores_it() {
    let count = Arc::new(AtomicUsize::new(0));
    let counts = server(move |_| Some((200, format!("{{\"id\":{},\"name\":\"a\"}}", count.fetch_add(1, SeqCst)))));
    let said = |ignore: &[&str]| {
        let ignore = ignore.iter().map(|path| path.parse().unwrap()).collect();
        let rules = JsonRules { ignore, ..JsonRules::default() };
        check(&format!("{counts}/a"), &counts, |_, settings| settings.policy.bodies = Comparator::Json(rules))
    };
    let (alike, noisy) = said(&[]);
    assert!(!alike && noisy.contains("noise: ") && noisy.contains("ignore = [\"$.id\"]"), "{noisy}");
    let (alike, quiet) = said(&["$.id"]);
    assert!(alike && !quiet.contains("noise: "), "{quiet}");
}

#[test]
fn a_control_without_an_answer_compares_nothing() {
    let silent = server(|_| None);
    let (alike, said) = check(&format!("{silent}/a"), &server(greets), |_, _| {});
    assert!(!alike && said.contains("the control did not answer") && said.contains("nothing was compared"), "{said}");
}
