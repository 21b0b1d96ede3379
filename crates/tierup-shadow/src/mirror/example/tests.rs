//! Which parts of a request and its answers are hidden, and which are shown.

mod exchange;
mod kinds;
mod planted;

use tierup_parity::{Policy, compare, decode};

use self::exchange::{Exchange, copied, kept, observed, written};
use super::*;
use crate::{collector::Collector, hidden::Show, mirror::evidence::Findings};

#[test]
fn a_hidden_field_is_a_hash_wherever_its_value_is_shown() {
    let answer = |email: &str| (Vec::new(), format!("{{\"who\":{{\"email\":\"{email}\"}}}}"));
    let exchange = |answers| Exchange { target: "/a?page=2".to_owned(), answers, ..Exchange::default() };
    let shown = written(&exchange([answer("ann"), answer("bob")]), &["$.who.email"]);
    assert!(shown.contains("$.who.email: hmac:") && !shown.contains("ann") && !shown.contains("bob"), "{shown}");
    // The difference is around the field, and then in a body that is not JSON.
    let around = written(&exchange([answer("ann"), (Vec::new(), "{\"who\":7}".to_owned())]), &["$.who.email"]);
    assert!(around.contains("$.who: hmac:") && !around.contains("ann"), "{around}");
    let text = written(&exchange([answer("ann"), (Vec::new(), "ann!".to_owned())]), &["$.who.email"]);
    assert!(!text.contains("ann"), "{text}");
    let open = written(&exchange([answer("ann"), answer("bob")]), &[]);
    assert!(open.contains("\\\"bob\\\" instead of \\\"ann\\\"") && open.contains("POST /a?page=2"), "{open}");
}

