use std::{fs, sync::Arc};

use hyper::{HeaderMap, Method, StatusCode, header::HeaderName};
use proptest::prelude::*;
use tierup_parity::{Answer, Finding, Policy, compare};
use tierup_rollout::{Side, evidence::Event};
use tokio::sync::Semaphore;

use super::*;
use crate::{
    collector::Collector, copy::ClientAnswer, evidence_file::EvidenceFile, ledger::Ledger, mirror::evidence::Findings,
};

/// A request, and what both answered.
#[derive(Default)]
struct Exchange {
    target: String,
    headers: Vec<(&'static str, String)>,
    body: String,
    answers: [(Vec<(&'static str, String)>, String); 2],
}

fn copied(exchange: &Exchange, collector: &Collector) -> Copied {
    let mut headers = HeaderMap::new();
    for (name, value) in &exchange.headers {
        headers.append(HeaderName::from_static(name), value.parse().expect("a header"));
    }
    let target = exchange.target.parse::<hyper::Uri>().expect("a target");
    let answer = ClientAnswer {
        status: StatusCode::OK,
        headers: HeaderMap::new(),
        body: exchange.answers[0].1.clone().into(),
        took: std::time::Duration::ZERO,
    };
    let route = collector.counter().route(&Method::POST, target.path());
    let permit = Arc::new(Semaphore::new(1)).try_acquire_owned().expect("it is free");
    Copied {
        method: Method::POST,
        target,
        headers,
        body: exchange.body.clone().into(),
        pair: Pair::Candidate,
        by: tierup_rollout::Side::Control,
        answer,
        route,
        permit,
        taken: None,
    }
}

fn observed((headers, body): &(Vec<(&'static str, String)>, String)) -> Observation {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let answer = Answer {
        url: "http://shop/".to_owned(),
        status: 200,
        headers,
        content_type: Some("application/json".to_owned()),
        body: body.clone().into(),
        ..Answer::default()
    };
    Observation::of(Seen::Answer(answer))
}

/// What the evidence file has of an exchange.
fn written(exchange: &Exchange, hide: &[&str]) -> String {
    let state = tempfile::tempdir().expect("there is room");
    let (collector, notes) = Collector::new(&[]);
    let file = EvidenceFile::new(state.path(), 1 << 30);
    let ledger = Ledger::start(&collector, notes, Some(file), Box::new(|_| None)).expect("it starts");
    let hidden = Hidden::new(hide.iter().map(|field| field.parse().expect("a path")).collect());
    let mut findings = Findings::new(&collector, hidden);
    let [control, candidate] = exchange.answers.each_ref().map(observed);
    let policy = Policy { bodies: tierup_parity::Comparator::Json(Default::default()), ..Policy::default() };
    let finding = compare(&control, &candidate, &policy);
    assert!(matches!(finding, Finding::Mismatch(_)), "{finding:?}");
    findings.add(Pair::Candidate, &copied(exchange, &collector), &control, &candidate, &finding);
    drop(findings);
    collector.event(Event::Unreachable { side: Side::Candidate, is: true });
    drop(ledger.end());
    let files = fs::read_dir(state.path().join("evidence")).expect("it was written");
    files.map(|file| fs::read_to_string(file.expect("it is there").path()).expect("it is text")).collect()
}

/// Ten places for secrets, and an answer that repeats all of them under a name that tells nothing.
fn planted(secrets: &[String; 10]) -> Exchange {
    let [authorization, cookie, key, query, path, field, set, member, hidden, mail] = secrets;
    let all = secrets.join(" ");
    let answer = |own: &str| {
        let body = serde_json::json!({ "note": format!("{own} {all}"), "refresh_token": format!("{own}{member}"), "who": { "email": hidden } });
        (
            vec![("set-cookie", format!("sid={set}; Path=/{own}")), ("location", format!("/next?token={query}&{own}"))],
            body.to_string(),
        )
    };
    Exchange {
        target: format!("/reset/{path}/now?api_key={query}&Email={mail}&page=2"),
        headers: vec![
            ("authorization", format!("Bearer {authorization}")),
            ("cookie", format!("theme=dark; session={cookie}")),
            ("x-api-key", key.clone()),
            ("accept", "application/json".to_owned()),
        ],
        body: serde_json::json!({ "user": { "password": field }, "who": { "email": hidden } }).to_string(),
        answers: [answer("one"), answer("two")],
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn no_secret_reaches_a_file(secrets in prop::array::uniform10("[a-zA-Z]{9}[0-9][a-zA-Z0-9]{8,30}"), differs in 0..4_usize) {
        let mut exchange = planted(&secrets);
        // What differs first.
        let [control, candidate] = &mut exchange.answers;
        match differs {
            0 => candidate.0 = control.0.clone(),
            1 => candidate.1 = control.1.clone(),
            2 => *candidate = (control.0.clone(), "no JSON ".to_owned() + &secrets.join("\n")),
            _ => {}
        }
        let file = written(&exchange, &["$.who.email"]);
        prop_assert!(file.contains("\"entry\":\"difference\""), "{file}");
        for secret in &secrets {
            prop_assert!(!file.contains(secret.as_str()), "{secret} in {file}");
        }
    }
}

#[test]
fn a_hidden_field_is_a_hash_wherever_its_value_is_shown() {
    let answer = |email: &str| (Vec::new(), format!("{{\"who\":{{\"email\":\"{email}\"}}}}"));
    let exchange = |answers| Exchange { target: "/a?page=2".to_owned(), answers, ..Exchange::default() };
    let shown = written(&exchange([answer("ann"), answer("bob")]), &["$.who.email"]);
    assert!(shown.contains("$.who.email: hmac:") && !shown.contains("ann") && !shown.contains("bob"), "{shown}");
    // Around the field, and in a body that is no JSON.
    let around = written(&exchange([answer("ann"), (Vec::new(), "{\"who\":7}".to_owned())]), &["$.who.email"]);
    assert!(around.contains("$.who: hmac:") && !around.contains("ann"), "{around}");
    let text = written(&exchange([answer("ann"), (Vec::new(), "ann!".to_owned())]), &["$.who.email"]);
    assert!(!text.contains("ann"), "{text}");
    let open = written(&exchange([answer("ann"), answer("bob")]), &[]);
    assert!(open.contains("\\\"bob\\\" instead of \\\"ann\\\"") && open.contains("POST /a?page=2"), "{open}");
}

#[test]
fn mismatches_at_other_positions_are_of_one_kind() {
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
