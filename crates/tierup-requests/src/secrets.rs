//! Secrets: values from the environment or from `.env`, and credentials in headers. No file, report or hostile request
//! may contain them.
//!
//! In: a request that knows where its values came from. Out: the request [as it was written](Request::written), or
//! [without its secrets](Request::without_secrets). `masks` replaces secrets in texts; `spellings` and `readings` know
//! how a text may spell them. `named` finds values by the names beside them.

mod masks;
mod named;
mod readings;
mod spellings;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use self::spellings::spellings;
pub use self::{
    masks::Secrets,
    named::{MOST_NAMED, named_values},
};
use crate::target::percent_decode;
use crate::{Request, Secret};

/// The shortest value that is masked, in characters: shorter ones occur in too many texts by accident.
const SHORTEST: usize = 4;
/// Replaces a secret where the request must stay valid.
const NEUTRAL: &str = "tierup";
/// Headers with one of these words, between `-`, carry credentials.
const CREDENTIALS: [&str; 20] = [
    "authorization", "authentication", "auth", "token", "secret", "cookie", "session", "password", "credential",
    "credentials", "signature", "sig", "apikey", "jwt", "pwd", "passcode", "passphrase", "csrf", "xsrf", "otp",
];
/// Headers with one of these anywhere in the name carry credentials, too. A false positive costs little.
const PARTS: [&str; 8] = ["api-key", "access-key", "apikey", "accesskey", "token", "secret", "session", "passw"];

/// Whether a header, or a parameter of a query, carries a credential: `Authorization`, `Cookie`, `X-Api-Key`,
/// `access_token` and similar names.
pub fn is_credential(name: &str) -> bool {
    let name = in_words(name);
    name.split('-').any(|word| CREDENTIALS.contains(&word)) || PARTS.iter().any(|part| name.contains(part))
}

/// Converts `authToken`, `auth_token`, `auth[token]` and `Auth-Token` to words with `-` between them.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    let mut after_small = false;
    for character in name.chars() {
        if after_small && character.is_ascii_uppercase() {
            words.push('-');
        }
        after_small = character.is_ascii_lowercase() || character.is_ascii_digit();
        words.push(if character.is_alphanumeric() { character.to_ascii_lowercase() } else { '-' });
    }
    words
}

/// The values, as written, of a query's parameters whose names mark credentials.
fn keys_in(target: &str) -> impl Iterator<Item = &str> {
    let query = target.split_once('?').map_or("", |(_, query)| query);
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.filter(|(name, _)| is_credential(&percent_decode(name))).map(|(_, value)| value)
}

impl Secret {
    fn is_long_enough(&self) -> bool {
        self.value.chars().count() >= SHORTEST
    }
}

impl Request {
    /// Keeps only the secrets that are sent. A value that occurs only in the server's name is not.
    pub(crate) fn with_its_own_secrets(mut self) -> Request {
        let is_sent = |secret: &Secret| {
            spellings(&secret.value).iter().any(|form| {
                self.target.contains(form.as_str())
                    || self.body.windows(form.len()).any(|window| window == form.as_bytes())
                    || self.headers.iter().any(|(name, value)| {
                        value.contains(form.as_str()) || basic(name, value).is_some_and(|user| user.contains(form))
                    })
            })
        };
        let sent: Vec<Secret> =
            self.secrets.iter().filter(|secret| !secret.value.is_empty() && is_sent(secret)).cloned().collect();
        self.secrets = sent;
        self
    }

    /// The same request without secrets: headers that carry credentials are removed, a word replaces the values of
    /// `?api_key=` and similar parameters, and
    /// [values from the environment are removed](Self::without_environment) too.
    pub fn without_secrets(&self) -> Request {
        let mut plain = self.without_environment();
        plain.headers.retain(|(name, _)| !is_credential(name));
        plain.target = without_credentials(&plain.target);
        plain
    }

    /// The same request without values from the environment. A word replaces them in the target and the body; headers
    /// that contain one are removed.
    pub fn without_environment(&self) -> Request {
        let mut plain = Request { secrets: Vec::new(), ..self.clone() };
        let has_secret = |value: &str| {
            let long = self.secrets.iter().filter(|secret| secret.is_long_enough());
            long.flat_map(|secret| spellings(&secret.value)).any(|form| value.contains(&form))
        };
        plain.headers.retain(|(_, value)| !has_secret(value));
        let secrets = self.secrets.iter().map(|secret| Secret { written: NEUTRAL.to_owned(), ..secret.clone() });
        let secrets = Secrets::with_names(&Request { secrets: secrets.collect(), ..self.clone() });
        plain.target = secrets.mask(&plain.target).into_owned();
        plain.body = secrets.masked_bytes(&plain.body).unwrap_or(plain.body);
        plain
    }

