//! A mismatch as evidence keeps it: which request, what differs first, and no secret.
//!
//! Of bodies only the values that differ are kept, cut as reports cut them. Credentials are known by the names of headers,
//! parameters and fields; their values are hidden wherever they occur again. `place` is the difference's place, without
//! names of members that are data. See docs/shadow.md for what stays.

mod place;

use std::{borrow::Cow, cell::OnceCell, iter};

use hyper::{HeaderMap, header::CONTENT_ENCODING};
use percent_encoding::percent_decode_str;
use tierup_parity::{Coding, Difference, Observation, Place, Seen, plain};
use tierup_requests::{Request, Secret, Secrets, is_credential, may_let_in, without_credentials};
use tierup_rollout::evidence::{self, Pair};

pub(super) use self::place::Crowds;
use crate::{
    copy::Copied,
    hidden::{Hidden, InBodies},
    identifier,
};

/// Longer requests and words are cut, in characters.
const LONGEST: usize = 1000;
/// Headers that decide about the form of an answer, and hold nothing of the client.
const KEPT: [&str; 4] = ["accept", "accept-encoding", "content-type", "range"];
/// The largest body that is decoded to look for what must not be shown, in bytes. Clients choose what they compress.
const MOST_DECODED: usize = 2 << 20;
/// A part of a path with so many characters, and a digit, may be a token.
const TOKEN: usize = 16;
/// Stands for what is not shown.
const HIDDEN: &str = "(hidden)";

/// Everything that tells about one mismatch.
#[derive(Clone, Copy)]
pub(super) struct Mismatch<'a> {
    /// The name under which it is counted.
    pub(super) route: &'a str,
    pub(super) pair: Pair,
    pub(super) copied: &'a Copied,
    pub(super) control: &'a Observation,
    pub(super) other: &'a Observation,
    pub(super) first: &'a Difference,
}

/// How large a request is, in bytes: the smallest of a kind is kept.
pub(super) fn size(copied: &Copied) -> u64 {
    (copied.target.to_string().len() + copied.body.len()) as u64
}

/// A mismatch whose place is known without data.
pub(super) struct Located<'a> {
    mismatch: Mismatch<'a>,
    hidden: &'a Hidden,
    place: Place,
    known: OnceCell<Known<'a>>,
}

/// What must not be shown.
struct Known<'a> {
    bodies: Bodies<'a>,
    in_bodies: InBodies,
    secrets: Secrets,
}

/// The bodies of a mismatch, decoded.
struct Bodies<'a> {
    /// The request's; `None`: it cannot be decoded.
    request: Option<Cow<'a, [u8]>>,
    /// Those of the answers and calls.
    others: Vec<Cow<'a, [u8]>>,
    /// Some cannot be decoded: nobody knows what they hold.
    are_unknown: bool,
}

impl Known<'_> {
    /// Whether there are values that are not looked for: they are too many, or in a body that cannot be decoded.
    fn may_lack_some(&self) -> bool {
        self.bodies.are_unknown || self.in_bodies.are_too_many()
    }
}

impl Bodies<'_> {
    fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.request.iter().chain(&self.others).map(|body| &**body)
    }
}

impl<'a> Mismatch<'a> {
    pub(super) fn located(self, hidden: &'a Hidden, crowds: &mut Crowds) -> Located<'a> {
        let mut located = Located { mismatch: self, hidden, place: self.first.place.clone(), known: OnceCell::new() };
        located.place = place::without_data(&located, crowds);
        located
    }
}

impl<'a> Located<'a> {
    /// The kind of the difference: its place, without positions. `$.items[3].id` and `$.items[4].id` are of one kind.
    pub(super) fn kind(&self) -> String {
        place::kind(&self.place)
    }

    fn known(&self) -> &Known<'a> {
        self.known.get_or_init(|| {
            let bodies = self.mismatch.bodies();
            let in_bodies = self.hidden.of(bodies.iter());
            let secrets = self.secrets(&in_bodies);
            Known { bodies, in_bodies, secrets }
        })
    }

