//! One answer, with its timing.

use std::{fmt, time::Duration};

use serde::{Serialize, Serializer};
use tierup_codegen::abi::Value;
use tierup_model::{Interface, Output};

use crate::{Silence, value_json::value_json};

/// One answer, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    pub seen: Seen,
    /// The calls that the server made to other servers meanwhile, in order of arrival. Empty without a listener.
    pub downstream: Vec<DownstreamCall>,
    /// From the question to the whole answer; `None` if it was not measured.
    pub took: Option<Duration>,
}

/// A request that a server sent to another server while it answered one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DownstreamCall {
    pub method: String,
    /// The path and query.
    pub target: String,
    /// The header's value, as it was sent.
    pub content_type: Option<String>,
    #[serde(serialize_with = "readable")]
    pub body: Vec<u8>,
}

/// `POST /process {"sum":40}`, on a line.
impl fmt::Display for DownstreamCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.target)?;
        match self.body.is_empty() {
            true => Ok(()),
            false => write!(f, " {}", String::from_utf8_lossy(&self.body)),
        }
    }
}

fn readable<S: Serializer>(body: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(body))
}

/// The result of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// From a server.
    Answer(Answer),
    /// From a function.
    Call(Call),
    /// No answer, and the reason.
    Nothing(Silence),
    /// The question was not asked, and why.
    Skipped(String),
}

/// A server's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answer {
    /// The URL of the request to this server: `http://127.0.0.1:4512/items?a=b`. A `Location` is resolved against it.
    pub url: String,
    pub status: u16,
    /// Names in lower case, and values as they were sent.
    pub headers: Vec<(String, String)>,
    /// The header's value, as it was sent.
    pub content_type: Option<String>,
    pub body: Vec<u8>,
    /// Whether the body is still as it was sent.
    pub coding: Coding,
    /// The body as the normalizer returned it, or why it failed; `None` where it was not asked.
    pub meaning: Option<Result<Vec<u8>, String>>,
}

/// The result of removing a body's content coding.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Coding {
    /// The body is as it was sent.
    #[default]
    AsSent,
    /// The body is decoded.
    Decoded,
    /// The body is as it was sent, as tierup cannot decode it, for this reason. A client may be able to.
    Unknown(String),
    /// The body is as it was sent, as it is not valid in its coding, for this reason.
    Damaged(String),
}

/// How a function's call ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub outcome: Outcome,
    /// The returned value as comparators read it: texts and bytes as they are, all other types as JSON.
    pub body: Vec<u8>,
    /// The body as the normalizer returned it, or why it failed; `None` where it was not asked.
    pub meaning: Option<Result<Vec<u8>, String>>,
}

impl Call {
    /// The call of a function with this output.
    pub fn new(outcome: Outcome, output: &Output, interface: &Interface) -> Call {
        let body = match (&outcome, &output.ty) {
            (Outcome::Ok(Some(Value::Text(text))), _) => text.clone().into_bytes(),
            (Outcome::Ok(Some(Value::Bytes(bytes))), _) => bytes.clone(),
            (Outcome::Ok(Some(value)), Some(ty)) => value_json(value, ty, interface).into_bytes(),
            _ => Vec::new(),
        };
        Call { outcome, body, meaning: None }
    }
}

impl Observation {
    /// An observation of this result, with no calls made and nothing measured.
    pub fn new(seen: Seen) -> Observation {
        Observation { seen, downstream: Vec::new(), took: None }
    }

    /// The input for a normalizer: the body of an answer that is not an error, if it can be read.
    pub fn body(&self) -> Option<&[u8]> {
        match &self.seen {
            Seen::Answer(Answer { coding: Coding::Unknown(_) | Coding::Damaged(_), .. }) => None,
            Seen::Answer(answer) if answer.status < 400 => Some(&answer.body),
            Seen::Call(Call { outcome: Outcome::Ok(_), body, .. }) => Some(body),
            _ => None,
        }
    }
}

/// How one call ended. Two variants agree if their outcomes are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The function returned; `None` is `()`.
    Ok(Option<Value>),
    /// The function's own error, as it displays itself.
    Error(String),
    /// The function panicked. The messages differ only in the source location, which depends on the build.
    Panic(String),
    /// The host refused these arguments.
    Refused(String),
    /// The call could not be made or finished: something did not load, or died.
    Lost(String),
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Ok(None) => f.write_str("nothing, as expected"),
            Outcome::Ok(Some(value)) => write!(f, "{value:?}"),
            Outcome::Error(message) => write!(f, "error: {message}"),
            Outcome::Panic(message) => write!(f, "panic: {message}"),
            Outcome::Refused(message) => write!(f, "refused by the host: {message}"),
            Outcome::Lost(message) => write!(f, "lost: {message}"),
        }
    }
}