    /// The target with `word` in place of each value from the environment, however short.
    pub(crate) fn target_with(&self, word: &str) -> String {
        let mut forms: Vec<String> = self.secrets.iter().flat_map(|secret| spellings(&secret.value)).collect();
        // Longer forms go first, as one form may be a part of another.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        forms
            .iter()
            .filter(|form| !form.is_empty())
            .fold(self.target.clone(), |target, form| target.replace(form, word))
    }

    /// The request as a file may contain it: with `{{$processEnv NAME}}` in place of values from the environment.
    /// `None` if it has a credential in plain text.
    pub fn written(&self) -> Option<Request> {
        let secrets = Secrets::with_names(self);
        let mut written = self.clone();
        for (name, value) in &mut written.headers {
            let masked = secrets.mask(value).into_owned();
            // A name and password are sent in Base64, but written in plain text.
            let is_as_sent = masked != *value;
            *value = match basic(name, value).filter(|_| !is_as_sent) {
                Some(user) => secrets.mask(&format!("Basic {user}")).into_owned(),
                None => masked,
            };
            if is_credential(name) && !is_all_templates(name, value) {
                return None;
            }
        }
        written.target = secrets.mask(&self.target).into_owned();
        if keys_in(&written.target).any(|value| !value.is_empty() && !value.starts_with("{{")) {
            return None;
        }
        written.body = secrets.masked_bytes(&self.body).unwrap_or(written.body);
        Some(written)
    }
}

/// The target, with a word in place of each value of `?api_key=`, `;jsessionid=` and similar parameters.
pub fn without_credentials(target: &str) -> String {
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query)));
    let plain = |pair: &str| match pair.split_once('=') {
        // In a path, the name may follow a `/`, and the value ends at the next one.
        Some((name, value)) if is_credential(&percent_decode(name.rsplit('/').next().unwrap_or_default())) => {
            let rest = value.find('/').map_or("", |end| &value[end..]);
            format!("{name}={NEUTRAL}{rest}")
        }
        _ => pair.to_owned(),
    };
    let path = path.split(';').map(plain).collect::<Vec<_>>().join(";");
    let plain = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if is_credential(&percent_decode(name)) => format!("{name}={NEUTRAL}"),
        _ => pair.to_owned(),
    };
    let query = query.map(|query| query.split('&').map(plain).collect::<Vec<_>>().join("&"));
    query.map_or(path.clone(), |query| format!("{path}?{query}"))
}

/// The secret parts of a header with credentials: tokens, passwords, the values of cookies.
fn credentials(name: &str, value: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let name_in_small = name.to_ascii_lowercase();
    if name_in_small.contains("cookie") {
        // After its first pair, `Set-Cookie` has attributes such as `Path=/` (RFC 6265, section 4.1).
        let pairs = value.split(';').take(if name_in_small.contains("set-cookie") { 1 } else { usize::MAX });
        parts.extend(pairs.filter_map(|pair| Some(pair.split_once('=')?.1.trim().to_owned())));
    } else {
        parts.push(value.split_once(' ').map_or(value, |(_, rest)| rest).trim().to_owned());
        parts.extend(named_values(value.as_bytes(), &is_credential));
        if let Some(user) = basic(name, value) {
            parts.extend(user.split_once(':').map(|(_, password)| password.to_owned()));
        }
    }
    let bare: Vec<_> = parts.iter().filter_map(|part| part.strip_prefix('"')?.strip_suffix('"')).collect();
    let bare: Vec<_> = bare.into_iter().map(str::to_owned).collect();
    parts.extend(bare);
    parts
}

/// `name:password` of a `Basic` header (RFC 7617).
fn basic(name: &str, value: &str) -> Option<String> {
    let (scheme, encoded) = value.split_once(' ')?;
    let is_basic = name.to_ascii_lowercase().ends_with("authorization") && scheme.eq_ignore_ascii_case("basic");
    let decoded = BASE64_STANDARD.decode(encoded.trim()).ok().filter(|_| is_basic)?;
    String::from_utf8(decoded).ok().filter(|user| user.contains(':'))
}

/// Whether a credential has only its scheme, a user's name and the names of cookies in plain text.
fn is_all_templates(name: &str, value: &str) -> bool {
    let is_template = |text: &str| {
        let text = text.trim();
        text.is_empty() || text.starts_with("{{$") && text.ends_with("}}") && text.matches("{{").count() == 1
    };
    if name.to_ascii_lowercase().contains("cookie") {
        return value.split(';').all(|pair| pair.split_once('=').is_some_and(|(_, value)| is_template(value)));
    }
    // The space in `{{$processEnv NAME}}` does not end a scheme.
    let secret = match value.split_once(' ') {
        Some((scheme, rest)) if !scheme.contains("{{") => rest,
        _ => value,
    };
    match secret.rsplit_once(':') {
        Some((_, password)) if value.starts_with("Basic ") => is_template(password),
        _ => is_template(secret),
    }
}