    pub(super) fn shown(&self) -> evidence::Difference {
        let Mismatch { route, pair, copied, .. } = self.mismatch;
        let Known { bodies, secrets, .. } = self.known();
        let target = copied.target.to_string();
        // Any part of the request may repeat a value that is not looked for.
        let is_unknown = self.known().may_lack_some();
        let asked = match is_unknown {
            true => HIDDEN.to_owned(),
            false => secrets.mask(&shown_target(&self.hidden.target(&target))).into_owned(),
        };
        let not_repeatable = if bodies.are_unknown {
            Some("a body cannot be decoded, and any value may be secret")
        } else if is_unknown {
            Some("too many of its values may be secret")
        } else if !copied.body.is_empty() {
            Some("its body is not kept")
        } else if asked != target || asked.chars().count() > LONGEST {
            Some("a part of its target is hidden")
        } else if copied.headers.keys().any(|name| is_credential(name.as_str())) {
            Some("its credentials are not kept")
        } else {
            None
        };
        evidence::Difference {
            // It is a name, without identifiers, and stands in the counts as well.
            route: route.to_owned(),
            pair,
            kind: self.kind(),
            request: cut(&format!("{} {asked}", copied.method)),
            size: size(copied),
            words: cut(&secrets.mask(&self.words())),
            headers: if is_unknown { Vec::new() } else { self.kept_headers() },
            not_repeatable: not_repeatable.map(str::to_owned),
        }
    }

    /// The difference, without values that are hidden, or secret by the names beside them.
    fn words(&self) -> String {
        let (place, Known { bodies, in_bodies, secrets }) = (&self.place, self.known());
        let first = Difference { place: place.clone(), ..self.mismatch.first.clone() };
        let shown = first.to_string();
        // A text may be JSON that is compared byte for byte.
        let mut names = shown.split(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | '-'));
        // A secret is not found in bytes that are shown as numbers.
        let in_bytes = || is_byte(place) && bodies.iter().any(|body| secrets.masked_bytes(body).is_some());
        let may_be_anything = in_bodies.are_too_many() || (bodies.are_unknown && !self.mismatch.has_no_value());
        if names.any(is_credential) || in_bytes() || may_be_anything {
            return format!("{place}: the values differ (not shown, as they may hold a credential)");
        }
        if !self.hidden.is_empty() && may_hold_hidden(&self.mismatch.first.place, self.hidden, in_bodies) {
            let hash =
                |value: &Option<String>| value.as_ref().map_or("nothing".to_owned(), |value| self.hidden.hash(value));
            return format!("{place}: {} instead of {}", hash(&first.candidate), hash(&first.control));
        }
        shown
    }

    /// Of the request, of both answers, and of the calls that the servers made.
    fn secrets(&self, in_bodies: &InBodies) -> Secrets {
        let Mismatch { copied, control, other, .. } = self.mismatch;
        let mut headers = texts(&copied.headers);
        let mut targets = vec![copied.target.to_string()];
        for observation in [control, other] {
            if let Seen::Answer(answer) = &observation.seen {
                headers.extend(answer.headers.iter().cloned());
            }
            targets.extend(observation.downstream.iter().map(|call| call.target.clone()));
        }
        let values =
            in_bodies.values.iter().map(|(value, written)| Secret { value: value.clone(), written: written.clone() });
        let queries = targets.iter().flat_map(|target| self.hidden.in_query(target));
        let queries = queries.flat_map(|value| {
            // A body has the value as it is meant, a target as it is written.
            let meant = percent_decode_str(&value).decode_utf8_lossy().into_owned();
            [value, meant].map(|value| Secret { written: self.hidden.hash(&value), value })
        });
        let tokens = targets.iter().flat_map(|target| tokens(target));
        let tokens = tokens.map(|token| Secret { value: token.to_owned(), written: HIDDEN.to_owned() });
        let mut requests = vec![request(headers, String::new(), values.chain(queries).chain(tokens).collect())];
        requests.extend(targets.iter().map(|target| request(Vec::new(), target.clone(), Vec::new())));
        Secrets::of(&requests)
    }

    fn kept_headers(&self) -> Vec<(String, String)> {
        let headers =
            texts(&self.mismatch.copied.headers).into_iter().filter(|(name, _)| KEPT.contains(&name.as_str()));
        headers.map(|(name, value)| (name, cut(&self.known().secrets.mask(&value)))).collect()
    }
}

