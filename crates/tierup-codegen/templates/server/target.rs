//! Parameters in a request's target: its path and its query.
//!
//! Percent-encoding is read strictly (RFC 3986, section 2.1): broken sequences are refused rather than guessed at.
//! In the query, `+` is a space, as forms send it. Parameters that no route asks for are ignored.

#![allow(dead_code, reason = "not every server has every kind of parameter")]

use std::borrow::Cow;
use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;

use crate::problem::{Problem, Words};
use crate::text::FromText;

/// The target of a request.
pub struct Target(Uri);

impl<S: Sync> FromRequestParts<S> for Target {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Target(parts.uri.clone()))
    }
}

impl Target {
    /// A part of the path, counted from 0.
    pub fn segment<T: FromText>(&self, index: usize, name: &str, words: &Words) -> Result<T, Problem> {
        let what = format!("path parameter \"{name}\"");
        let segment = self.0.path().split('/').nth(index + 1);
        let segment = segment.ok_or_else(|| words.missing(&what))?;
        read(segment, Plus::IsPlus, &what, words)
    }

    /// Refuses a query that is malformed anywhere: a broken percent-encoding, a byte that a URL must encode (RFC 3986,
    /// section 2), or text that is not UTF-8 in any parameter but those in `binary`.
    pub fn check_query(&self, binary: &[&str], words: &Words) -> Result<(), Problem> {
        let query = self.0.query().unwrap_or("");
        if !query.is_ascii() {
            return Err(words.malformed("the query string", "has bytes that are not percent-encoded"));
        }
        for pair in query.split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let key: String = read(key, Plus::IsSpace, "a query parameter's name", words)?;
            if binary.contains(&key.as_str()) {
                read::<Vec<u8>>(value, Plus::IsSpace, &query_parameter(&key), words)?;
            } else {
                read::<String>(value, Plus::IsSpace, &query_parameter(&key), words)?;
            }
        }
        Ok(())
    }

    /// A query parameter that must be there.
    pub fn query<T: FromText>(&self, name: &str, words: &Words) -> Result<T, Problem> {
        let missing = || words.missing(&query_parameter(name));
        let value = self.find(name, words)?.ok_or_else(missing)?;
        if value.is_empty() && words.missing.is_some() {
            return Err(missing());
        }
        read(value, Plus::IsSpace, &query_parameter(name), words)
    }

    /// A query parameter that may be absent.
    pub fn query_if_given<T: FromText>(&self, name: &str, words: &Words) -> Result<Option<T>, Problem> {
        let value = self.find(name, words)?;
        value.map(|value| read(value, Plus::IsSpace, &query_parameter(name), words)).transpose()
    }

    /// A query parameter's value, still encoded.
    fn find(&self, name: &str, words: &Words) -> Result<Option<&str>, Problem> {
        let mut found = None;
        for pair in self.0.query().unwrap_or("").split('&') {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            // A key that cannot be decoded is not the one.
            if key != name && decode(key, Plus::IsSpace).is_none_or(|key| *key != *name.as_bytes()) {
                continue;
            }
            if found.replace(value).is_some() {
                return Err(words.twice(&query_parameter(name)));
            }
        }
        Ok(found)
    }
}

fn query_parameter(name: &str) -> String {
    format!("query parameter \"{name}\"")
}

/// The character that `+` stands for.
#[derive(Clone, Copy, PartialEq)]
enum Plus {
    IsPlus,
    IsSpace,
}

fn read<T: FromText>(encoded: &str, plus: Plus, what: &str, words: &Words) -> Result<T, Problem> {
    let bytes = decode(encoded, plus).ok_or_else(|| words.malformed(what, "has a broken percent-encoding"))?;
    T::from_text(bytes).map_err(|reason| words.malformed(what, &reason))
}

/// Resolves percent-encoding; `None` where it is broken.
fn decode(encoded: &str, plus: Plus) -> Option<Cow<'_, [u8]>> {
    let special = |byte: u8| byte == b'%' || byte == b'+' && plus == Plus::IsSpace;
    let Some(first) = encoded.bytes().position(special) else { return Some(Cow::Borrowed(encoded.as_bytes())) };
    let (plain, mut rest) = encoded.as_bytes().split_at(first);
    let mut decoded = Vec::with_capacity(encoded.len());
    decoded.extend_from_slice(plain);
    while let [byte, tail @ ..] = rest {
        rest = tail;
        decoded.push(match byte {
            b'%' => {
                let (digits, tail) = tail.split_first_chunk::<2>()?;
                rest = tail;
                hexadecimal(digits[0])? << 4 | hexadecimal(digits[1])?
            }
            b'+' if plus == Plus::IsSpace => b' ',
            byte => *byte,
        });
    }
    Some(Cow::Owned(decoded))
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| value.try_into().ok())
}
