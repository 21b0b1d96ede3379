//! What a host calls the things of an interface, each list in the interface's order. How it finds these names is its own
//! `names.rs`; hosts whose language needs another shape (JavaScript has two types for one of ours) have their own.

/// A function's names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionNames {
    /// What it is called by.
    pub name: String,
    /// Its parameters.
    pub parameters: Vec<String>,
}

/// The names of a record or an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionNames {
    /// The type.
    pub name: String,
    /// A record's fields; empty for an enum.
    pub fields: Vec<String>,
    /// An enum's cases; empty for a record.
    pub cases: Vec<CaseNames>,
}

/// The names of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseNames {
    /// A constant or member, where no case of the enum carries anything; else the case's own type.
    pub name: String,
    /// What it carries: named fields by their names, others by names that the host gives them.
    pub fields: Vec<String>,
}
