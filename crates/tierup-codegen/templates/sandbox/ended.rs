//! How a call ended: an answer's tag and message, and the same for calls without the byte encoding.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

const OK: u8 = 0;
const ERROR: u8 = 1;
const PANIC: u8 = 2;
const REFUSED: u8 = 3;
const LATE: u8 = 4;

/// The bytes of a tag and a length.
const START: usize = 5;

/// How a direct call ended.
pub enum Outcome<T> {
    Ok(T),
    /// The function's own error, as it displays itself.
    Error(String),
    /// A panic's message and place, or why the sandbox ended the call.
    Panic(String),
    /// The call was ended at its time-out.
    Late(String),
}

/// A call without a value.
#[derive(Debug)]
pub struct Failed {
    /// The first byte of such an answer.
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
            Outcome::Late(message) => (LATE, message),
        };
        Err(Failed { tag, message })
    }

    /// What an answer says. `value` reads the value's bytes.
    pub(crate) fn read(answer: &[u8], value: impl FnOnce(&[u8]) -> Option<T>) -> Outcome<T> {
        match answer.split_first() {
            Some((&OK, bytes)) => match value(bytes) {
                Some(value) => Outcome::Ok(value),
                None => Outcome::Panic("the Wasm module returned a broken answer".to_owned()),
            },
            _ => Failed::said(answer).into(),
        }
    }
}

impl<T> From<Failed> for Outcome<T> {
    fn from(failed: Failed) -> Self {
        match failed.tag {
            ERROR => Outcome::Error(failed.message),
            LATE => Outcome::Late(failed.message),
            _ => Outcome::Panic(failed.message),
        }
    }
}

impl Failed {
    pub(crate) fn panic(message: impl Into<String>) -> Failed {
        Failed { tag: PANIC, message: message.into() }
    }

    pub(crate) fn refused(message: impl Into<String>) -> Failed {
        Failed { tag: REFUSED, message: message.into() }
    }

    pub(crate) fn late(message: impl Into<String>) -> Failed {
        Failed { tag: LATE, message: message.into() }
    }

    /// An answer that is a message.
    pub(crate) fn said(answer: &[u8]) -> Failed {
        let tag = answer.first().copied().unwrap_or(PANIC);
        let message = answer.get(START..).unwrap_or_default();
        Failed { tag, message: String::from_utf8_lossy(message).into_owned() }
    }

    /// Appends it as an answer.
    pub(crate) fn write(&self, answer: &mut Vec<u8>) {
        answer.push(self.tag);
        answer.extend_from_slice(&(self.message.len() as u32).to_le_bytes());
        answer.extend_from_slice(self.message.as_bytes());
    }
}

/// Text or bytes of an answer, without their length.
pub(crate) fn content(value: &[u8]) -> Option<&[u8]> {
    let (length, content) = value.split_first_chunk()?;
    (u32::from_le_bytes(*length) as usize == content.len()).then_some(content)
}