#[test]
fn values_of_a_compressed_body_are_hidden_in_the_evidence() {
    let answer = |name: &str| (vec![("location", format!("/of/{name}"))], r#"{"who":{"email":"brigitte"}}"#.to_owned());
    let exchange = |coding, shown: &str| Exchange {
        target: "/a".to_owned(),
        body: r#"{"password":"hunter22"}"#.to_owned(),
        answers: [answer("annabel"), answer(shown)],
        coding,
        ..Exchange::default()
    };
    for coding in [None, Some("gzip")] {
        for secret in ["hunter22", "brigitte"] {
            let shown = written(&exchange(coding, secret), &["$.who.email"]);
            assert!(shown.contains("/of/annabel") && !shown.contains(secret), "{shown}");
        }
    }
    // The body's contents are unknown.
    let shown = written(&exchange(Some("zstd"), "hunter22"), &[]);
    assert!(shown.contains("not shown") && !shown.contains("annabel") && !shown.contains("hunter22"), "{shown}");
}

#[test]
fn a_damaged_body_is_shown_as_damaged() {
    let exchange = Exchange {
        target: "/a".to_owned(),
        answers: ["x", "y"].map(|body| (Vec::new(), body.to_owned())),
        ..Exchange::default()
    };
    let [mut control, mut candidate] = exchange.observed();
    if let Seen::Answer(answer) = &mut candidate.seen {
        answer.headers.push(("content-encoding".to_owned(), "gzip".to_owned()));
    }
    decode(&mut control, &mut candidate);
    let ignore = vec!["Content-Encoding".to_owned()];
    let policy = Policy { headers: tierup_parity::HeaderRules { ignore, ..Default::default() }, ..Policy::default() };
    let (collector, notes) = Collector::showing(&[], Show::all());
    let mut findings = Findings::new(&collector, Hidden::new(Vec::new(), Show::all()));
    let finding = compare(&control, &candidate, &policy);
    findings.add(Pair::Candidate, &copied(&exchange, &collector), &control, &candidate, &finding);
    assert!(notes.try_iter().any(|note| format!("{note:?}").contains("body: damaged instead of readable")));
}

#[test]
fn bytes_of_a_body_with_a_secret_are_not_shown() {
    let body = |end: u8| [b"\xff a=s3cret-token-1 ".as_slice(), &[end]].concat();
    let exchange = Exchange {
        target: "/".to_owned(),
        headers: vec![("authorization", "Bearer s3cret-token-1".to_owned())],
        ..Exchange::default()
    };
    let (collector, notes) = Collector::showing(&[], Show::all());
    let mut findings = Findings::new(&collector, Hidden::new(Vec::new(), Show::all()));
    for (own, is_shown) in [(body(1), false), (b"\xff what else \x01".to_vec(), true)] {
        let mut other = own.clone();
        *other.last_mut().expect("it is not empty") = 2;
        let [control, candidate] = [own, other].map(|body| {
            let mut seen = observed(&(Vec::new(), String::new()));
            let Seen::Answer(answer) = &mut seen.seen else { panic!("{seen:?}") };
            answer.body = body;
            seen
        });
        let finding = compare(&control, &candidate, &Policy::default());
        findings.add(Pair::Second, &copied(&exchange, &collector), &control, &candidate, &finding);
        findings.add(Pair::Candidate, &copied(&exchange, &collector), &control, &candidate, &finding);
        let shown = notes.try_iter().any(|note| format!("{note:?}").contains("02 instead of 01"));
        assert_eq!(shown, is_shown);
        findings = Findings::new(&collector, Hidden::new(Vec::new(), Show::all()));
    }
}

#[test]
fn too_many_secrets_hide_the_whole_request() {
    let answer = |value: u8| (Vec::new(), format!("{{\"note\":{value}}}"));
    let exchange = |body: String| Exchange {
        target: "/a/pebbles?of=brigitte".to_owned(),
        headers: vec![("accept", "text/brigitte".to_owned())],
        body,
        answers: [answer(1), answer(2)],
        ..Exchange::default()
    };
    let open = written(&exchange(r#"{"password":"hunter22"}"#.to_owned()), &[]);
    assert!(open.contains("POST /a/pebbles?of=brigitte") && open.contains("text/brigitte"), "{open}");
    let large = "p".repeat(900 << 10);
    let many: Vec<_> = (0..5000).map(|number| serde_json::json!({ "password": format!("{number:08}") })).collect();
    let known = (0..5000).map(|_| "password=hunter22 ").collect::<String>();
    for body in [
        serde_json::json!({ "password": large }).to_string(),
        serde_json::json!(many).to_string(),
        format!("password={large}"),
        // The search ends before the last value, although the others are all the same.
        known + "password=brigitte",
    ] {
        let shown = written(&exchange(body), &[]);
        assert!(shown.contains("\"POST (hidden)\"") && shown.contains("not shown"), "{shown}");
        assert!(shown.contains("too many of its values may be secret"), "{shown}");
        assert!(!shown.contains("brigitte") && !shown.contains("hunter22"), "{shown}");
    }
}

#[test]
fn a_name_in_json_may_be_a_value_itself() {
    let answer = |value: u8| (Vec::new(), format!("{{\"note\":\"hunter22 true {value}\"}}"));
    let exchange = |body: &str| Exchange {
        target: "/a".to_owned(),
        body: body.to_owned(),
        answers: [answer(1), answer(2)],
        ..Exchange::default()
    };
    let shown = written(&exchange(r#"[{"name":"password","value":"hunter22"},{"is_token":true}]"#), &[]);
    assert!(!shown.contains("hunter22") && shown.contains(" true 2"), "{shown}");
}

#[test]
fn a_location_is_shown_as_targets_are() {
    let answer = |place: &str| (vec![("location", place.to_owned())], "{}".to_owned());
    let exchange = Exchange {
        target: "/join/plumfrost".to_owned(),
        answers: [answer("/in/willowbark?v=brigitte#kestrel"), answer("https://annabel@pay.example/join?v=brigitte")],
        ..Exchange::default()
    };
    let shown = kept(&exchange, &[], Show::default()).0;
    assert!(shown.contains("header Location: hmac:") && shown.contains(" instead of /hmac:"), "{shown}");
    for secret in ["join", "plumfrost", "willowbark", "brigitte", "kestrel", "annabel"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
    let open = kept(&exchange, &[], Show::new(["in", "v", "join"].map(str::to_owned).to_vec())).0;
    assert!(open.contains("/join?v=brigitte instead of /in/hmac:") && !open.contains("annabel"), "{open}");
}

#[test]
fn values_that_give_access_are_hidden_in_answers_that_repeat_them() {
    let answer = |value: u8| (Vec::new(), format!("{{\"note\":\"of plumfrost {value}\"}}"));
    for body in ["grant_type=authorization_code&code=plumfrost", r#"{"pin": "plumfrost"}"#, r#"{"code":["plumfrost"]}"#]
    {
        let exchange = Exchange {
            target: "/a".to_owned(),
            body: body.to_owned(),
            answers: [answer(1), answer(2)],
            ..Exchange::default()
        };
        let shown = written(&exchange, &[]);
        assert!(shown.contains("of hmac:") && !shown.contains("plumfrost"), "{shown}");
    }
}
