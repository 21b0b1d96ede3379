//! Which requests are copied, and to which server.
//!
//! Safe requests are copied (RFC 9110, section 9.2.1, and those that the user declares to be safe), except for paths
//! that the user denies: a link that logs out, or that works only once. Other requests are copied only if the user
//! names their route. Among these, chance chooses before anything is known of the answer.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use glob::{MatchOptions, Pattern};
use hyper::{Method, http::request};
use percent_encoding::percent_decode_str;
use tierup_rollout::{Part, Side, evidence::Pair};

use crate::routes::Routes;

/// How effects of copied requests that are not safe are kept from doing harm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effects {
    /// Calls to other services do not leave processes that get copies.
    Recorded,
    /// The candidate has its own data. A twin shares control's data, so it gets no copies of these requests.
    Isolated,
}

/// Requests that change nothing, so that several servers may be asked, and more than once: GET and HEAD, and those that
/// the user declares.
#[derive(Debug, Clone, Default)]
pub struct Safe(pub Routes);

impl Safe {
    pub(crate) fn has(&self, head: &request::Parts) -> bool {
        head.method == Method::GET || head.method == Method::HEAD || self.0.names(&head.method, head.uri.path())
    }
}

/// A random part of the requests. Its size may change while it is in use.
#[derive(Debug)]
pub struct Sampled {
    /// The largest part, from 0 to 1.
    part: f64,
    /// How many of 2^64 requests that control or its twin answers are copied.
    sample: AtomicU64,
    /// How many of 2^64 such copies go to a second process of control.
    second: AtomicU64,
    /// How many of 2^64 requests that the candidate answers are copied to control.
    verify: AtomicU64,
    deny: Vec<Pattern>,
    safe: Safe,
    routes: Routes,
    effects: Effects,
    key: RandomState,
    /// The number of random decisions so far.
    throws: AtomicU64,
}

/// Why requests cannot be sampled.
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
    /// Samples `part` of the safe requests, from 0 to 1, except for paths that one of the patterns matches.
    ///
    /// # Errors
    /// If the part is outside of (0, 1], or a pattern cannot match a path.
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
            part,
            sample: AtomicU64::new(of_all(part)),
            second: AtomicU64::new(0),
            verify: AtomicU64::new(0),
            deny,
            safe: Safe::default(),
            routes: Routes::default(),
            effects: Effects::Isolated,
            key: RandomState::new(),
            throws: AtomicU64::new(0),
        })
    }

    /// Also samples requests of these routes that are not safe.
    pub fn with(self, routes: Routes, effects: Effects) -> Sampled {
        Sampled { routes, effects, ..self }
    }

    /// Declares further requests as safe, beside GET and HEAD.
    pub fn declaring(self, safe: Safe) -> Sampled {
        Sampled { safe, ..self }
    }

    /// Sets the parts to copy, within the largest part. Returns the resulting part of safe requests.
    pub(crate) fn set(&self, sample: f64, second: Part, verify: f64) -> f64 {
        let sample = self.part * sample;
        self.sample.store(of_all(sample), Relaxed);
        self.second.store(of_all(second.fraction()), Relaxed);
        self.verify.store(of_all(verify), Relaxed);
        sample
    }

    /// Which pair to compare for this request; `None` if it is not copied. `by` answers the client.
    pub fn pair(&self, head: &request::Parts, by: Side) -> Option<Pair> {
        let part = if by == Side::Candidate { &self.verify } else { &self.sample };
        let (is_safe, path) = (self.safe.has(head), head.uri.path());
        // Control must not repeat the effects of a request that the candidate answered.
        let is_named = || by != Side::Candidate && self.routes.names(&head.method, path);
        if !(is_safe || is_named()) || !self.is_lucky(part) || self.denies(path) {
            return None;
        }
        let may_ask_twin = is_safe || self.effects == Effects::Recorded;
        Some(match by {
            Side::Candidate => Pair::Verify,
            _ if may_ask_twin && self.is_lucky(&self.second) => Pair::Second,
            _ => Pair::Candidate,
        })
    }

    fn is_lucky(&self, part: &AtomicU64) -> bool {
        match part.load(Relaxed) {
            0 => false,
            u64::MAX => true,
            part => self.key.hash_one(self.throws.fetch_add(1, Relaxed)) < part,
        }
    }

    /// Whether a path is denied, in any spelling: `/%6Cogout`, `//logout/`, `/x/../Logout`.
    fn denies(&self, path: &str) -> bool {
        if self.deny.is_empty() {
            return false;
        }
        let path = plain(path);
        // `/once/*` also denies `/once/`.
        let folder = format!("{path}/");
        self.deny.iter().any(|pattern| [&path, &folder].iter().any(|path| pattern.matches_with(path, OPTIONS)))
    }
}

/// A part of 2^64.
fn of_all(part: f64) -> u64 {
    (part * u64::MAX as f64) as u64
}

