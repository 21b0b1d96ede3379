//! What must not be shown of a mismatch. In: a [`Mismatch`], and what is hidden. Out: [`NotShown`], which finds these
//! values in texts.

use std::{borrow::Cow, mem};

use hyper::{HeaderMap, header::CONTENT_ENCODING};
use tierup_parity::{
    Observation, Seen,
    json::{Json, Kind, read},
    plain,
};
use tierup_requests::{Request, Secret, Secrets, named_values};

use super::{Mismatch, target};
use crate::hidden::{Hidden, InBodies, Shown, hash, lets_in};

/// The largest body that is decoded to search for secrets, in bytes. Clients choose what they compress.
const MOST_DECODED: usize = 2 << 20;
/// Headers of answers that hold a target.
const TARGETS: [&str; 4] = ["content-location", "link", "location", "refresh"];

/// The values that must not be shown.
pub(super) struct NotShown<'a> {
    pub(super) bodies: Bodies<'a>,
    pub(super) in_bodies: InBodies,
    /// The shown form of the request's target.
    pub(super) target: String,
    /// The values that must not appear anywhere.
    pub(super) secrets: Secrets,
    /// The values that must not appear within a value: `secrets`, and those that few clients sent.
    pub(super) in_values: Secrets,
    /// Whether targets have more values than can be searched for.
    has_too_many: bool,
}

/// The decoded bodies of a mismatch.
pub(super) struct Bodies<'a> {
    /// The request's body; `None` if it cannot be decoded.
    pub(super) request: Option<Cow<'a, [u8]>>,
    /// The bodies of answers and calls.
    others: Vec<Cow<'a, [u8]>>,
    /// Whether some bodies cannot be decoded, so that their contents are unknown.
    pub(super) are_unknown: bool,
}

impl<'a> NotShown<'a> {
    pub(super) fn collect(mismatch: Mismatch<'a>, hidden: &Hidden) -> NotShown<'a> {
        let bodies = mismatch.bodies();
        let in_bodies = hidden.of(bodies.iter());
        let (target, left_out) = mismatch.targets(hidden, bodies.request.as_deref().unwrap_or_default());
        let (secrets, in_values) = mismatch.secrets(&in_bodies, &left_out);
        NotShown { bodies, in_bodies, target, secrets, in_values, has_too_many: left_out.are_too_many() }
    }

    /// Whether some values are not searched for, as there are too many, or as a body cannot be decoded.
    pub(super) fn may_lack_some(&self) -> bool {
        self.bodies.are_unknown || self.are_too_many()
    }

    pub(super) fn are_too_many(&self) -> bool {
        self.has_too_many || self.in_bodies.are_too_many()
    }
}

impl Bodies<'_> {
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.request.iter().chain(&self.others).map(|body| &**body)
    }
}

impl<'a> Mismatch<'a> {
    fn bodies(&self) -> Bodies<'a> {
        // A coding whose name is not text cannot be decoded.
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

    /// The shown form of the request's target; and the values that must not be shown of it, and of targets in the
    /// request's headers, in the answers, and in the servers' calls.
    fn targets(&self, hidden: &Hidden, body: &[u8]) -> (String, Shown) {
        let Mismatch { route, copied, control, other, .. } = *self;
        let mut all = hidden.shown(target(copied), route);
        let asked = mem::take(&mut all.text);
        let mut add = |target: &str| all.leave_out_all(&hidden.shown(target, ""));
        let sent = texts(&copied.headers).into_iter().map(|(_, value)| value);
        sent.filter(|value| value.starts_with('/') || value.starts_with("http")).for_each(|value| add(&value));
        [control, other].into_iter().flat_map(targets).for_each(&mut add);
        letting_in(body).iter().for_each(|value| all.leave_out(value, false));
        (asked, all)
    }

    /// The secrets of the request, of both answers and of the servers' calls; and the same with values of few clients.
    fn secrets(&self, in_bodies: &InBodies, left_out: &Shown) -> (Secrets, Secrets) {
        let Mismatch { copied, control, other, .. } = *self;
        let mut headers = texts(&copied.headers);
        for observation in [control, other] {
            if let Seen::Answer(answer) = &observation.seen {
                headers.extend(answer.headers.iter().cloned());
            }
        }
        let (secret, of_few): (Vec<_>, Vec<_>) = left_out.left_out.iter().partition(|(_, is_secret)| **is_secret);
        let hashed = |(value, _): (&String, &bool)| Secret { written: hash(value), value: value.clone() };
        let values =
            in_bodies.values.iter().map(|(value, written)| Secret { value: value.clone(), written: written.clone() });
        let everywhere = request(headers, secret.into_iter().map(hashed).chain(values).collect());
        let mut in_values = everywhere.clone();
        in_values.secrets.extend(of_few.into_iter().map(hashed));
        (Secrets::collect([&everywhere]), Secrets::collect([&in_values]))
    }
}

/// The values in a request's body next to names that give access.
fn letting_in(body: &[u8]) -> Vec<String> {
    let mut found = named_values(body, &lets_in);
    if let Ok(json) = read(body) {
        in_json(&json, false, &mut found);
    }
    found
}

fn in_json(json: &Json<'_>, is_named: bool, found: &mut Vec<String>) {
    match &json.kind {
        Kind::Array(items) => items.iter().for_each(|item| in_json(item, is_named, found)),
        Kind::Object(members) => {
            members
                .iter()
                .for_each(|member| in_json(&member.value, is_named || lets_in(&member.key.to_string()), found));
        }
        Kind::Text(text) if is_named => found.push(text.to_string()),
        Kind::Number(digits) if is_named => found.push(digits.to_string()),
        _ => {}
    }
}

/// The targets that a server named in its answer, or called.
pub(in crate::mirror) fn targets(of: &Observation) -> Vec<&str> {
    let headers = match &of.seen {
        Seen::Answer(answer) => &answer.headers[..],
        _ => &[],
    };
    let named = headers.iter().filter(|(name, _)| holds_target(name)).map(|(_, value)| value.as_str());
    named.chain(of.downstream.iter().map(|call| call.target.as_str())).collect()
}

pub(super) fn holds_target(header: &str) -> bool {
    TARGETS.iter().any(|name| header.eq_ignore_ascii_case(name))
}

fn request(headers: Vec<(String, String)>, secrets: Vec<Secret>) -> Request {
    let place = tierup_requests::FileLine { file: String::new(), line: 1 };
    let (name, method, target) = Default::default();
    Request { name, place, method, target, host: None, headers, body: Vec::new(), expected_status: None, secrets }
}

pub(super) fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value.as_bytes()))).collect()
}
