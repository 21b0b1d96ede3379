//! `[downstream]`: the service that the server calls while it answers, and how the server learns its address.

use tierup_diagnostic::Diagnostic;
use toml::de::DeValue;

use crate::document::{Document, Table};

/// The recorder that replaces the service that the user's server calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DownstreamSettings {
    /// The variable that tells the server the recorder's address: `http://127.0.0.1:45123`, without a slash at its end.
    pub env: String,
    /// The answer to every call.
    pub status: u16,
    pub content_type: String,
    pub body: String,
}

pub(crate) fn read(table: &Table<'_>, document: &Document) -> Option<DownstreamSettings> {
    let env = table.required_text("env");
    let status = table.value("status").map_or(Some(200), |value| {
        let status = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok().filter(|status| (200..=599).contains(status)),
            _ => None,
        };
        if status.is_none() {
            let problem = Diagnostic::new("`status` must be a whole number from 200 to 599");
            document.add(problem.at(table.place("status")));
        }
        status
    });
    let text = |key, default: &str| table.text(key).map_or_else(|| default.to_owned(), |text| text.value);
    let content_type = text("content_type", "application/json");
    let body = text("body", "{}");
    let is_name = |name: &str| {
        let first = name.chars().next();
        first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let env = env?;
    if !is_name(&env.value) {
        let problem = Diagnostic::new(format!("`{}` is not a valid name for an environment variable", env.value));
        document
            .add(problem.at(document.place(&env.span)).hint("use letters, digits and `_`, e.g. \"DOWNSTREAM_URL\""));
    }
    if !is_header_value(&content_type) {
        let problem = Diagnostic::new("`content_type` is not a valid header value");
        document.add(problem.at(table.place("content_type")));
    }
    Some(DownstreamSettings { env: env.value, status: status?, content_type, body })
}

/// Whether a text can be sent as the value of a header: a line break would begin another header.
fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| byte == b'\t' || byte == b' ' || byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_value_is_one_line_of_visible_ascii() {
        assert!(is_header_value("text/plain; charset=utf-8") && is_header_value("a\tb") && is_header_value(""));
        assert!(!is_header_value("a\r\nSet-Cookie: b") && !is_header_value("caf\u{e9}") && !is_header_value("\u{7f}"));
    }
}
