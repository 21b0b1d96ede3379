//! `[downstream]`: what the server calls while it answers, and how it learns where that is.

use tierup_diagnostic::Diagnostic;
use toml::de::DeValue;

use super::document::{Document, Table};

/// What stands in for the service that the user's server calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DownstreamSettings {
    /// The variable that tells the server its address: `http://127.0.0.1:45123`, without a slash at its end.
    pub(crate) env: String,
    /// What every call is answered.
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: String,
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
    if hyper::header::HeaderValue::from_str(&content_type).is_err() {
        let problem = Diagnostic::new("`content_type` is not a valid header value");
        document.add(problem.at(table.place("content_type")));
    }
    Some(DownstreamSettings { env: env.value, status: status?, content_type, body })
}
