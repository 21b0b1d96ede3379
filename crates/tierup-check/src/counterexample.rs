//! A mismatch for programs: the question, what was expected, what came, and an identifier that another run repeats.
//!
//! In: a question and both observations. Out: JSON without secrets, as `check.schema.json` describes it.

use serde::Serialize;
use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};
use tierup_codegen::abi::Value;
use tierup_model::{Function, Interface};
use tierup_parity::{Answer, Call, Difference, Framing, Observation, Outcome, Seen};

use crate::{cut::cut, questions::Question, shown_value::Hiding};

/// The largest value that is written as JSON, in bytes.
const MOST_BYTES: usize = 16 << 10;
/// The longest text of an answer, in characters.
const LONGEST: usize = 2000;

/// A question with different answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counterexample {
    /// Names the question: the same question has the same identifier in every run, on every machine, for every row.
    pub id: String,
    /// The function; `None` for a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The function's arguments, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<Argument>,
    /// The control's answer.
    pub expected: Answered,
    /// The answer of the rows.
    pub got: Answered,
    /// The first place at which they differ; `None` if there was nothing to compare.
    pub first_difference: Option<Difference>,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Argument {
    pub name: String,
    /// Missing if it is too large: the file of the command has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// Its size as JSON, in bytes.
    pub bytes: usize,
}

/// One side's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answered {
    /// `ok`, `error`, `panic`, `refused`, `lost`, `answer`, `nothing` or `skipped`.
    pub outcome: &'static str,
    /// The function's value. Missing if it returned none, or if it is too large.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Json>,
    /// The message of an error, the reason for a missing answer, or a server's body, cut if it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The server's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

/// Both sides' answers to one question, and where they differ first.
pub(crate) struct Pair<'a> {
    pub(crate) expected: &'a Observation,
    pub(crate) got: &'a Observation,
    pub(crate) first_difference: Option<Difference>,
}

impl Counterexample {
    pub(crate) fn of_call(
        function: &Function,
        interface: &Interface,
        arguments: &[Value],
        pair: Pair<'_>,
        hiding: &Hiding<'_>,
    ) -> Counterexample {
        let values = hiding.arguments(arguments, function, interface);
        let id = identifier(&json!(["function", function.name, values]));
        let argument = |(name, value): (&String, Json)| {
            let bytes = value.to_string().len();
            Argument { name: name.clone(), value: (bytes <= MOST_BYTES).then_some(value), bytes }
        };
        let names = function.parameters.iter().map(|parameter| &parameter.name);
        Counterexample {
            id,
            function: Some(function.name.clone()),
            arguments: names.zip(values).map(argument).collect(),
            expected: answered(pair.expected, Some((function, interface)), hiding),
            got: answered(pair.got, Some((function, interface)), hiding),
            first_difference: pair.first_difference,
        }
    }

    /// The observations and the detail have no secrets any more.
    pub(crate) fn of_request(question: &Question, pair: Pair<'_>, hiding: &Hiding<'_>) -> Counterexample {
        // A credential may differ between machines, and nobody may guess it from the identifier.
        let request = question.request.without_secrets();
        let id = identifier(&json!([
            "request",
            request.method,
            request.target,
            request.headers,
            String::from_utf8_lossy(&request.body),
            question.framing == Framing::Chunked,
            format!("{:?}", question.behaviour),
        ]));
        Counterexample {
            id,
            function: None,
            arguments: Vec::new(),
            expected: answered(pair.expected, None, hiding),
            got: answered(pair.got, None, hiding),
            first_difference: pair.first_difference,
        }
    }
}

/// 16 hexadecimal digits: enough that no two questions of a project share them by accident.
fn identifier(question: &Json) -> String {
    Sha256::digest(question.to_string()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

fn answered(seen: &Observation, of: Option<(&Function, &Interface)>, hiding: &Hiding<'_>) -> Answered {
    let with_text = |outcome: &'static str, text: &str| Answered {
        outcome,
        value: None,
        text: Some(cut(&hiding.text(text), LONGEST)),
        status: None,
    };
    match &seen.seen {
        Seen::Answer(Answer { status, body, .. }) => {
            Answered { status: Some(*status), ..with_text("answer", &String::from_utf8_lossy(body)) }
        }
        Seen::Nothing(why) => with_text("nothing", &why.to_string()),
        Seen::Skipped(why) => with_text("skipped", why),
        Seen::Call(Call { outcome, .. }) => match outcome {
            Outcome::Ok(value) => {
                let ty = of.and_then(|(function, interface)| Some((function.output.ty.as_ref()?, interface)));
                let value = value.as_ref().zip(ty).map(|(value, (ty, interface))| hiding.value(value, ty, interface));
                let value = value.filter(|value| value.to_string().len() <= MOST_BYTES);
                Answered { outcome: "ok", value, text: None, status: None }
            }
            Outcome::Error(message) => with_text("error", message),
            Outcome::Panic(message) => with_text("panic", message),
            Outcome::Refused(message) => with_text("refused", message),
            Outcome::Lost(message) => with_text("lost", message),
        },
    }
}
