//! Reads headers that are lists (sets, directives, parameters, challenges) into a canonical spelling.

use std::collections::BTreeSet;

/// The distinct items, sorted, as `item` spells them.
pub(super) fn set(values: &[&str], item: impl Fn(&str) -> String) -> String {
    let items: BTreeSet<String> = items(values).map(item).collect();
    items.into_iter().collect::<Vec<_>>().join(", ")
}

/// The items in their own order.
pub(super) fn list(values: &[&str], item: impl Fn(&str) -> String) -> String {
    items(values).map(item).collect::<Vec<_>>().join(", ")
}

/// `max-age=60` for `Max-Age="60"` (RFC 9111, section 5.2).
pub(super) fn directive(text: &str) -> String {
    match text.split_once('=') {
        Some((name, value)) => format!("{}={}", name.trim().to_ascii_lowercase(), value.trim().trim_matches('"')),
        None => text.to_ascii_lowercase(),
    }
}

/// `attachment; filename=a.csv` for `Attachment;FileName="a.csv"`: the first word, then the parameters, sorted.
pub(super) fn parameters(text: &str) -> String {
    let mut parts = split(text, ';').into_iter().map(str::trim).filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or_default().to_ascii_lowercase();
    let named: BTreeSet<String> = parts.map(directive).collect();
    [first].into_iter().chain(named).collect::<Vec<_>>().join("; ")
}

/// Schemes and their parameters (RFC 9110, section 11.6.1), without the values that are new in each answer.
pub(super) fn challenges(values: &[&str]) -> String {
    const ONCE: [&str; 3] = ["nonce", "opaque", "nextnonce"];
    let mut all: Vec<String> = Vec::new();
    for item in items(values) {
        let starts = item.split_once(' ').filter(|(scheme, _)| !scheme.contains('='));
        let (scheme, parameter) = match starts {
            Some((scheme, parameter)) => (Some(scheme), parameter.trim()),
            None if item.contains('=') => (None, item),
            None => (Some(item), ""),
        };
        if let Some(scheme) = scheme {
            all.push(scheme.to_ascii_lowercase());
        }
        let plain = directive(parameter);
        let plain = match plain.split_once('=') {
            Some((name, _)) if ONCE.contains(&name) => format!("{name}=…"),
            _ => plain,
        };
        match all.last_mut().filter(|_| !plain.is_empty()) {
            Some(challenge) => challenge.push_str(&format!(" {plain}")),
            None if plain.is_empty() => {}
            None => all.push(plain),
        }
    }
    // The order of parameters does not count, nor does that of challenges.
    let sorted = all.iter().map(|challenge| {
        let mut words = challenge.split(' ');
        let scheme = words.next().unwrap_or_default();
        let parameters: BTreeSet<&str> = words.collect();
        [scheme].into_iter().chain(parameters).collect::<Vec<_>>().join(" ")
    });
    sorted.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

fn items<'a>(values: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let items: Vec<&str> = values.iter().flat_map(|value| split(value, ',')).collect();
    items.into_iter().map(str::trim).filter(|item| !item.is_empty())
}

/// Cuts at a separator, but not within quotes.
pub(super) fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(|c: char| {
        let is_end = c == separator && !is_quoted;
        (is_quoted, is_escaped) = match c {
            '"' if !is_escaped => (!is_quoted, false),
            '\\' => (is_quoted, is_quoted && !is_escaped),
            _ => (is_quoted, false),
        };
        is_end
    })
    .collect()
}
