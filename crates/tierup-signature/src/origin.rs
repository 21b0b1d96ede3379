//! The part of a request that an argument came from. In: requests that were sent one by one, with their times, and
//! hashes of the arguments of calls. Out: for each argument, the part with the same value in every call.

use percent_encoding::percent_decode_str;
use sha2::{Digest as _, Sha256};

use crate::seen::{Entered, Seen};

/// A request that was sent, with its times in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub struct SentRequest {
    pub method: String,
    /// Path and query.
    pub target: String,
    pub body: Vec<u8>,
    pub began: f64,
    pub ended: f64,
}

impl SentRequest {
    /// The method and path with the keys of the query, such as `GET /slug?text`, cut to a line. People commit this
    /// name, and a value may be a secret, as may a part of the query without `=`.
    pub fn without_values(&self) -> String {
        const LONGEST: usize = 80;
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let keys: Vec<_> = query.split('&').filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
        let mark = if keys.is_empty() { "" } else { "?" };
        let name = format!("{} {path}{mark}{}", self.method, keys.join("&"));
        match name.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &name[..end]),
            None => name,
        }
    }
}

/// A part of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The value of this key in the query.
    Query(String),
    /// A part of the path, counted from 0.
    Segment(usize),
    Body,
}

impl Origin {
    /// The decoded value of the part in a request.
    pub fn value_in(&self, asked: &SentRequest) -> Option<Vec<u8>> {
        let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
        match self {
            Origin::Query(wanted) => {
                let mut found = query.split('&').filter_map(|pair| {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (key == wanted).then(|| percent_decode_str(&value.replace('+', " ")).collect())
                });
                // A key that occurs twice has no single value.
                found.next().filter(|_| found.next().is_none())
            }
            Origin::Segment(place) => {
                path.split('/').skip(1).nth(*place).map(|text| percent_decode_str(text).collect())
            }
            Origin::Body => (!asked.body.is_empty()).then(|| asked.body.clone()),
        }
    }

    /// All parts of a request.
    fn all(asked: &SentRequest) -> Vec<Origin> {
        let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
        let keys = query.split('&').filter(|pair| !pair.is_empty());
        let keys = keys.map(|pair| Origin::Query(pair.split('=').next().unwrap_or(pair).to_owned()));
        keys.chain((0..path.split('/').count() - 1).map(Origin::Segment)).chain([Origin::Body]).collect()
    }
}

/// For each parameter, the part of the request that held its value in every seen call. Empty if a parameter has no such
/// part, or if a call was made outside of a request.
pub fn origins(seen: &Seen, asked: &[SentRequest], key: &str) -> Vec<Origin> {
    let calls: Option<Vec<(&SentRequest, &Entered)>> =
        seen.entered.iter().map(|entered| Some((during(asked, entered.at)?, entered))).collect();
    let Some(calls) = calls.filter(|calls| !calls.is_empty()) else { return Vec::new() };
    let parameters = seen.parameters.len();
    let origins = (0..parameters).map(|parameter| {
        Origin::all(calls[0].0).into_iter().find(|origin| {
            calls.iter().all(|(asked, entered)| {
                let hash = origin.value_in(asked).map(|value| keyed(key, &value));
                hash.is_some() && entered.words.get(parameter) == Some(&hash)
            })
        })
    });
    origins.collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// The only request that was under way at this time.
pub(crate) fn during(asked: &[SentRequest], at: f64) -> Option<&SentRequest> {
    // The clocks of witnesses count milliseconds.
    let mut found = asked.iter().filter(|asked| asked.began.floor() <= at && at <= asked.ended.ceil());
    found.next().filter(|_| found.next().is_none())
}

fn keyed(key: &str, value: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(key);
    hash.update([0]);
    hash.update(value);
    format!("{:x}", hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seen;

    fn asked(target: &str, began: f64) -> SentRequest {
        let (method, target) = ("GET".to_owned(), target.to_owned());
        SentRequest { method, target, body: b"body".to_vec(), began, ended: began + 10.0 }
    }

    fn found(calls: &[(f64, &[&str])]) -> Vec<Origin> {
        let parameters = (0..calls[0].1.len()).map(|number| format!(r#"{{"name":"p{number}","shapes":[]}}"#));
        let entered = calls.iter().map(|(at, values)| {
            let words = values.iter().map(|value| format!("{:?}", keyed("key", value.as_bytes())));
            format!(r#"{{"at":{at},"words":[{}]}}"#, words.collect::<Vec<_>>().join(","))
        });
        let (parameters, entered) = (parameters.collect::<Vec<_>>().join(","), entered.collect::<Vec<_>>().join(","));
        let text = format!(r#"{{"functions":[{{"parameters":[{parameters}],"entered":[{entered}]}}]}}"#);
        let seen = seen(&[text.into_bytes()], 1).unwrap().remove(0);
        let asked = [asked("/a/x%20y?n=7&n2=a+b", 100.0), asked("/a/z?n=8&n2=c", 200.0)];
        origins(&seen, &asked, "key")
    }

    #[test]
    fn a_request_is_named_without_its_values() {
        let name = |target: &str| asked(target, 0.0).without_values();
        assert_eq!(name("/slug?text=a&text=b&n=7"), "GET /slug?text&text&n");
        assert_eq!([name("/a?c2VjcmV0"), name("/a?")], ["GET /a", "GET /a"]);
        let long = name(&format!("/{}?a=b", "é".repeat(90)));
        assert_eq!(long, format!("GET /{}…", "é".repeat(75)));
    }

    #[test]
    fn an_argument_came_from_the_part_that_always_equals_it() {
        let (first, second): (&[&str], &[&str]) = (&["x y", "7", "a b", "body"], &["z", "8", "c", "body"]);
        let query = |key: &str| Origin::Query(key.to_owned());
        let all = [Origin::Segment(1), query("n"), query("n2"), Origin::Body];
        assert_eq!(found(&[(105.0, first), (205.0, second)]), all);
        // In the second call, the argument differs from the request.
        assert_eq!(found(&[(105.0, &["7"]), (205.0, &["9"])]), []);
        // The call was made outside of a request.
        assert_eq!(found(&[(150.0, &["7"])]), []);
    }
}
