//! Compares the headers of two answers: those that clients act on, by their meaning.
//!
//! In: two [`Answer`]s. Out: [`Differences`], and for a summary the names of headers that differ but do not count.

mod cookies;
mod lists;
mod location;

use std::collections::BTreeSet;

use httpdate::parse_http_date;
use tierup_requests::is_credential;

use crate::coding;
use crate::comparator::HeaderRules;
use crate::difference::{Difference, Differences, Place};
use crate::observation::Answer;

/// How the value of a header is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Each value as it is written.
    Text,
    /// Names in any order and any case.
    Names,
    /// Words in any order.
    Words,
    /// `no-store, max-age=60`, in any order.
    Directives,
    /// Content codings, whose order counts.
    Codings,
    /// `attachment; filename="a.csv"`
    Disposition,
    /// `Basic realm="a"`, without the values that are new in each answer.
    Challenges,
    /// A URL. Each server's own address equals the other server's own address.
    Url,
    /// Names and attributes, not values.
    Cookies,
    /// `default-src 'self'; img-src *`, in any order, without the values that are new in each answer.
    Policy,
    /// A time, compared by whether it has passed when the answer is sent; any other text, such as a number, as written.
    Moment,
}

/// Headers that are compared by default, in their usual spelling. All `Access-Control-…` headers are compared too.
const COMPARED: [(&str, Meaning); 25] = [
    ("Location", Meaning::Url),
    ("Set-Cookie", Meaning::Cookies),
    ("Cache-Control", Meaning::Directives),
    ("Vary", Meaning::Names),
    ("Content-Encoding", Meaning::Codings),
    ("Content-Disposition", Meaning::Disposition),
    ("WWW-Authenticate", Meaning::Challenges),
    ("Proxy-Authenticate", Meaning::Challenges),
    ("Allow", Meaning::Words),
    ("Content-Security-Policy", Meaning::Policy),
    ("Strict-Transport-Security", Meaning::Policy),
    ("X-Frame-Options", Meaning::Names),
    ("X-Content-Type-Options", Meaning::Names),
    ("Content-Range", Meaning::Text),
    ("Accept-Ranges", Meaning::Names),
    ("Retry-After", Meaning::Moment),
    ("Link", Meaning::Text),
    ("Refresh", Meaning::Text),
    ("Expires", Meaning::Moment),
    ("Access-Control-Allow-Origin", Meaning::Url),
    ("Access-Control-Allow-Methods", Meaning::Words),
    ("Access-Control-Allow-Headers", Meaning::Names),
    ("Access-Control-Expose-Headers", Meaning::Names),
    ("Access-Control-Allow-Credentials", Meaning::Text),
    ("Access-Control-Max-Age", Meaning::Text),
];
const CORS: &str = "access-control-";
/// Headers that describe the body, or what a browser may do with it. They count only if the body does: an error page
/// and its policies often come from the framework (`http.Error` of Go and Express send some).
const OF_BODY: [&str; 6] = [
    "content-encoding", "content-disposition", "content-range", "content-security-policy", "x-frame-options",
    "x-content-type-options",
];
/// Headers of the connection or the moment, and the media type, which has rules of its own.
const TRANSPORT: [&str; 9] = [
    "connection", "content-length", "content-type", "date", "keep-alive", "proxy-connection", "trailer",
    "transfer-encoding", "upgrade",
];
/// Names whose usual spelling is not a capital at the start of each word.
const SPELLED: [&str; 4] = ["ETag", "WWW-Authenticate", "X-XSS-Protection", "X-UA-Compatible"];

/// Whether the bodies of two answers are compared, and with them the headers that describe them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bodies {
    Compared,
    /// Errors, by the default policy.
    NotCompared,
}

/// The differences between the headers that count.
pub(crate) fn differences(mine: &Answer, theirs: &Answer, rules: &HeaderRules, bodies: Bodies) -> Differences {
    let mut found = Differences::default();
    for name in names(mine, theirs).into_iter().filter(|name| counts(name, rules)) {
        if bodies == Bodies::NotCompared && OF_BODY.contains(&name) {
            continue;
        }
        let [my_value, their_value] = [mine, theirs].map(|answer| read(answer, name));
        // Each content coding of a body has an entity tag of its own (RFC 9110, section 8.8.3).
        let is_of_coding =
            name == "etag" && my_value.is_some() && their_value.is_some() && coding::differ(mine, theirs);
        if is_of_coding {
            continue;
        }
        // Identical bytes are alike even if their meanings differ: both servers may be configured with one public
        // address.
        if my_value != their_value && values(mine, name) != values(theirs, name) {
            // A token in one of the project's own headers is compared, but never shown.
            let is_secret = meaning(name).is_none() && is_credential(name);
            let [my_value, their_value] = [&my_value, &their_value]
                .map(|value| value.as_deref().map(|text| if is_secret { "(masked)" } else { text }));
            found.push(Difference::new(Place::Header(spelled(name)), my_value, their_value));
        }
    }
    found
}

