//! Targets as evidence shows them: a path with a query, of a request, a `Location` or a call to another service.
//!
//! Parts of a path and values of a query are shown if several clients sent them, or if the user says so. All others,
//! and all that look like secrets or have names of secrets, are replaced by keyed hashes. In: a target. Out: [`Shown`].

use std::{collections::BTreeMap, iter};

use percent_encoding::percent_decode_str;
use tierup_requests::{MOST_NAMED, is_credential, may_let_in, named_values};

use super::{Hidden, hash};
use crate::identifier::{is_data, is_random};

/// Names of parameters that may give access, beside credentials'. Whole names, since `zip_code` is harmless.
const LETS_IN: [&str; 16] = [
    "assertion", "bearer", "code", "hmac", "invite", "key", "magic", "pass", "pin", "pw", "reset", "samlrequest",
    "samlresponse", "sid", "state", "ticket",
];
/// How often a value may be encoded: a target within a target within a target.
const ENCODED: usize = 3;
/// A part of a path with this many characters, and a digit, may be a token.
const TOKEN: usize = 16;
/// The most parts of a path, and parameters, whose clients are counted. Further ones are not shown.
const MOST_PIECES: usize = 50;
/// The most values that are searched for in shown texts. Each has many spellings.
const MOST_LEFT_OUT: usize = 1000;

/// The shown form of a target.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    pub(crate) text: String,
    /// The values that are not shown, in all readings; and whether each is a secret by its name or its looks.
    pub(crate) left_out: BTreeMap<String, bool>,
    bytes: usize,
}

impl Hidden {
    /// Notes a target of a client's request, or of its answer.
    pub(crate) fn note(&mut self, target: &str, client: u64) {
        let Pieces { path, query, .. } = pieces(target);
        starts(path).take(MOST_PIECES).for_each(|start| self.several.note(start, client));
        query.split('&').take(MOST_PIECES).for_each(|pair| self.several.note(&format!("?{pair}"), client));
    }

    /// The shown form of a target. `route` is the name under which it is counted, if any.
    pub(crate) fn shown(&self, target: &str, route: &str) -> Shown {
        let mut shown = Shown::default();
        let Pieces { server, path, query, fragment } = pieces(target);
        shown.put(server, !server.contains('@'), true);
        self.path(path, route, &mut shown);
        for (index, pair) in query.split('&').enumerate().filter(|_| !query.is_empty()) {
            shown.text.push(if index == 0 { '?' } else { '&' });
            self.parameter(pair, &mut shown);
        }
        if !fragment.is_empty() {
            shown.text.push('#');
            shown.put(fragment, false, true);
        }
        shown
    }

    fn path(&self, path: &str, route: &str, shown: &mut Shown) {
        let mut known = route.split_once(' ').map_or("", |(_, path)| path).split('/');
        let (mut before, mut end) = ("", 0);
        for (depth, part) in path.split('/').enumerate() {
            if depth > 0 {
                shown.text.push('/');
                end += 1;
            }
            end += part.len();
            let is_secret = may_be_secret(before, part);
            let is_known = known.next().is_some_and(|known| known == part) || self.show.names_part(part, is_secret);
            let is_common = || self.show.is_all() || (depth <= MOST_PIECES && self.several.sent(&path[..end]));
            shown.put(part, is_known || (!is_secret && is_common()), is_secret);
            before = part;
        }
    }

    fn parameter(&self, pair: &str, shown: &mut Shown) {
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        let meant = percent_decode_str(name).decode_utf8_lossy();
        if pair.len() > value.len() {
            shown.put(name, !is_data(&meant), false);
            shown.text.push('=');
        }
        let is_hidden = self.hides_parameter(name) || is_credential(&meant) || !secrets_within(value).is_empty();
        let is_secret = is_hidden || lets_in(&meant);
        let is_common = || self.show.is_all() || self.several.sent(&format!("?{pair}"));
        let is_shown = !is_hidden && (self.show.names(&meant) || (!is_secret && is_common()));
        shown.put(value, is_shown, is_secret);
    }

