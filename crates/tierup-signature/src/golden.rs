//! The golden call of a new project. In: the seen calls, and the origins of their arguments. Out: arguments that occur
//! in one of the user's requests, and the hash of the answer.

use crate::{
    origin::{Origin, SentRequest, during},
    seen::Seen,
    shape::Shape,
};

/// `[health]` of a new project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Golden {
    /// TOML values: `"text"`, `256`.
    pub arguments: Vec<String>,
    /// SHA-256 of the answer.
    pub sha256: String,
}

/// The longest argument that is written into the settings, in bytes.
const LONGEST: usize = 500;

/// The call of the first request that always gets the same answer. `None` if the answer is neither text nor bytes, or
/// an argument did not come from the request. `may_be_kept` says whether the values of a request may be written down.
pub fn golden(
    seen: &Seen,
    origins: &[Origin],
    asked: &[SentRequest],
    may_be_kept: impl Fn(&SentRequest) -> bool,
) -> Option<Golden> {
    if origins.len() != seen.parameters.len() {
        return None;
    }
    let same = |one: &SentRequest, other: &SentRequest| {
        one.method == other.method && one.target == other.target && one.body == other.body
    };
    let calls = |asked_: &SentRequest| {
        let entered = seen.entered.iter().filter(|entered| during(asked, entered.at) == Some(asked_)).count();
        let left: Vec<_> = seen.left.iter().filter(|left| during(asked, left.at) == Some(asked_)).collect();
        match left[..] {
            [left] if entered == 1 => left.sha256.clone(),
            _ => None,
        }
    };
    asked.iter().filter(|asked| may_be_kept(asked)).find_map(|one| {
        let hashes: Option<Vec<String>> = asked.iter().filter(|other| same(one, other)).map(calls).collect();
        let hashes = hashes.filter(|hashes| hashes.len() > 1)?;
        if hashes.iter().any(|hash| *hash != hashes[0]) {
            return None;
        }
        let arguments = origins.iter().zip(&seen.parameters);
        let arguments = arguments.map(|(origin, parameter)| as_toml(&origin.value_in(one)?, &parameter.shape));
        Some(Golden { arguments: arguments.collect::<Option<_>>()?, sha256: hashes[0].clone() })
    })
}

/// A value as TOML, if TOML has a type for the parameter.
fn as_toml(value: &[u8], shape: &Shape) -> Option<String> {
    let is_plain = |text: &&str| text.len() <= LONGEST && !text.chars().any(char::is_control);
    let text = std::str::from_utf8(value).ok().filter(is_plain)?;
    match shape {
        Shape::Optional { of } => as_toml(value, of),
        // A JSON string is also a TOML string.
        Shape::Text => Some(serde_json::Value::from(text).to_string()),
        Shape::Bool => text.parse::<bool>().ok().map(|value| value.to_string()),
        // TOML integers are signed and have 64 bits.
        Shape::Whole { .. } | Shape::Wide { .. } => text.parse::<i64>().ok().map(|value| value.to_string()),
        _ => None,
    }
}
