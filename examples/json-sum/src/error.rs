//! What can be wrong with a body.

use std::error::Error;
use std::fmt;

/// Why a body has no sum.
#[derive(Debug)]
pub enum SumError {
    /// The body's bytes are not UTF-8.
    NotUtf8,
    /// The body is not JSON, or more than one document of it.
    NotJson(serde_json::Error),
    /// The body is JSON, but no object.
    NoObject,
    /// The object has no `items`.
    NoItems,
    /// `items` is something else than an array.
    ItemsAreNoArray,
    /// An item is something else than an object.
    ItemIsNoObject {
        /// Its place in `items`, from 0.
        item: usize,
    },
    /// An item has no `value`, or one that is no whole number of up to 2^53 - 1.
    NoSafeInteger {
        /// Its place in `items`, from 0.
        item: usize,
    },
    /// The sum is beyond 2^53 - 1.
    Overflow {
        /// The place of the item that is too much, from 0.
        item: usize,
    },
}

impl fmt::Display for SumError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("the body is not UTF-8"),
            Self::NotJson(error) => write!(f, "the body is not JSON: {error}"),
            Self::NoObject => f.write_str("the body is not an object"),
            Self::NoItems => f.write_str("the body has no \"items\""),
            Self::ItemsAreNoArray => f.write_str("\"items\" is not an array"),
            Self::ItemIsNoObject { item } => write!(f, "items[{item}] is not an object"),
            Self::NoSafeInteger { item } => write!(f, "items[{item}].value is not a whole number of up to 2^53 - 1"),
            Self::Overflow { item } => write!(f, "overflow: at items[{item}] the sum is beyond 2^53 - 1"),
        }
    }
}

impl Error for SumError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotJson(error) => Some(error),
            _ => None,
        }
    }
}
