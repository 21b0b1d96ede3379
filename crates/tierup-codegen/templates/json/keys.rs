//! How the fields of records are named in JSON.

/// The style of fields' names in JSON: that of Rust, or that of JavaScript and Java.
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