    pub(super) fn hides_parameter(&self, name: &str) -> bool {
        let name = percent_decode_str(name).decode_utf8_lossy();
        self.names.iter().any(|hidden| name.eq_ignore_ascii_case(hidden))
    }
}

impl Shown {
    fn put(&mut self, value: &str, is_shown: bool, is_secret: bool) {
        if is_shown || value.is_empty() {
            return self.text.push_str(value);
        }
        self.text.push_str(&hash(value));
        // A server may repeat a value decoded, or repeat a value within it.
        let mut meant = String::new();
        for text in readings(value) {
            self.leave_out(&text, is_secret);
            meant = text;
        }
        named_values(meant.as_bytes(), &|_| true).iter().for_each(|value| self.leave_out(value, false));
        secrets_within(value).iter().for_each(|value| self.leave_out(value, true));
    }

    /// Keeps this value from being shown.
    pub(crate) fn leave_out(&mut self, value: &str, is_secret: bool) {
        if !self.are_too_many() {
            self.bytes += value.len();
            *self.left_out.entry(value.to_owned()).or_default() |= is_secret;
        }
    }

    /// Keeps the hidden parts of another target from being shown, too.
    pub(crate) fn leave_out_all(&mut self, other: &Shown) {
        other.left_out.iter().for_each(|(value, is_secret)| self.leave_out(value, *is_secret));
        self.bytes = self.bytes.max(other.bytes);
    }

    /// Whether there are more values than can be searched for. Then some are missing.
    pub(crate) fn are_too_many(&self) -> bool {
        self.bytes >= MOST_NAMED || self.left_out.len() >= MOST_LEFT_OUT
    }
}

/// `https://server`, `/path`, `a=b` after the `?`, and the text after the `#`.
struct Pieces<'t> {
    server: &'t str,
    path: &'t str,
    query: &'t str,
    fragment: &'t str,
}

fn pieces(target: &str) -> Pieces<'_> {
    let (target, fragment) = target.split_once('#').unwrap_or((target, ""));
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    // A path may contain another address.
    let scheme = path.find("://").filter(|end| path.bytes().take(*end).all(|byte| byte.is_ascii_alphabetic()));
    let end = scheme.map_or(0, |scheme| {
        let host = scheme + "://".len();
        path[host..].find('/').map_or(path.len(), |end| host + end)
    });
    let (server, path) = path.split_at(end);
    Pieces { server, path, query, fragment }
}

/// `/a`, `/a/b` and `/a/b/c`, for the last of these.
pub(crate) fn starts(path: &str) -> impl Iterator<Item = &str> {
    let ends = path.match_indices('/').map(|(end, _)| end).filter(|end| *end > 0);
    ends.chain([path.len()]).map(|end| &path[..end])
}

/// Whether a query parameter may give access.
pub(crate) fn lets_in(name: &str) -> bool {
    let name = percent_decode_str(name).decode_utf8_lossy().to_ascii_lowercase();
    LETS_IN.contains(&name.as_str()) || name.ends_with("sessid")
}

/// The secrets within a value, which may itself be a target: `/cb?access_token=…`, `/reset/…`.
fn secrets_within(value: &str) -> Vec<String> {
    let mut found = Vec::new();
    for text in readings(value) {
        found.extend(named_values(text.as_bytes(), &|name| is_credential(name) || lets_in(name)));
        let parts = text.split(['?', '#']).next().unwrap_or_default().split('/');
        let behind = parts.clone().skip(1).zip(parts);
        found.extend(behind.filter(|(part, before)| may_let_in(before, part)).map(|(part, _)| part.to_owned()));
    }
    found
}

/// A value as it is written, and decoded once, twice, …
fn readings(value: &str) -> impl Iterator<Item = String> {
    let decoded = |text: &String| {
        let decoded = percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
        (decoded != *text).then_some(decoded)
    };
    iter::successors(Some(value.to_owned()), decoded).take(ENCODED + 1)
}

/// Whether a part of a path looks like a secret, or follows a word that announces one.
pub(crate) fn may_be_secret(before: &str, part: &str) -> bool {
    may_be_token(part) || may_let_in(before, part)
}

