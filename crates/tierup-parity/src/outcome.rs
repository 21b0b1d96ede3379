//! How one call ended, as its caller sees it.

use std::fmt;

use tierup_codegen::abi::Value;

/// How one call ended. Two variants agree if their outcomes are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It answered; `None` is `()`.
    Ok(Option<Value>),
    /// The function's own error, as it displays itself.
    Error(String),
    /// The function panicked. The messages differ only in the source location, which depends on the build.
    Panic(String),
    /// The host did not let these arguments cross.
    Refused(String),
    /// The call could not be made: something did not load, or died.
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
