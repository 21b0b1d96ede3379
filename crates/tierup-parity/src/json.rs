//! JSON as it was written: numbers keep their digits, objects keep every member, texts keep lone surrogates.
//!
//! In: a body's bytes. Out: a [`Json`] that borrows from them and holds the position of every value.
//!
//! The reader is our own, because no maintained crate does all of this. `serde_json` drops duplicate keys, refuses lone
//! surrogates, and keeps digits only with `arbitrary_precision`, a feature that cargo would then turn on for every
//! crate of the build. `jiter` and `struson` keep digits and duplicate keys but refuse lone surrogates, which
//! JavaScript and Python write; `struson` calls itself experimental.

mod number;
mod read;
mod size;
mod string;
mod text;
mod write;

use std::ops::Range;

pub(crate) use number::Decimal;
pub use read::{JsonError, read};
pub use size::memory;
pub use text::Text;

/// How deep arrays and objects may nest. PHP has the same limit; Ruby and Rust stop at 100 and 128, Python at about
/// 1,000. Comparing recurses as deep as reading, so the limit also keeps it within a thread's stack.
pub const DEEPEST: usize = 512;

/// A JSON value, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json<'a> {
    pub kind: Kind<'a>,
    /// The value's byte range in the input, including quotes and brackets.
    pub range: Range<usize>,
}

/// The type and content of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind<'a> {
    Null,
    Bool(bool),
    /// The number as it is written: `1.0`, `1e3`, `-0`.
    Number(&'a str),
    Text(Text<'a>),
    Array(Vec<Json<'a>>),
    /// The members in the order of the text, including duplicate keys.
    Object(Vec<Member<'a>>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    pub key: Text<'a>,
    /// The key's byte range in the input, including quotes.
    pub key_range: Range<usize>,
    pub value: Json<'a>,
}