fn may_be_token(part: &str) -> bool {
    let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
    let has_digit = part.bytes().any(|byte| byte.is_ascii_digit());
    let is_long = part.len() >= TOKEN && !is_number && (has_digit || is_random(part));
    is_long || part.contains(['@', '=']) || part.to_ascii_lowercase().contains("%40")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hidden::Show;

    /// `~` stands for a hash.
    fn check(hidden: &Hidden, target: &str, expected: &str) {
        let mut text = hidden.shown(target, "GET /shop/*/items").text;
        while let Some(at) = text.find("hmac:") {
            text.replace_range(at..at + "hmac:".len() + 16, "~");
        }
        assert_eq!(text, expected);
    }

    #[test]
    fn values_of_few_clients_are_shown_only_if_the_user_says_so() {
        let mut hidden = Hidden::new(vec!["$.who.email".parse().expect("a path")], Show::default());
        check(&hidden, "/shop/blue/items/7?page=2&x", "/shop/~/items/~?page=~&~");
        [1, 2, 3].iter().for_each(|client| hidden.note("/shop/blue/items?page=2&x", *client));
        [1, 2, 3]
            .iter()
            .for_each(|client| hidden.note("/shop/reset/abcdefgh?code=7&email=a&next=%2F%3Ftoken%3Dx", *client));
        check(&hidden, "/shop/blue/items/7?page=2&x&page=3", "/shop/blue/items/~?page=2&x&page=~");
        [1, 2, 3].iter().for_each(|client| hidden.note("https://pay.example/charge?as=gift#x", *client));
        check(&hidden, "https://pay.example/charge?as=gift", "https://pay.example/charge?as=gift");
        check(&hidden, "/blue/shop", "/~/~");
        check(&hidden, "/shop/reset/abcdefgh?code=7&email=a", "/shop/reset/~?code=~&email=~");
        check(&hidden, "/shop?next=%2F%3Ftoken%3Dx&17=a", "/shop?next=~&~=~");
        check(&hidden, "https://a@b/shop", "~/shop");
        check(&hidden, "/to/http://b/shop", "/~/~//~/~");
        check(&hidden, "https://pay.example/shop?page=2#x", "https://pay.example/shop?page=2#~");
        let named = Hidden::new(Vec::new(), Show::new(["Page", "code", "token", "blue"].map(str::to_owned).to_vec()));
        check(&named, "/blue/x?page=2&code=7&token=x&y=z", "/blue/~?page=2&code=7&token=~&y=~");
        let denied = ["/reset/*", "/out*/x", "/magic/t*"].map(str::to_owned);
        let denying = Hidden::new(Vec::new(), Show::default().and_parts_of(&denied));
        check(&denying, "/reset/abcdefgh?reset=abcdefgh&x=y", "/reset/~?reset=~&x=~");
        check(&denying, "/outgoing/a/magic/tabcdefgh/x/RESET", "/outgoing/~/magic/~/x/RESET");
        let all = Hidden::new(Vec::new(), Show::all());
        check(&all, "/a/b1234567890123456/reset/abcdefgh?code=7&token=x&y=z", "/a/~/reset/~?code=~&token=~&y=z");
    }

    #[test]
    fn hidden_values_are_known_in_all_readings() {
        let hidden = Hidden::new(Vec::new(), Show::default());
        let found = |target: &str| hidden.shown(target, "").left_out;
        let once = found("/?q=blue%20whale+2");
        assert_eq!((once.get("blue%20whale+2"), once.get("blue whale 2")), (Some(&false), Some(&false)));
        let nested = found("/?next=%2Fcb%3Faccess_token%3Dabc%252Bd%26to%3Dann");
        assert_eq!(
            (nested.get("abc%2Bd"), nested.get("abc+d"), nested.get("ann")),
            (Some(&true), Some(&true), Some(&false))
        );
        assert_eq!(found("/a;jsessionid=abcd").get("abcd"), Some(&true));
        assert_eq!(found("/?x=%2Freset%2Fabcdefgh").get("abcdefgh"), Some(&true));
        let many: String = (0..2000).map(|number| format!("&a{number}=x{number}")).collect();
        assert!(hidden.shown(&format!("/?{many}"), "").are_too_many());
    }
}
