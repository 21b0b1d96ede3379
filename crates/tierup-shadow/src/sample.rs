//! Which requests are copied.
//!
//! Safe requests are (RFC 9110, section 9.2.1), but for paths that the user denies: a link that logs out, or that works
//! once. Others are only where the user names their route. Of these chance chooses, before anything is known of the answer.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use glob::{MatchOptions, Pattern};
use hyper::{Method, http::request};
use percent_encoding::percent_decode_str;

use crate::routes::Routes;

/// A part of the safe requests.
#[derive(Debug)]
pub struct Sampled {
    /// Of 2^64.
    threshold: u64,
    deny: Vec<Pattern>,
    routes: Routes,
    key: RandomState,
    number: AtomicU64,
}

/// What cannot be sampled by.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SampledError {
    #[error("the part of the requests must be above 0 and at most 1, not {0}")]
    Part(f64),
    #[error("`{pattern}` is not a pattern of paths, such as /logout or /once/*: {why}")]
    Pattern { pattern: String, why: &'static str },
}

/// `*` does not cross a `/`, as in `.gitignore`; `**` does.
const OPTIONS: MatchOptions =
    MatchOptions { case_sensitive: false, require_literal_separator: true, require_literal_leading_dot: false };

impl Sampled {
    /// `part` of the safe requests, from 0 to 1, but for paths that one of the patterns matches.
    ///
    /// # Errors
    /// A part outside of (0, 1], or a pattern that cannot match a path.
    pub fn new(part: f64, deny: &[String]) -> Result<Sampled, SampledError> {
        if !(part > 0.0 && part <= 1.0) {
            return Err(SampledError::Part(part));
        }
        let pattern = |text: &String| {
            let wrong = |why| SampledError::Pattern { pattern: text.clone(), why };
            match text {
                _ if !text.starts_with('/') => Err(wrong("it does not start with /")),
                _ if text.contains(['?', '[', ']']) => Err(wrong("only * and ** stand for other characters")),
                _ => Pattern::new(&plain(text)).map_err(|error| wrong(error.msg)),
            }
        };
        let deny = deny.iter().map(pattern).collect::<Result<_, _>>()?;
        Ok(Sampled {
            threshold: (part * u64::MAX as f64) as u64,
            deny,
            routes: Routes::default(),
            key: RandomState::new(),
            number: AtomicU64::new(0),
        })
    }

    /// Beside safe requests, those of these routes.
    pub fn with(self, routes: Routes) -> Sampled {
        Sampled { routes, ..self }
    }

    /// Whether this request is in the sample.
    pub fn takes(&self, head: &request::Parts) -> bool {
        let is_safe = head.method == Method::GET || head.method == Method::HEAD;
        let is_named = || self.routes.names(&head.method, head.uri.path());
        (is_safe || is_named()) && self.is_lucky() && !self.denies(head.uri.path())
    }

    fn is_lucky(&self) -> bool {
        self.threshold == u64::MAX || self.key.hash_one(self.number.fetch_add(1, Relaxed)) < self.threshold
    }

    /// A path is denied in any spelling: `/%6Cogout`, `//logout/`, `/x/../Logout`.
    fn denies(&self, path: &str) -> bool {
        if self.deny.is_empty() {
            return false;
        }
        let path = plain(path);
        // `/once/*` is about `/once/`, too.
        let folder = format!("{path}/");
        self.deny.iter().any(|pattern| [&path, &folder].iter().any(|path| pattern.matches_with(path, OPTIONS)))
    }
}

/// A path as most servers read it: decoded, without dots, empty parts and parameters (`;v=1`), without a slash at its end.
fn plain(path: &str) -> String {
    let path = percent_decode_str(path).decode_utf8_lossy();
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        match part.split(';').next().unwrap_or_default() {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn takes(sampled: &Sampled, method: &str, target: &str) -> bool {
        let request = Request::builder().method(method).uri(target).body(()).expect("a request");
        sampled.takes(&request.into_parts().0)
    }

    #[test]
    fn safe_requests_are_taken_but_for_what_is_denied_however_it_is_spelt() {
        let deny = ["/logout/", "/once/*", "/admin/**", "/caf%C3%A9"].map(str::to_owned);
        let sampled = Sampled::new(1.0, &deny).expect("it is sound");
        for (method, target) in [("GET", "/"), ("HEAD", "/x?to=/logout"), ("GET", "/logout/form"), ("GET", "/once/a/b")]
        {
            assert!(takes(&sampled, method, target), "{method} {target}");
        }
        for target in [
            "/logout",
            "/LogOut?x",
            "//logout/",
            "/%6Cogout",
            "/a/../logout",
            "/logout;v=1",
            "/once/a",
            "/admin/x/y",
            "/admin/",
            "/once/",
            "/caf%c3%a9",
            "/x/..;/logout",
            "/;a/logout",
        ] {
            assert!(!takes(&sampled, "GET", target), "{target}");
        }
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"] {
            assert!(!takes(&sampled, method, "/"), "{method}");
        }
    }

    #[test]
    fn requests_that_may_change_data_are_taken_where_they_are_named() {
        let routes = Routes::new(&["POST /orders".to_owned()]).expect("a route");
        let sampled = Sampled::new(1.0, &["/orders/old".to_owned()]).expect("it is sound").with(routes);
        assert!(takes(&sampled, "POST", "/orders?a") && takes(&sampled, "GET", "/"));
        assert!(!takes(&sampled, "POST", "/orders/1") && !takes(&sampled, "PUT", "/orders"));
        assert!(!takes(&sampled, "GET", "/orders/old"));
    }

    #[test]
    fn a_part_is_a_part() {
        let sampled = Sampled::new(0.1, &[]).expect("it is sound");
        let taken = (0..100_000).filter(|_| takes(&sampled, "GET", "/")).count();
        // Ten standard deviations of a binomial.
        assert!((9_050..10_950).contains(&taken), "{taken}");
        assert!(
            Sampled::new(0.0, &[]).is_err() && Sampled::new(1.1, &[]).is_err() && Sampled::new(f64::NAN, &[]).is_err()
        );
        assert!(
            Sampled::new(1.0, &["logout".to_owned()]).is_err() && Sampled::new(1.0, &["/a***".to_owned()]).is_err()
        );
    }
}
