//! How a call ended: an answer's tag, and the same for calls without the byte encoding.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

pub(crate) const OK: u8 = 0;
pub(crate) const ERROR: u8 = 1;
pub(crate) const PANIC: u8 = 2;
pub(crate) const REFUSED: u8 = 3;
{{tag}}
/// How a direct call ended.
pub enum Outcome<T> {
    Ok(T),
    /// The function's own error, as it displays itself.
    Error(String),
    /// A panic's message and place, or why a sandbox ended the call.
    Panic(String),
{{case}}}

/// A call without a value.
#[derive(Debug)]
pub struct Failed {
    /// The first byte of its answer.
    pub tag: u8,
    pub message: String,
}

impl<T> Outcome<T> {
    /// The value, or the tag and the message of the answer.
    pub fn into_result(self) -> Result<T, Failed> {
        let (tag, message) = match self {
            Outcome::Ok(value) => return Ok(value),
            Outcome::Error(message) => (ERROR, message),
            Outcome::Panic(message) => (PANIC, message),
{{arm}}        };
        Err(Failed { tag, message })
    }
}