/// Headers that differ but are not compared, such as those that frameworks add, in their usual spelling. The values of
/// headers in `changing` differ in each answer, so only their presence counts.
pub fn not_compared(
    mine: &Answer,
    theirs: &Answer,
    rules: &HeaderRules,
    changing: &BTreeSet<String>,
) -> BTreeSet<String> {
    let differ = |name: &&str| {
        let [mine, theirs] = [mine, theirs].map(|answer| values(answer, name));
        mine != theirs && (!changing.contains(&spelled(name)) || mine.is_empty() != theirs.is_empty())
    };
    let unnamed = |name: &&str| !counts(name, rules) && !rules.ignores(name) && !TRANSPORT.contains(name);
    names(mine, theirs).into_iter().filter(unnamed).filter(differ).map(spelled).collect()
}

fn counts(name: &str, rules: &HeaderRules) -> bool {
    let is_known = meaning(name).is_some() || name.starts_with(CORS);
    !rules.ignores(name) && (is_known && !TRANSPORT.contains(&name) || rules.adds(name))
}

/// The names of all headers in either answer, in lower case.
fn names<'a>(mine: &'a Answer, theirs: &'a Answer) -> BTreeSet<&'a str> {
    mine.headers.iter().chain(&theirs.headers).map(|(name, _)| name.as_str()).collect()
}

fn values<'a>(answer: &'a Answer, name: &str) -> Vec<&'a str> {
    answer.headers.iter().filter(|(known, _)| known == name).map(|(_, value)| value.trim()).collect()
}

fn meaning(name: &str) -> Option<Meaning> {
    COMPARED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, meaning)| *meaning)
}

/// A header's value in one canonical spelling; `None` if the header is missing.
fn read(answer: &Answer, name: &str) -> Option<String> {
    let values = values(answer, name);
    if values.is_empty() {
        return None;
    }
    Some(match meaning(name).unwrap_or(Meaning::Text) {
        Meaning::Text => values.join(", "),
        Meaning::Names => lists::set(&values, str::to_ascii_lowercase),
        Meaning::Words => lists::set(&values, str::to_owned),
        Meaning::Directives => lists::set(&values, lists::directive),
        Meaning::Codings => lists::list(&values, str::to_ascii_lowercase),
        Meaning::Disposition => lists::parameters(&values.join(", ")),
        Meaning::Challenges => lists::challenges(&values),
        Meaning::Url => values.iter().map(|value| location::read(value, &answer.url)).collect::<Vec<_>>().join(", "),
        Meaning::Cookies => cookies::read(&values),
        Meaning::Policy => policy(&values),
        Meaning::Moment => moment(&values, self::values(answer, "date").first().copied()),
    })
}

/// The usual spelling of a name: `Content-Encoding` for `content-encoding`.
fn spelled(name: &str) -> String {
    let known = COMPARED.iter().map(|(name, _)| *name).chain(SPELLED).find(|known| known.eq_ignore_ascii_case(name));
    let capital = |part: &str| match part.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_uppercase() + rest,
        None => part.to_owned(),
    };
    known.map_or_else(|| name.split('-').map(capital).collect::<Vec<_>>().join("-"), str::to_owned)
}

/// "past" or "to come", relative to the answer's own `Date`: two servers rarely answer within the same second, so the
/// time itself does not count. Texts that are not dates stay as written (RFC 9110, section 5.6.7).
fn moment(values: &[&str], date: Option<&str>) -> String {
    let written = values.join(", ");
    let Ok(moment) = parse_http_date(&written) else { return written };
    match date.and_then(|date| parse_http_date(date).ok()) {
        Some(now) if moment <= now => "past".to_owned(),
        Some(_) => "to come".to_owned(),
        None => "a date".to_owned(),
    }
}

/// Policies that a browser enforces: the directives of each value, sorted, without nonces.
fn policy(values: &[&str]) -> String {
    let line = |value: &&str| {
        let directives: BTreeSet<String> = value.split(';').map(directive).filter(|text| !text.is_empty()).collect();
        directives.into_iter().collect::<Vec<_>>().join("; ")
    };
    values.iter().map(line).collect::<Vec<_>>().join(", ")
}

/// `img-src *` for ` Img-Src  *`. The case of the text after the name is kept, as it may be a path.
fn directive(text: &str) -> String {
    let mut words = text.split_ascii_whitespace();
    let name = words.next().unwrap_or_default().to_ascii_lowercase();
    // Each answer has a new nonce (Content Security Policy Level 3, section 7.1).
    let word = |word: &str| if word.starts_with("'nonce-") { "'nonce-…'".to_owned() } else { word.to_owned() };
    [name].into_iter().chain(words.map(word)).collect::<Vec<_>>().join(" ")
}
