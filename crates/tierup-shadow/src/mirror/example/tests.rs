use std::{fs, io::Write as _, sync::Arc};

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use flate2::{Compression, write::GzEncoder};
use hyper::{HeaderMap, Method, StatusCode, header::HeaderName};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use tierup_parity::{Answer, Finding, Policy, compare, decode};
use tierup_report::{
    Exporter as _, Html, Json, Markdown, Text,
    text::{Colour, Style},
};
use tierup_rollout::{Side, evidence::Event};
use tokio::sync::Semaphore;

use super::{place::kind, *};
use crate::{
    Report, State, collector::Collector, copy::ClientAnswer, evidence_file::EvidenceFile, ledger::Ledger,
    mirror::evidence::Findings,
};

/// A request, and what both answered.
#[derive(Default)]
struct Exchange {
    target: String,
    headers: Vec<(&'static str, String)>,
    body: String,
    answers: [(Vec<(&'static str, String)>, String); 2],
    /// The content coding of all bodies, if they have one.
    coding: Option<&'static str>,
}

impl Exchange {
    fn encoded(&self, body: &str) -> Vec<u8> {
        let Some("gzip") = self.coding else { return body.into() };
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body.as_bytes()).and_then(|()| encoder.finish()).expect("there is room")
    }

    /// Both answers.
    fn observed(&self) -> [Observation; 2] {
        self.answers.each_ref().map(|(headers, body)| {
            let coding = self.coding.map(|coding| ("content-encoding", coding.to_owned()));
            let mut seen = observed(&(headers.iter().cloned().chain(coding).collect(), String::new()));
            let Seen::Answer(answer) = &mut seen.seen else { panic!("{seen:?}") };
            answer.body = self.encoded(body);
            seen
        })
    }
}

fn copied(exchange: &Exchange, collector: &Collector) -> Copied {
    let mut headers = HeaderMap::new();
    for (name, value) in &exchange.headers {
        headers.append(HeaderName::from_static(name), value.parse().expect("a header"));
    }
    if let Some(coding) = exchange.coding {
        headers.append("content-encoding", coding.parse().expect("a header"));
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
        body: exchange.encoded(&exchange.body).into(),
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
    kept(exchange, hide).0
}

/// The evidence file, and the reports that are made of it in all formats.
fn kept(exchange: &Exchange, hide: &[&str]) -> (String, [String; 4]) {
    let state = tempfile::tempdir().expect("there is room");
    let (collector, notes) = Collector::new(&[]);
    let file = EvidenceFile::new(state.path(), 1 << 30);
    let ledger = Ledger::start(&collector, notes, Some(file), Box::new(|_| None)).expect("it starts");
    let hidden = Hidden::new(hide.iter().map(|field| field.parse().expect("a path")).collect());
    let mut findings = Findings::new(&collector, hidden);
    let [mut control, mut candidate] = exchange.observed();
    decode(&mut control, &mut candidate);
    let policy = Policy { bodies: tierup_parity::Comparator::Json(Default::default()), ..Policy::default() };
    let finding = compare(&control, &candidate, &policy);
    assert!(matches!(finding, Finding::Mismatch(_)), "{finding:?}");
    findings.add(Pair::Candidate, &copied(exchange, &collector), &control, &candidate, &finding);
    drop(findings);
    collector.event(Event::Unreachable { side: Side::Candidate, is: true });
    drop(ledger.end());
    let files = fs::read_dir(state.path().join("evidence")).expect("it was written");
    let file = files.map(|file| fs::read_to_string(file.expect("it is there").path()).expect("it is text")).collect();
    let report = Report::new(&State::read(state.path()).expect("it can be read").summary, &[]);
    let text = Text(Style { width: None, colour: Colour::Plain });
    (file, [text.export(&report), Json.export(&report), Markdown.export(&report), Html.export(&report)])
}

/// How a server may write a value into an answer.
const ENCODINGS: [fn(&str) -> String; 10] = [
    str::to_owned,
    |value| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string(),
    |value| value.bytes().map(|byte| format!("%{byte:02x}")).collect(),
    |value| value.chars().map(|character| format!("\\u{:04x}", u32::from(character))).collect(),
    |value| serde_json::json!(value).to_string(),
    |value| BASE64_STANDARD.encode(format!("user:{value}!")),
    |value| BASE64_URL_SAFE_NO_PAD.encode(value),
    |value| value.chars().map(|character| format!("&#{};", u32::from(character))).collect(),
    |value| value.chars().map(|character| format!("&#x{:X};", u32::from(character))).collect(),
    // As template engines do.
    |value| {
        let escaped =
            [("&", "&amp;"), ("<", "&lt;"), ("\"", "&#34;"), ("+", "&#43;"), ("/", "&#x2F;"), ("=", "&#x3D;")];
        escaped.iter().fold(value.to_owned(), |value, (character, entity)| value.replace(character, entity))
    },
];

/// The places in a request and its answers where a secret may be.
const PLACES: usize = 12;

/// A request with a secret at each place, and two answers that repeat them all under a name that tells nothing.
#[derive(Debug)]
struct Planted {
    secrets: [String; PLACES],
    /// How the answers write them, and which one comes first.
    encoding: usize,
    first: usize,
    /// What the request's body is: JSON, JSON with names as values, a form, or a form in parts.
    body: usize,
    /// What differs first.
    differs: usize,
    is_compressed: bool,
}

impl Planted {
    fn exchange(&self) -> Exchange {
        let [authorization, cookie, key, query, path, field, set, member, hidden, mail, name, password] = &self.secrets;
        let rotated = self.secrets.iter().cycle().skip(self.first).take(PLACES);
        let all: Vec<_> = rotated.map(|secret| ENCODINGS[self.encoding](secret)).collect();
        let answer = |own: &str| {
            let body = serde_json::json!({
                "note": format!("{own} {}", all.join(" ")), "refresh_token": member, "who": { "email": hidden },
                "sessions": { name.as_str(): own },
            });
            let set = utf8_percent_encode(set, NON_ALPHANUMERIC);
            let query = utf8_percent_encode(query, NON_ALPHANUMERIC);
            let headers = vec![
                ("set-cookie", format!("sid={set}; Path=/{own}")),
                ("location", format!("/next?token={query}&{own}")),
            ];
            (headers, body.to_string())
        };
        let [form_query, form_mail] = [query, mail].map(|value| utf8_percent_encode(value, NON_ALPHANUMERIC));
        let (content_type, body) = match self.body {
            0 => {
                let body =
                    serde_json::json!({ "user": { "password": field }, "who": { "email": hidden }, "pwd": password });
                ("application/json", body.to_string())
            }
            1 => {
                let named = |name, value| serde_json::json!({ "name": name, "value": value });
                let body = serde_json::json!([named("user[password]", field), named("pwd", password), { "who": { "email": hidden } }]);
                ("application/json", body.to_string())
            }
            2 => {
                let [field, hidden, password] =
                    [field, hidden, password].map(|value| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string());
                let text = format!("page=2&user%5Bpassword%5D={field}&email={hidden}&pwd={password}");
                ("application/x-www-form-urlencoded", text.replace("%20", "+"))
            }
            _ => {
                let part = |(name, value)| {
                    format!("--xY\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
                };
                let parts =
                    [("user[password]", field), ("email", hidden), ("pwd", password), ("page", &"2".to_owned())];
                ("multipart/form-data; boundary=xY", parts.map(part).concat() + "--xY--\r\n")
            }
        };
        let mut answers = [answer("one"), answer("two")];
        let [control, candidate] = &mut answers;
        match self.differs {
            0 => candidate.0 = control.0.clone(),
            1 => candidate.1 = control.1.clone(),
            2 => *candidate = (control.0.clone(), "no JSON ".to_owned() + &all.join("\n")),
            // Only below the name that is a secret.
            3 => {
                candidate.0 = control.0.clone();
                candidate.1 = control.1.replace(
                    &format!("{}:\"one\"", serde_json::json!(name)),
                    &format!("{}:2", serde_json::json!(name)),
                );
            }
            _ => {}
        }
        Exchange {
            target: format!("/reset/{path}/now?api%5Fkey={form_query}&Email={form_mail}&page=2"),
            headers: vec![
                ("authorization", format!("Bearer {authorization}")),
                ("cookie", format!("theme=dark; session={cookie}")),
                ("x-api-key", key.clone()),
                ("accept", "application/json".to_owned()),
                ("content-type", content_type.to_owned()),
            ],
            body,
            answers,
            coding: self.is_compressed.then_some("gzip"),
        }
    }
}

/// Tokens stand in headers and paths; what people type has any characters.
fn planted() -> impl Strategy<Value = Planted> {
    let (token, typed) =
        ("[a-zA-Z]{9}[0-9][a-zA-Z0-9]{8,30}", "[a-zA-Z0-9]{6}[a-zA-Z0-9\"/+ &=%é\\\\<]{6,200}[a-zA-Z0-9]");
    let of = [token, token, token, typed, token, typed, typed, typed, typed, typed, "[a-z]{8,30}", typed];
    (of, 0..ENCODINGS.len(), 0..PLACES, 0..4_usize, prop_oneof![Just(0), 0..5_usize], any::<bool>()).prop_map(
        |(secrets, encoding, first, body, differs, is_compressed)| Planted {
            secrets,
            encoding,
            first,
            body,
            differs,
            is_compressed,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, max_shrink_iters: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_secret_reaches_a_file_or_a_report_in_any_encoding(planted in planted()) {
        let (file, reports) = kept(&planted.exchange(), &["$.who.email"]);
        prop_assert!(file.contains("\"entry\":\"difference\""), "{file}");
        for text in [&file].into_iter().chain(&reports) {
            for secret in &planted.secrets {
                // A word of the test's own answers may be one of these.
                for written in ENCODINGS.map(|encode| encode(secret)) {
                    prop_assert!(!text.contains(&written), "{secret} as {written} in {text}");
                }
                let bytes = secret.as_bytes();
                for part in [&bytes[..bytes.len() / 2 / 3 * 3], &bytes[bytes.len() / 2 / 3 * 3..]].iter().filter(|part| part.len() > 5) {
                    let written = BASE64_STANDARD.encode(part);
                    let written = &written[..part.len() / 3 * 4];
                    prop_assert!(!text.contains(written), "{secret} as {written} in {text}");
                }
            }
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
fn values_in_a_compressed_body_are_hidden_where_they_are_shown() {
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
    // Nobody knows what the body holds.
    let shown = written(&exchange(Some("zstd"), "hunter22"), &[]);
    assert!(shown.contains("not shown") && !shown.contains("annabel") && !shown.contains("hunter22"), "{shown}");
}

#[test]
fn that_a_body_is_damaged_is_shown() {
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
    let (collector, notes) = Collector::new(&[]);
    let mut findings = Findings::new(&collector, Hidden::new(Vec::new()));
    let finding = compare(&control, &candidate, &policy);
    findings.add(Pair::Candidate, &copied(&exchange, &collector), &control, &candidate, &finding);
    assert!(notes.try_iter().any(|note| format!("{note:?}").contains("body: damaged instead of readable")));
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

/// The kinds of the mismatches, and the words.
fn kinds(exchanges: impl IntoIterator<Item = Exchange>) -> Vec<(String, String)> {
    let (collector, notes) = Collector::new(&[]);
    let mut findings = Findings::new(&collector, Hidden::new(vec!["$.private".parse().expect("a path")]));
    let policy = Policy { bodies: tierup_parity::Comparator::Json(Default::default()), ..Policy::default() };
    for exchange in exchanges {
        let [control, candidate] = exchange.answers.each_ref().map(observed);
        let finding = compare(&control, &candidate, &policy);
        findings.add(Pair::Candidate, &copied(&exchange, &collector), &control, &candidate, &finding);
    }
    drop(findings);
    let noted = notes.try_iter().filter_map(|note| match note {
        crate::Note::Entry(tierup_rollout::evidence::Entry::Difference(found)) => Some((found.kind, found.words)),
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
        // Letters only, as a name of somebody has.
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

#[test]
fn bytes_of_a_body_with_a_secret_are_not_shown() {
    let body = |end: u8| [b"\xff a=s3cret-token-1 ".as_slice(), &[end]].concat();
    let exchange = Exchange {
        target: "/".to_owned(),
        headers: vec![("authorization", "Bearer s3cret-token-1".to_owned())],
        ..Exchange::default()
    };
    let (collector, notes) = Collector::new(&[]);
    let mut findings = Findings::new(&collector, Hidden::new(Vec::new()));
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
        findings = Findings::new(&collector, Hidden::new(Vec::new()));
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
        // The search ends before the last one, though the others are all the same.
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
