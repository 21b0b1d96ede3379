//! The byte ABI: how values, arguments and answers are written as bytes, and the hash that shows whether two programs
//! use the same interface. `docs/byte-abi.md` explains it for readers.

mod arguments;
mod content;
mod describe;
mod value;

pub use arguments::{ArgumentError, encode_arguments};
pub use content::content;
pub use describe::{describe, hash, hash_text};
pub use value::{DecodeError, EncodeError, Value};
