//! A call's arguments, encoded one after another.

use tierup_model::{Function, Interface};

use super::value::{EncodeError, Value};

/// An argument does not have its parameter's type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{source}")]
pub struct ArgumentError {
    /// The parameter's number, from 0.
    pub parameter: usize,
    pub source: EncodeError,
}

/// The bytes that a function is called with; one value for each of its parameters.
///
/// # Errors
/// A value that does not have its parameter's type.
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