#[cfg(test)]
mod tests {
    use super::is_credential;
    use crate::{Context, Moment, Request, Secrets, Templates};

    fn requests(text: &str) -> Vec<Request> {
        let environment = [
            ("TOKEN", "s3cret-token"),
            ("PASS", "p\"ss/word"),
            ("SHORT", "1"),
            ("HOST", "127.0.0.1:1"),
            ("BASIC", "dTpwYXNzLTE="),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let dotenv = [("KEY".to_owned(), "dot-key".to_owned())];
        let now = Moment { unix_milliseconds: 0, utc_offset_minutes: 0 };
        let context = Context { environment: &environment, dotenv: &dotenv, ..Context::new(now) };
        let templates = Templates::parse("requests.http", text).expect("the requests are sound");
        templates.expand(10, 0, &context).expect("all variables have values").requests
    }

    fn written(text: &str) -> Option<String> {
        let written = requests(text).remove(0).written()?;
        let headers: Vec<String> = written.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        Some(format!("{} | {} | {}", written.target, headers.join(", "), String::from_utf8_lossy(&written.body)))
    }

    #[test]
    fn values_are_written_as_the_file_has_them() {
        let check = |text: &str, expected: &str| assert_eq!(written(text).as_deref(), Some(expected), "{text}");
        check("GET /a?b={{$processEnv TOKEN}}\n", "/a?b={{$processEnv TOKEN}} |  | ");
        check(
            "@t = {{$env.TOKEN}}\nGET /\nAuthorization: Bearer {{t}}\n",
            "/ | Authorization: Bearer {{$processEnv TOKEN}} | ",
        );
        check("GET /\nAuthorization: {{$processEnv TOKEN}}\n", "/ | Authorization: {{$processEnv TOKEN}} | ");
        check(
            "GET /\nAuthorization: Basic admin {{$processEnv PASS}}\n",
            "/ | Authorization: Basic admin:{{$processEnv PASS}} | ",
        );
        check(
            "GET /\nAuthorization: Basic {{$processEnv BASIC}}\n",
            "/ | Authorization: Basic {{$processEnv BASIC}} | ",
        );
        check("GET /\nCookie: a={{$dotenv KEY}}\n", "/ | Cookie: a={{$dotenv KEY}} | ");
        check("POST /\n\n{\"k\":\"{{$dotenv KEY}}\"}\n", "/ |  | {\"k\":\"{{$dotenv KEY}}\"}");
        check("GET http://{{$processEnv HOST}}/127.0.0.2\n", "/127.0.0.2 |  | ");
        check("GET /{{$processEnv SHORT}}/11\n", "/1/11 |  | ");
    }

    #[test]
    fn a_credential_in_plain_text_is_not_written() {
        for header in [
            "Authorization: Bearer literal",
            "Authorization: Basic admin literal",
            "Authorization: Basic admin x{{$processEnv TOKEN}}",
            "Cookie: a={{$dotenv KEY}}; b=literal",
            "Proxy-Authorization: literal",
            "X-Api-Key: literal",
            "Authorization: Bearer {{$processEnv SHORT}}",
        ] {
            assert_eq!(written(&format!("GET /\n{header}\n")), None, "{header}");
        }
    }

    #[test]
    fn texts_lose_every_spelling() {
        let text = "GET /?a={{$processEnv TOKEN}}\nAuthorization: Basic u {{$processEnv PASS}}\n\n\
                    ###\nGET /\nAuthorization: Bearer literal-1\nCookie: a=literal-2; b=x\n";
        let secrets = Secrets::collect(&requests(text));
        let check = |text: &str, expected: &str| assert_eq!(secrets.mask(text), expected);
        check("got s3cret-token!", "got {{$processEnv TOKEN}}!");
        check(r#""p\"ss/word""#, r#""{{$processEnv PASS}}""#);
        check("p%22ss%2Fword", "{{$processEnv PASS}}");
        check("literal-1, literal-2, x", "(masked), (masked), x");
        check("Basic dTpwInNzL3dvcmQ=", "Basic (masked)");
        // A text that was cut still shows a part of the secret.
        check("a s3cret…", "a {{$processEnv TOKEN}}…");
        check("…-token b", "…{{$processEnv TOKEN}} b");
        check("…\"-token b\"", "…\"{{$processEnv TOKEN}} b\"");
        check("nothing to see…", "nothing to see…");
        assert_eq!(secrets.masked_bytes(b"\xff s3cret-token"), Some(b"\xff {{$processEnv TOKEN}}".to_vec()));
        assert_eq!(secrets.masked_bytes(b"nothing"), None);
    }

    #[test]
    fn a_request_without_secrets_stays_valid() {
        let text = "POST /{{$processEnv TOKEN}}/a?api_key=literal&b=1\nX-A: {{$processEnv TOKEN}}\nX-B: b\nCookie: c=d\n\n\
                    {{$processEnv TOKEN}}\n";
        let plain = requests(text).remove(0).without_secrets();
        assert_eq!(plain.target, "/tierup/a?api_key=tierup&b=1");
        assert_eq!(plain.headers, [("X-B".to_owned(), "b".to_owned())]);
        assert_eq!((plain.body, plain.secrets), (b"tierup".to_vec(), Vec::new()));
    }

    #[test]
    fn names_of_credentials_are_known_in_every_spelling() {
        for name in [
            "Authorization", "X-Api-Key", "authToken", "refresh_token", "clientSecret", "sessionid", "passwd",
            "user[otp]", "login.pwd", "user:jwt", "api key",
        ] {
            assert!(is_credential(name), "{name}");
        }
        for name in ["Accept", "author", "text", "keyboard", "page", "user[name]", "a.b"] {
            assert!(!is_credential(name), "{name}");
        }
    }

    #[test]
    fn attributes_of_a_cookie_are_not_secrets() {
        let headers = "Set-Cookie: sid=\"s3cret-1%2F2\"; Path=/shop; Domain=example.org; Max-Age=3600; SameSite=Lax\n";
        let secrets = Secrets::collect(&requests(&format!("GET /\n{headers}")));
        let check = |text: &str, expected: &str| assert_eq!(secrets.mask(text), expected);
        check("/shop on example.org for 3600 s, Lax", "/shop on example.org for 3600 s, Lax");
        check("sid is s3cret-1/2, \"s3cret-1%2f2\"", "sid is (masked), (masked)");
    }

    #[test]
    fn values_of_forms_and_queries_are_secrets_by_their_names_in_any_encoding() {
        let text = "POST /login?next=a&api%5Fkey=k%C3%A9y-1&page=12345\nReferer: http://shop/?token=s3cret-2\n\
                    Content-Type: application/x-www-form-urlencoded\n\nuser=annie&password=p%22ss+word%2F1\n";
        let secrets = Secrets::collect(&requests(text));
        let check = |text: &str, expected: &str| assert_eq!(secrets.mask(text), expected);
        check("annie, 12345", "annie, 12345");
        check("kéy-1 k%c3%a9y-1 k\\u00e9y-1 k\\\\u00e9y-1", "(masked) (masked) (masked) (masked)");
        check("p\"ss word/1 and p%22ss%20word%2f1", "(masked) and (masked)");
        check(r#"p\"ss word\/1 and p&quot;ss word/1"#, "(masked) and (masked)");
        check("p&#34;ss&#x20;word&#X2F;1 and p&#34ss&#32word&#x2F;1", "(masked) and (masked)");
        check("p&#34;ss wo&#0011… and …&#x0072;d&#47;1", "(masked)… and …(masked)");
        check("s3cret-2", "(masked)");
        // Base64 of `user:s3cret-2!`; the characters shared with its neighbours are left.
        check("dXNlcjpzM2NyZXQtMiE=", "dXNlcjp(masked)iE=");
        check("a…cret-2 p%22ss wo%2…", "a…(masked) (masked)…");
        assert_eq!(secrets.masked_bytes(b"\xff p%22ss+word%2F1"), Some(b"\xff (masked)".to_vec()));
    }

    #[test]
    fn the_middle_of_a_long_secret_is_not_shown() {
        let token = "abcdefghij0123456789".repeat(20);
        let secrets = Secrets::collect(&requests(&format!("GET /\nAuthorization: Bearer {token}\n")));
        assert_eq!(secrets.mask(&format!("a: …\"{}…", &token[57..170])), "a: …\"(masked)…");
        assert_eq!(secrets.mask("…\"what else…"), "…\"what else…");
    }

    #[test]
    fn a_key_in_a_query_is_neither_shown_nor_kept() {
        let request = requests("GET /items?access_token=eyJhbGciOi&debug=true\nCookie: consent=true\n").remove(0);
        assert!(request.written().is_none());
        let secrets = Secrets::collect([&request]);
        assert_eq!(
            secrets.mask("/items?access_token=eyJhbGciOi&debug=true"),
            "/items?access_token=(masked)&debug=true"
        );
    }
}
