//! How the fields of records are named in JSON.

/// As Rust names them, or as JavaScript, Java and others would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// `due_date`, as in Rust.
    SnakeCase,
    /// `dueDate`.
    CamelCase,
}

impl Keys {
    /// The name in this style, given a field's name in both.
    pub fn name(self, snake: &'static str, camel: &'static str) -> &'static str {
        match self {
            Keys::SnakeCase => snake,
            Keys::CamelCase => camel,
        }
    }
}
