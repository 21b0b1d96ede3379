//! The signature of a function that is to be written in Rust. In: its seen calls. Out: names and types, or all reasons
//! why it cannot move as it is.

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};
use tierup_codegen::{Spelling, camel_case::camel, rust::identifier};

use crate::{
    seen::Seen,
    shape::Shape,
    spelled::{Definition, Types},
};

const NO_ANSWER: &str = "no answer was seen: it threw each time, or never ended";

/// A function's signature in Rust.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name in Rust, without `r#`.
    pub name: String,
    /// The name in the host's package.
    pub in_package: String,
    pub parameters: Vec<Parameter>,
    /// The answer's type, without the `Result` around it.
    pub answer: String,
    /// Notes for the user about the guess.
    pub notes: Vec<String>,
    /// Whether the types come from a declaration instead of seen calls.
    pub declared: bool,
    pub(crate) definitions: Vec<Definition>,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name in Rust code, such as `r#type`.
    pub name: String,
    pub ty: String,
}

/// The signature of a function by its name in the host's language, with the types that were seen.
///
/// # Errors
/// At least one reason why the function cannot move to Rust as it is.
pub(crate) fn of_seen(name: &str, seen: &Seen, spelling: Spelling) -> Result<Signature, Vec<String>> {
    let mut problems = seen.problems.clone();
    let mut types = Types { spelling, definitions: Vec::new() };
    let mut notes = Vec::new();
    let mut parameters = Vec::new();
    let is_unused = |shape: &Shape| matches!(shape, Shape::Optional { of } if **of == Shape::Unseen);
    let used = seen.parameters.iter().rposition(|parameter| !is_unused(&parameter.shape)).map_or(0, |last| last + 1);
    for left_out in &seen.parameters[used..] {
        notes.push(format!("`{}` was never given, so it is left out", left_out.name));
    }
    for (place, parameter) in seen.parameters[..used].iter().enumerate() {
        match types.parameter(&parameter.shape, &parameter.name) {
            Ok(ty) => parameters.push(Parameter { name: parameter_name(&parameter.name, place, &parameters), ty }),
            Err(why) => problems.push(format!("its argument `{}` is {why}", parameter.name)),
        }
    }
    let answer = match &seen.answer {
        None => Err(NO_ANSWER.to_owned()),
        Some(shape) if is_unused(shape) => Err("it answers nothing: what it does is elsewhere".to_owned()),
        Some(shape) => types.owned(shape, "answer").map_err(|why| format!("its answer is {why}")),
    };
    match answer {
        Ok(answer) if problems.is_empty() => {
            let rust = match name.to_snake_case() {
                rust if rust.is_empty() || rust.starts_with(|first: char| first.is_ascii_digit()) => {
                    "function".to_owned()
                }
                rust => rust,
            };
            let in_package = match spelling {
                Spelling::CamelCase => camel(&rust),
                Spelling::PascalCase => rust.to_upper_camel_case(),
                Spelling::AsInRust => rust.clone(),
            };
            Ok(Signature {
                name: rust,
                in_package,
                parameters,
                answer,
                notes,
                declared: false,
                definitions: types.definitions,
            })
        }
        answer => {
            // If the witness has reported why it cannot watch the function, a missing answer is no news.
            problems.extend(answer.err().filter(|why| problems.is_empty() || why != NO_ANSWER));
            Err(problems)
        }
    }
}

/// A Rust name that no earlier parameter has.
fn parameter_name(host: &str, place: usize, before: &[Parameter]) -> String {
    let plain = host.trim_matches(|character| character == '$' || character == '_').to_snake_case();
    let starts_well = plain.starts_with(|first: char| first.is_ascii_alphabetic());
    let name = if starts_well { identifier(&plain).to_string() } else { format!("arg{place}") };
    if before.iter().any(|known| known.name == name) { format!("arg{place}") } else { name }
}
