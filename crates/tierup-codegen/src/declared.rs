//! A function's declaration in its host's source, for hosts whose languages have types.

use serde::Deserialize;

use crate::Spelling;

/// The content of a declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// Its name with everything that stack traces of the host put before it: see
    /// [`Watched::qualified_name`](crate::Watched::qualified_name).
    pub qualified_name: String,
    /// The line on which it begins.
    pub line: u32,
    /// With the names in the source.
    pub parameters: Vec<(String, DeclaredType)>,
    /// The type of the answer, without an error beside it. `None` if it answers nothing.
    pub answer: Option<DeclaredType>,
    /// Why the function cannot move as it is.
    pub problems: Vec<String>,
    /// Notes for the user, as clauses.
    pub notes: Vec<String>,
    /// If the function's types differ from those of the package: how it becomes tier 0 nevertheless, in sentences.
    pub conversion: Option<String>,
    /// How the host's package spells Rust's names.
    pub spelling: Spelling,
    /// The function's name for `[host.NAME.baseline]`, if other code can call it with the package's types.
    pub baseline: Option<String>,
    /// The names of all fields, if calls must be watched because the declaration leaves types open:
    /// [`DeclaredType::Number`], [`DeclaredType::Seen`]. `None` if it leaves nothing open.
    pub watched: Option<Vec<String>>,
    /// The declaring file, relative to the server's folder, if it is not the file that runs.
    pub file: Option<String>,
}

/// The type of a parameter or an answer. Types that only the running server knows are noted by a witness.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "is", content = "of", rename_all = "lowercase")]
pub enum DeclaredType {
    Text,
    Bool,
    Bytes,
    Float,
    /// Whole or fractional: the language has one type for both, and watched calls decide.
    Number,
    Whole {
        /// 32 or 64.
        bits: u8,
        signed: bool,
    },
    List(Box<DeclaredType>),
    /// Keys are text.
    Map(Box<DeclaredType>),
    /// A pointer that may be null.
    Optional(Box<DeclaredType>),
    /// Fields, with the names in the source.
    Record(Vec<(String, DeclaredType)>),
    /// One of these texts.
    Choice(Vec<String>),
    /// The declaration does not tell; watched calls do.
    Seen,
    /// A type that cannot cross, or that tierup does not read, in words: `a channel`.
    Refused(String),
}