impl<'a> Mismatch<'a> {
    fn bodies(&self) -> Bodies<'a> {
        // A coding that is no text is none that can be decoded.
        let codings = self.copied.headers.get_all(CONTENT_ENCODING).iter().map(|value| value.to_str().unwrap_or("?"));
        let request = plain(codings, &self.copied.body, MOST_DECODED);
        let mut bodies = Bodies { are_unknown: request.is_none(), request, others: Vec::new() };
        for observation in [self.control, self.other] {
            if let Seen::Answer(answer) = &observation.seen {
                let body = answer.plain(MOST_DECODED);
                bodies.are_unknown |= body.is_none();
                bodies.others.extend(body);
            }
            bodies.others.extend(observation.downstream.iter().map(|call| Cow::Borrowed(&*call.body)));
        }
        bodies
    }

    /// Whether the difference is told without a value of a server's: it is the status, or that a body cannot be decoded.
    fn has_no_value(&self) -> bool {
        let is_damaged = |observation: &Observation| match &observation.seen {
            Seen::Answer(answer) => matches!(answer.coding, Coding::Damaged(_)),
            _ => false,
        };
        match self.first.place {
            Place::Status => true,
            Place::Body => [self.control, self.other].into_iter().any(is_damaged),
            _ => false,
        }
    }
}

/// Whether the values at a place may hold a hidden field. Only of JSON it is known that they do not.
fn may_hold_hidden(place: &Place, hidden: &Hidden, found: &InBodies) -> bool {
    match place {
        Place::Json(location) => hidden.hides(location, found),
        Place::Downstream { part: Some(part), .. } => may_hold_hidden(part, hidden, found),
        Place::Status | Place::ContentType | Place::Header(_) => false,
        _ => true,
    }
}

fn is_byte(place: &Place) -> bool {
    match place {
        Place::Byte(_) => true,
        Place::Downstream { part: Some(part), .. } => is_byte(part),
        _ => false,
    }
}

/// A target without the values of credentials in its query, and without parts of its path that may be tokens.
fn shown_target(target: &str) -> String {
    let target = without_credentials(target);
    let query = target.split_once('?').map_or("", |(path, _)| &target[path.len()..]);
    let parts: Vec<_> = parts(&target).map(|(part, is_token)| if is_token { HIDDEN } else { part }).collect();
    parts.join("/") + query
}

fn tokens(target: &str) -> impl Iterator<Item = &str> {
    parts(target).filter(|(_, is_token)| *is_token).map(|(part, _)| part)
}

/// The parts of a target's path, and whether each may be a token.
fn parts(target: &str) -> impl Iterator<Item = (&str, bool)> {
    let parts = target.split('?').next().unwrap_or_default().split('/');
    let before = iter::once("").chain(parts.clone());
    parts.zip(before).map(|(part, before)| (part, may_be_token(part) || may_let_in(before, part)))
}

fn may_be_token(part: &str) -> bool {
    let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
    let has_digit = part.bytes().any(|byte| byte.is_ascii_digit());
    let is_long = part.len() >= TOKEN && !is_number && (has_digit || identifier::is_random(part));
    is_long || part.contains('@') || part.to_ascii_lowercase().contains("%40")
}

fn request(headers: Vec<(String, String)>, target: String, secrets: Vec<Secret>) -> Request {
    let place = tierup_requests::Place { file: String::new(), line: 1 };
    let (name, method) = (String::new(), String::new());
    Request { name, place, method, target, host: None, headers, body: Vec::new(), expected_status: None, secrets }
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}

fn cut(text: &str) -> String {
    let mut rest = text.chars();
    let cut: String = rest.by_ref().take(LONGEST).collect();
    if rest.next().is_some() { cut + "…" } else { cut }
}

#[cfg(test)]
mod tests;