/// A path as most servers read it: decoded, without dots, empty parts, parameters (`;v=1`) and a final slash.
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
        sampled.pair(&request.into_parts().0, Side::Control) == Some(Pair::Candidate)
    }

    #[test]
    fn safe_requests_are_sampled_except_denied_paths_in_any_spelling() {
        let deny = ["/logout/", "/once/*", "/admin/**", "/caf%C3%A9"].map(str::to_owned);
        let sampled = Sampled::new(1.0, &deny).expect("it is sound");
        for (method, target) in [("GET", "/"), ("HEAD", "/x?to=/logout"), ("GET", "/logout/form"), ("GET", "/once/a/b")]
        {
            assert!(takes(&sampled, method, target), "{method} {target}");
        }
        for target in [
            "/logout", "/LogOut?x", "//logout/", "/%6Cogout", "/a/../logout", "/logout;v=1", "/once/a", "/admin/x/y",
            "/admin/", "/once/", "/caf%c3%a9", "/x/..;/logout", "/;a/logout",
        ] {
            assert!(!takes(&sampled, "GET", target), "{target}");
        }
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "get"] {
            assert!(!takes(&sampled, method, "/"), "{method}");
        }
    }

    #[test]
    fn unsafe_requests_are_sampled_only_if_named() {
        let routes = Routes::new(&["POST /orders".to_owned()]).expect("a route");
        let of = |effects| {
            let sampled = Sampled::new(1.0, &["/orders/old".to_owned()]).expect("it is sound");
            sampled.with(routes.clone(), effects)
        };
        let sampled = of(Effects::Isolated);
        assert!(takes(&sampled, "POST", "/orders?a") && takes(&sampled, "GET", "/"));
        assert!(!takes(&sampled, "POST", "/orders/1") && !takes(&sampled, "PUT", "/orders"));
        assert!(!takes(&sampled, "GET", "/orders/old"));

        // Another control process would change control's data a second time.
        let pair = |sampled: &Sampled, by| {
            let request = Request::builder().method("POST").uri("/orders").body(()).expect("a request");
            sampled.pair(&request.into_parts().0, by)
        };
        let recorded = of(Effects::Recorded);
        for sampled in [&sampled, &recorded] {
            sampled.set(1.0, Part::ALL, 1.0);
            assert_eq!(pair(sampled, Side::Candidate), None);
        }
        assert_eq!(pair(&sampled, Side::Control), Some(Pair::Candidate));
        assert_eq!(pair(&recorded, Side::Control), Some(Pair::Second));
    }

    #[test]
    fn requests_declared_safe_are_treated_like_get() {
        let safe = Safe(Routes::new(&["POST /duplicates".to_owned()]).expect("a route"));
        let sampled = Sampled::new(1.0, &["/duplicates/old".to_owned()]).expect("it is sound").declaring(safe);
        sampled.set(1.0, Part::ALL, 1.0);
        let pair = |method: &str, target: &str, by| {
            let request = Request::builder().method(method).uri(target).body(()).expect("a request");
            sampled.pair(&request.into_parts().0, by)
        };
        for (method, target) in [("GET", "/"), ("POST", "/duplicates?a=b")] {
            assert_eq!(pair(method, target, Side::Control), Some(Pair::Second), "{method}");
            assert_eq!(pair(method, target, Side::Candidate), Some(Pair::Verify), "{method}");
        }
        for (method, target) in [("POST", "/duplicates/old"), ("POST", "/other"), ("PUT", "/duplicates")] {
            assert_eq!(pair(method, target, Side::Control), None, "{method} {target}");
        }
    }

    #[test]
    fn the_sampled_part_has_the_right_size() {
        let sampled = Sampled::new(0.1, &[]).expect("it is sound");
        let taken = (0..100_000).filter(|_| takes(&sampled, "GET", "/")).count();
        // The tolerance is ten standard deviations of a binomial.
        assert!((9_050..10_950).contains(&taken), "{taken}");
        assert!(
            Sampled::new(0.0, &[]).is_err() && Sampled::new(1.1, &[]).is_err() && Sampled::new(f64::NAN, &[]).is_err()
        );
        assert!(
            Sampled::new(1.0, &["logout".to_owned()]).is_err() && Sampled::new(1.0, &["/a***".to_owned()]).is_err()
        );
    }

    #[test]
    fn chance_sends_copies_to_the_candidate_or_a_second_control_or_back() {
        let sampled = Sampled::new(0.5, &[]).expect("it is sound");
        let head = || Request::builder().uri("/").body(()).expect("a request").into_parts().0;
        let count = |by: Side, pair: Option<Pair>| (0..100_000).filter(|_| sampled.pair(&head(), by) == pair).count();
        assert_eq!(count(Side::Candidate, None), 100_000, "nobody has asked for that");
        assert_eq!(sampled.set(0.4, "10%".parse().expect("a part"), 0.3), 0.2);
        // The tolerance is ten standard deviations of a binomial.
        for (by, pair, expected, spread) in [
            (Side::Control, Pair::Candidate, 18_000, 1_220),
            (Side::Twin, Pair::Second, 2_000, 450),
            (Side::Candidate, Pair::Verify, 30_000, 1_450),
        ] {
            let found = count(by, Some(pair));
            assert!(found.abs_diff(expected) < spread, "{by:?} {pair:?}: {found}");
        }
        sampled.set(0.0, Part::ALL, 0.0);
        assert!([Side::Control, Side::Candidate, Side::Twin].iter().all(|side| count(*side, None) == 100_000));
    }
}
