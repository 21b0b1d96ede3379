//! A function as the source of its host declares it, for hosts whose languages have types.

use serde::Deserialize;

use crate::Spelling;

/// The content of a declaration.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// Its name with all that the host's stacks put before it, as in [`Watched::qualified_name`](crate::Watched::qualified_name).
    pub qualified_name: String,
    /// The line on which it begins.
    pub line: u32,
    /// By the names that the source has.
    pub parameters: Vec<(String, DeclaredType)>,
    /// Without the error beside it. `None` if it answers nothing.
    pub answer: Option<DeclaredType>,
    /// Why it cannot move as it is.
    pub problems: Vec<String>,
    /// Notes for the user, as clauses.
    pub notes: Vec<String>,
    /// How the present function becomes tier 0 where its types differ from those of the package, in sentences.
    pub conversion: Option<String>,
    /// How the host's package spells names of Rust.
    pub spelling: Spelling,
    /// How `[host.NAME.baseline]` names it, if others can call it with the types of the package.
    pub baseline: Option<String>,
    /// The names of all fields, where calls are watched for what the declaration leaves open: [`DeclaredType::Number`],
    /// [`DeclaredType::Seen`]. `None` if it leaves nothing open.
    pub watched: Option<Vec<String>>,
    /// The file that declares it, from the server's folder, if it does not run as it is.
    pub file: Option<String>,
}

/// The type of a parameter or an answer. A witness writes those that only the running server knows.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "is", content = "of", rename_all = "lowercase")]
pub enum DeclaredType {
    Text,
    Bool,
    Bytes,
    Float,
    /// Whole or not: its language has one type for both, and calls tell.
    Number,
    Whole {
        /// 32 or 64.
        bits: u8,
        signed: bool,
    },
    List(Box<DeclaredType>),
    /// Keys are text.
    Map(Box<DeclaredType>),
    /// A pointer that may point nowhere.
    Optional(Box<DeclaredType>),
    /// Fields by the names that the source has.
    Record(Vec<(String, DeclaredType)>),
    /// One of these texts.
    Choice(Vec<String>),
    /// The declaration does not say: it is what calls have shown.
    Seen,
    /// It cannot cross, or is not read: `a channel`.
    Refused(String),
}
