//! Secrets at all places of a request, repeated by answers in any encoding: none reaches a file or a report.

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;

use super::exchange::{Exchange, kept};
use crate::hidden::Show;

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
    // The encoding of template engines.
    |value| {
        let escaped =
            [("&", "&amp;"), ("<", "&lt;"), ("\"", "&#34;"), ("+", "&#43;"), ("/", "&#x2F;"), ("=", "&#x3D;")];
        escaped.iter().fold(value.to_owned(), |value, (character, entity)| value.replace(character, entity))
    },
];

/// The places in a request and its answers where a secret may be.
const PLACES: usize = 19;
/// So many places have secrets that a name or their form reveals. The others are secret because few clients sent them.
const MARKED: usize = 15;

/// A request with a secret at each place, and two answers that repeat them all under a neutral name.
#[derive(Debug)]
struct Planted {
    secrets: [String; PLACES],
    /// How the answers encode the secrets, and which secret comes first.
    encoding: usize,
    first: usize,
    /// The kind of the request's body: JSON, JSON with names as values, a form, or a multipart form.
    body: usize,
    /// The number of the first difference.
    differs: usize,
    is_compressed: bool,
    /// Whether the user allows everything to be shown.
    shows_all: bool,
}

impl Planted {
    fn exchange(&self) -> Exchange {
        let [
            authorization,
            cookie,
            key,
            query,
            path,
            field,
            set,
            member,
            hidden,
            mail,
            name,
            password,
            code,
            within,
            invited,
            plain,
            word,
            issued,
            referred,
        ] = &self.secrets;
        let rotated = self.secrets.iter().cycle().skip(self.first).take(PLACES);
        let all: Vec<_> = rotated.map(|secret| ENCODINGS[self.encoding](secret)).collect();
        let answer = |own: &str| {
            let body = serde_json::json!({
                "note": format!("{own} {}", all.join(" ")), "refresh_token": member, "who": { "email": hidden },
                "sessions": { name.as_str(): own },
            });
            let set = utf8_percent_encode(set, NON_ALPHANUMERIC);
            let [query, issued] = [query, issued].map(|value| utf8_percent_encode(value, NON_ALPHANUMERIC));
            let headers = vec![
                ("set-cookie", format!("sid={set}; Path=/{own}")),
                ("location", format!("/next/{word}?token={query}&v={issued}&{own}")),
            ];
            (headers, body.to_string())
        };
        let [form_query, form_mail, plain, referred] =
            [query, mail, plain, referred].map(|value| utf8_percent_encode(value, NON_ALPHANUMERIC));
        let next = utf8_percent_encode(&format!("/in?go={}", within_twice(within)), NON_ALPHANUMERIC).to_string();
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
            // The answers differ below a name that is itself a secret.
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
            target: format!(
                "/reset/{path}/invite/{invited}/to/{word}?api%5Fkey={form_query}&Email={form_mail}&page=2&code={code}\
                 &next={next}&q={plain}"
            ),
            headers: vec![
                ("authorization", format!("Bearer {authorization}")),
                ("cookie", format!("theme=dark; session={cookie}")),
                ("x-api-key", key.clone()),
                ("accept", "application/json".to_owned()),
                ("referer", format!("http://shop/found?q={referred}")),
                ("content-type", content_type.to_owned()),
            ],
            body,
            answers,
            coding: self.is_compressed.then_some("gzip"),
        }
    }
}

/// A target with a credential, encoded as a parameter's value.
fn within_twice(secret: &str) -> String {
    let value = utf8_percent_encode(secret, NON_ALPHANUMERIC);
    utf8_percent_encode(&format!("/cb?access_token={value}&page=1"), NON_ALPHANUMERIC).to_string()
}

/// Tokens are in headers and paths; text that people type may have any characters.
fn planted() -> impl Strategy<Value = Planted> {
    let (token, typed) =
        ("[a-zA-Z]{9}[0-9][a-zA-Z0-9]{8,30}", "[a-zA-Z0-9]{6}[a-zA-Z0-9\"/+ &=%é\\\\<]{6,200}[a-zA-Z0-9]");
    let of = [
        token, token, token, typed, token, typed, typed, typed, typed, typed, "[a-z]{8,30}", typed, token, token,
        "[a-z]{20,30}", typed, "[a-z]{8,30}", typed, typed,
    ];
    (of, 0..ENCODINGS.len(), 0..PLACES, 0..4_usize, prop_oneof![Just(0), 0..5_usize], any::<(bool, bool)>()).prop_map(
        |(secrets, encoding, first, body, differs, (is_compressed, shows_all))| Planted {
            secrets,
            encoding,
            first,
            body,
            differs,
            is_compressed,
            shows_all,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_secret_reaches_a_file_or_a_report_in_any_encoding(planted in planted()) {
        let (show, count) = if planted.shows_all { (Show::all(), MARKED) } else { (Show::default(), PLACES) };
        let (file, reports) = kept(&planted.exchange(), &["$.who.email"], show);
        prop_assert!(file.contains("\"entry\":\"difference\""), "{file}");
        for text in [&file].into_iter().chain(&reports) {
            for secret in &planted.secrets[..count] {
                // A word in the test's own answers may equal a secret.
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
