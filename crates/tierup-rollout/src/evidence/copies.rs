//! What copies of requests showed: counts of a route, examples, and differences that remained.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Which two answers were compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pair {
    /// Control's answer to the client, and the candidate's.
    Candidate,
    /// Control's answer to the client, and that of a second control process: any difference is noise.
    Second,
    /// The candidate's answer to the client, and control's.
    Verify,
}

/// One route's sample in a slot. Each request counts as same, mismatched, dropped or not comparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copies {
    pub route: String,
    pub pair: Pair,
    pub same: u64,
    pub mismatched: u64,
    /// Mismatches that do not show whose fault they are. Either control answered with an error or with 304, which is
    /// rarely the function's doing; or the client's public network already caused a mismatch.
    #[serde(default)]
    pub no_evidence: u64,
    /// Requests that control answered with success and the other side with a status below 500, whether compared or not.
    #[serde(default)]
    pub both: u64,
    /// Requests that control answered with success and the other side with a status from 500 on, or not at all.
    #[serde(default)]
    pub only_control: u64,
    /// The mismatches by the [kind](Difference::kind) of their first difference; the rarest kinds may be left out.
    #[serde(default)]
    pub kinds: BTreeMap<String, u64>,
    /// Requests of which no copy was made, by reason.
    pub dropped: BTreeMap<String, u64>,
    /// Requests whose copies gave nothing to compare, by reason.
    pub not_comparable: BTreeMap<String, u64>,
    /// The total time of the compared answers, in microseconds: those to clients, and those to copies.
    #[serde(default)]
    pub took: u64,
    #[serde(default)]
    pub copy_took: u64,
}

impl Copies {
    /// A route without any copies so far.
    pub fn new(route: impl Into<String>, pair: Pair) -> Copies {
        Copies {
            route: route.into(),
            pair,
            same: 0,
            mismatched: 0,
            no_evidence: 0,
            both: 0,
            only_control: 0,
            kinds: BTreeMap::new(),
            dropped: BTreeMap::new(),
            not_comparable: BTreeMap::new(),
            took: 0,
            copy_took: 0,
        }
    }
}

/// A mismatch that is kept as an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    pub route: String,
    pub pair: Pair,
    /// The path of the first difference, without positions: `$.items[*].id`.
    pub kind: String,
    /// Such as `GET /orders?limit=3`.
    pub request: String,
    /// The size of target and body together, in bytes.
    pub size: u64,
    /// The first difference, in words.
    pub words: String,
    /// The headers that decide the form of an answer, such as `accept`. No other headers are kept.
    #[serde(default)]
    pub headers: Vec<(String, String)>,
    /// Why the request cannot be sent again from this line: it had a body, or something in it is hidden.
    #[serde(default)]
    pub not_repeatable: Option<String>,
}

/// A difference that remained when both sides were asked again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed {
    /// With [`Pair::Second`], the twin differed, so the difference is noise.
    pub pair: Pair,
    pub route: String,
    pub request: String,
    pub words: String,
    /// The network of the client that sent the request; or its key, if many clients may share the address. Only this
    /// proxy knows what the number stands for.
    pub client: u64,
    /// Whether `client` is a network.
    #[serde(default, rename = "is_public")]
    pub is_network: bool,
    /// The status of control's answer.
    pub status: u16,
}
