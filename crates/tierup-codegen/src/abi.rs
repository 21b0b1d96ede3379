//! The byte ABI: how values, arguments and answers are written as bytes, and the hash that shows whether two programs
//! use the same interface. `docs/byte-abi.md` explains it for readers.

mod describe;
mod value;

use tierup_model::{Function, Interface, Type};

pub use describe::{describe, hash, hash_text};
pub use value::{DecodeError, EncodeError, Value};

/// An argument does not have its parameter's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{source}")]
pub struct ArgumentError {
    /// The parameter's number, from 0.
    pub parameter: usize,
    pub source: EncodeError,
}

/// Encodes the arguments of a call: one value for each of the function's parameters.
///
/// # Errors
/// If a value does not have its parameter's type.
pub fn encode_arguments<'a>(
    values: impl IntoIterator<Item = &'a Value>,
    function: &Function,
    interface: &Interface,
) -> Result<Vec<u8>, ArgumentError> {
    let mut bytes = Vec::new();
    for (number, (value, parameter)) in values.into_iter().zip(&function.parameters).enumerate() {
        let encoded = value.encode(&parameter.ty, interface, &mut bytes);
        encoded.map_err(|source| ArgumentError { parameter: number, source })?;
    }
    Ok(bytes)
}

/// The encoded value, without its length if it is text or bytes.
pub fn content<'a>(encoded: &'a [u8], ty: Option<&Type>) -> &'a [u8] {
    match ty {
        Some(Type::Text | Type::Bytes) => encoded.get(4..).unwrap_or_default(),
        _ => encoded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_and_bytes_lose_their_length() {
        let encoded = b"\x05\0\0\0hello";
        assert_eq!(content(encoded, Some(&Type::Text)), b"hello");
        assert_eq!(content(encoded, Some(&Type::Optional(Box::new(Type::Text)))), encoded);
        assert_eq!((content(encoded, None), content(b"", Some(&Type::Bytes))), (&encoded[..], &b""[..]));
    }
}
