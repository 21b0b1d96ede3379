//! Reads the values of `[rollout]`, and reports invalid ones with their place and a hint.

use std::time::Duration;

use tierup_diagnostic::Diagnostic;
use tierup_parity::Path;
use tierup_requests::is_credential;
use tierup_rollout::{Part, Sticky, StoreUrl, StoreUrlError};
use toml::de::DeValue;

use super::{Attribute, RolloutRoute};
use crate::{
    document::{Document, Table, Text},
    quantities::duration,
};

/// Reads the table's values. Missing keys give `None` or an empty list.
pub(super) struct Reader<'a> {
    pub(super) table: &'a Table<'a>,
    pub(super) document: &'a Document,
}

impl Reader<'_> {
    /// Weights that rise to the largest one that a ramp gives by itself.
    pub(super) fn steps(&self) -> Option<Vec<Part>> {
        let texts = self.table.texts("steps")?;
        let steps: Vec<Part> = texts.iter().map(|text| self.part_of("steps", text)).collect::<Option<_>>()?;
        let rises =
            steps.is_sorted_by(|low, high| low < high) && steps.first().is_some_and(|first| *first > Part::NONE);
        if rises && steps.last() == Some(&Part::MOST) {
            return Some(steps);
        }
        self.problem(
            "steps",
            "`steps` must rise, from above 0% to 99%",
            "e.g. [\"1%\", \"5%\", \"25%\", \"50%\", \"99%\"]; control keeps 1% to be compared with, until `tierup ramp finish`",
        )
    }

    pub(super) fn part(&self, key: &'static str) -> Option<Part> {
        let text = self.table.text(key)?;
        self.part_of(key, &text)
    }

    /// A share above zero.
    pub(super) fn some_part(&self, key: &'static str) -> Option<Part> {
        let part = self.part(key)?;
        if part > Part::NONE {
            return Some(part);
        }
        self.problem(key, &format!("`{key}` must be above 0%"), "the smallest part is 0.01%")
    }

    fn part_of(&self, key: &str, text: &Text) -> Option<Part> {
        let read = text.value.parse();
        let add = |error| {
            let problem = Diagnostic::new(format!("`{key}`: {error}"));
            self.document.add(problem.at(self.document.place(&text.span)));
        };
        read.map_err(|error: tierup_rollout::PartError| add(error)).ok()
    }

    pub(super) fn time(&self, key: &'static str) -> Option<Duration> {
        let text = self.table.text(key)?;
        let add = |why| self.document.add(Diagnostic::new(format!("`{key}`: {why}")).at(self.table.place(key)));
        duration(&text.value).map_err(add).ok()
    }

    /// A number of at least 1.
    pub(super) fn factor(&self, key: &'static str) -> Option<f64> {
        let number = match self.table.value(key)?.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        let fits = number.filter(|number| number.is_finite() && *number >= 1.0);
        fits.or_else(|| {
            self.problem(key, &format!("`{key}` must be a factor of at least 1"), "e.g. 1.25 for 25 % more")
        })
    }

    pub(super) fn lanes(&self) -> Option<u16> {
        let number = match self.table.value("lanes")?.get_ref() {
            DeValue::Integer(number) => number.as_str().parse().ok().filter(|lanes| (1..=64).contains(lanes)),
            _ => None,
        };
        number
            .or_else(|| self.problem("lanes", "`lanes` must be a whole number from 1 to 64", "each lane is a process"))
    }

    pub(super) fn sticky(&self) -> Option<Sticky> {
        let text = self.table.text("sticky")?;
        text.value.parse().ok().or_else(|| {
            self.problem(
                "sticky",
                "`sticky` must name a cookie, a header or the client's address",
                "e.g. \"cookie:session\", \"header:x-user-id\" or \"address\"",
            )
        })
    }

    pub(super) fn store(&self) -> Option<StoreUrl> {
        let text = self.table.text("store")?;
        let add = |error: StoreUrlError| {
            let problem = Diagnostic::new(format!("`store` of [rollout]: {error}")).hint(error.hint());
            // Its line would show the password.
            let has_password = error == StoreUrlError::Password;
            self.document.add(if has_password { problem } else { problem.at(self.table.place("store")) });
        };
        text.value.parse().map_err(add).ok()
    }

    pub(super) fn attribute(&self) -> Option<Attribute> {
        let text = self.table.text("attribute")?;
        match text.value.split_once(':') {
            None if text.value == "lane" => Some(Attribute::Lane),
            Some(("header", name)) if is_token(name) => Some(Attribute::Header(name.to_ascii_lowercase())),
            _ => self.problem(
                "attribute",
                "`attribute` must name a header that the server forwards, or be \"lane\"",
                "e.g. \"header:traceparent\"",
            ),
        }
    }

    pub(super) fn deny(&self) -> Vec<String> {
        let texts = self.table.texts("deny").unwrap_or_default();
        for text in texts.iter().filter(|text| !is_pattern(&text.value)) {
            self.no_pattern("deny", text);
        }
        texts.into_iter().map(|text| text.value).collect()
    }

    /// Requests that change nothing. They must not overlap with `effects`, which are those of `routes`.
    pub(super) fn safe(&self, effects: &[RolloutRoute]) -> Vec<RolloutRoute> {
        let safe = self.requests("safe");
        for (safe, effect) in safe.iter().flat_map(|safe| effects.iter().map(move |effect| (safe, effect))) {
            if safe.overlaps(effect) {
                let both = format!("`{safe}` in `safe` and `{effect}` in `routes` overlap");
                let hint =
                    "a request changes nothing (`safe`) or has side effects (`routes`): narrow one of the patterns";
                self.problem::<()>("safe", &both, hint);
            }
        }
        safe
    }

    /// Requests with methods other than GET and HEAD.
    pub(super) fn requests(&self, key: &'static str) -> Vec<RolloutRoute> {
        let texts = self.table.texts(key).unwrap_or_default();
        let read = |text: &Text| {
            let problem = |message: String, hint: &str| {
                let problem = Diagnostic::new(message).at(self.document.place(&text.span));
                self.document.add(problem.hint(hint));
            };
            let (method, path) = text.value.split_once(' ').unwrap_or((&text.value, ""));
            if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) || path.is_empty() {
                problem(format!("`{}` is not a method and a path", text.value), "e.g. \"POST /orders\"");
                return None;
            }
            if matches!(method, "GET" | "HEAD") {
                problem(format!("`{key}` cannot name {method}"), "GET and HEAD requests are copied without it");
                return None;
            }
            if !is_pattern(path) {
                self.no_pattern(key, text);
                return None;
            }
            Some(RolloutRoute { method: method.to_owned(), path: path.to_owned() })
        };
        texts.iter().filter_map(read).collect()
    }

    fn no_pattern(&self, key: &str, text: &Text) {
        let problem = Diagnostic::new(format!("`{key}`: `{}` is not a pattern of paths", text.value));
        let hint = "a pattern starts with `/`; `*` stands for characters of one part, `**` for any number of parts";
        self.document.add(problem.at(self.document.place(&text.span)).hint(hint));
    }

    pub(super) fn hide(&self) -> Vec<Path> {
        let read = |text: &Text| {
            let add = |error: tierup_parity::PathError| {
                self.document.add(Diagnostic::new(error.to_string()).at(self.document.place(&text.span)));
            };
            text.value.parse().map_err(add).ok()
        };
        self.table.texts("hide").unwrap_or_default().iter().filter_map(read).collect()
    }

    pub(super) fn show(&self) -> Vec<String> {
        let texts = self.table.texts("show").unwrap_or_default();
        for text in &texts {
            let word = &text.value;
            let (what, hint) = match word {
                _ if is_credential(word) => ("is the name of a credential", "values of credentials are never shown"),
                _ if word.is_empty() || word.contains(['/', '?', '=', '&', ' ']) => (
                    "is no part of a path, nor the name of a parameter",
                    "e.g. \"page\" for `?page=2`, or \"*\" for all",
                ),
                _ => continue,
            };
            let problem = Diagnostic::new(format!("`show`: `{word}` {what}")).at(self.document.place(&text.span));
            self.document.add(problem.hint(hint));
        }
        texts.into_iter().map(|text| text.value).collect()
    }

    pub(super) fn http(&self, address: &Text) {
        let host = address.value.strip_prefix("http://").unwrap_or_default();
        if host.is_empty() || host.contains(['/', '?', '#', '@', ' ']) {
            let problem = Diagnostic::new(format!("`{}` is not the address of a server", address.value));
            let hint = "give `http://HOST:PORT`, without a path";
            self.document.add(problem.at(self.document.place(&address.span)).hint(hint));
        }
    }

    pub(super) fn problem<T>(&self, key: &str, message: &str, hint: &str) -> Option<T> {
        self.document.add(Diagnostic::new(message).at(self.table.place(key)).hint(hint));
        None
    }
}

/// Names of headers and cookies are tokens (RFC 9110, section 5.6.2; RFC 6265, section 4.1.1).
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_pattern(text: &str) -> bool {
    text.starts_with('/') && !text.contains(['?', '[', ']', ' '])
}
