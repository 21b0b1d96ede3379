//! Reads the module's answers, and writes those that are messages.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use crate::outcome::{ERROR, Failed, LATE, OK, Outcome, PANIC, REFUSED};

/// The bytes of a tag and a length.
const START: usize = 5;

impl<T> Outcome<T> {
    /// The outcome that an answer holds. `value` reads the value's bytes.
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

    /// Reads an answer that is a message.
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
