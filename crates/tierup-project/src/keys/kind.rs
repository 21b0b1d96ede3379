//! The type of a key's value, in words and as JSON schema.

use serde_json::{Value as Json, json};

pub(super) enum Kind {
    Text,
    Texts,
    Flag,
    /// A whole number in this range.
    Whole(u64, u64),
    Number,
    /// A time: `"90s"`, `"10m"`.
    Time,
    /// A percentage: `"0.1%"`.
    Part,
    OneOf(&'static [&'static str]),
    Either(&'static [Kind]),
    /// The value `false`.
    Off,
    /// A list of any values.
    Values,
    /// A table with its own section.
    Table,
    /// The tables of `[[…]]`.
    Tables,
    /// A table whose keys users choose: the meaning of the keys, and the type of their values.
    Map(&'static str, &'static Kind),
    /// `{ absolute = …, relative = … }`
    Tolerance,
}

impl Kind {
    /// The type in words.
    #[cfg(test)]
    pub(super) fn words(&self) -> String {
        match self {
            Kind::Text => "string".into(),
            Kind::Texts => "list of strings".into(),
            Kind::Flag => "boolean".into(),
            Kind::Whole(low, high) => format!("whole number, {low} to {high}"),
            Kind::Number => "number".into(),
            Kind::Time => "time".into(),
            Kind::Part => "part in percent".into(),
            Kind::OneOf(words) => words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", "),
            Kind::Either(kinds) => kinds.iter().map(Kind::words).collect::<Vec<_>>().join(" or "),
            Kind::Off => "`false`".into(),
            Kind::Values => "list of values".into(),
            Kind::Table => "table".into(),
            Kind::Tables => "tables".into(),
            Kind::Map(key, value) => format!("table, {key}: {}", value.words()),
            Kind::Tolerance => "table with `absolute`, `relative` or both".into(),
        }
    }

    /// The type as JSON schema. `table` makes the schema of a table with its own section.
    pub(super) fn schema(&self, table: &dyn Fn() -> Json) -> Json {
        match self {
            Kind::Text | Kind::Time => json!({ "type": "string" }),
            Kind::Texts => json!({ "type": "array", "items": { "type": "string" } }),
            Kind::Flag => json!({ "type": "boolean" }),
            Kind::Whole(low, high) => json!({ "type": "integer", "minimum": low, "maximum": high }),
            Kind::Number => json!({ "type": "number" }),
            Kind::Part => json!({ "type": "string", "pattern": "^[0-9]+(\\.[0-9]+)? ?%$" }),
            Kind::OneOf(words) => json!({ "enum": words }),
            Kind::Either(kinds) => json!({ "anyOf": kinds.iter().map(|kind| kind.schema(table)).collect::<Vec<_>>() }),
            Kind::Off => json!({ "const": false }),
            Kind::Values => json!({ "type": "array" }),
            Kind::Table => table(),
            Kind::Tables => json!({ "type": "array", "items": table() }),
            Kind::Map(key, value) => json!({
                "type": "object", "propertyNames": { "description": key }, "additionalProperties": value.schema(table),
            }),
            Kind::Tolerance => {
                let number = json!({ "type": "number", "minimum": 0 });
                let properties = json!({ "absolute": number, "relative": number });
                json!({ "type": "object", "properties": properties, "additionalProperties": false })
            }
        }
    }
}
