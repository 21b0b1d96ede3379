//! Every key of `tierup.toml`: its type, default, example and meaning. The reader refuses other keys and suggests the
//! nearest name. [`schema`] and `docs/reference/tierup-toml.md` are made from this table.

mod kind;
mod table;
#[cfg(test)]
mod tests;

use kind::Kind;
use serde_json::{Map, Value as Json, json};

use crate::value::toml_as_json;

/// A table of `tierup.toml`.
pub(crate) struct Section {
    /// The name in messages; `*` stands for a name that users choose. It is empty for the file itself.
    pub(crate) name: &'static str,
    about: &'static str,
    keys: &'static [Key],
}

/// A key of a table.
struct Key {
    name: &'static str,
    kind: Kind,
    default: Default,
    /// A TOML value.
    example: &'static str,
    about: &'static str,
}

enum Default {
    Required,
    /// A TOML value.
    Is(&'static str),
    /// The default in words.
    Means(&'static str),
}

impl Section {
    /// The section with this name. A table whose keys are all chosen by users has no section.
    pub(crate) fn find(name: &str) -> Option<&'static Section> {
        let general = match name.strip_prefix("host.") {
            Some(host) => host.split_once('.').map_or("host.*".to_owned(), |(_, rest)| format!("host.*.{rest}")),
            None => name.to_owned(),
        };
        table::SECTIONS.iter().find(|section| section.name == general)
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().map(|key| key.name)
    }

    /// The lines that set every key to its default.
    #[cfg(test)]
    pub(crate) fn defaults(&self) -> impl Iterator<Item = String> {
        self.keys.iter().filter_map(|key| match key.default {
            Default::Is(value) => Some(format!("{} = {value}\n", key.name)),
            Default::Required | Default::Means(_) => None,
        })
    }
}

/// The JSON schema, for these hosts.
pub fn schema(hosts: &[&str]) -> Json {
    let mut schema = table("", hosts);
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["title"] = "tierup.toml".into();
    schema
}

fn table(name: &str, hosts: &[&str]) -> Json {
    let Some(section) = Section::find(name) else { return json!({ "type": "object" }) };
    let properties: Map<_, _> =
        section.keys.iter().map(|key| (key.name.to_owned(), property(name, key, hosts))).collect();
    let required: Vec<_> =
        section.keys.iter().filter(|key| matches!(key.default, Default::Required)).map(|key| key.name).collect();
    let mut schema = json!({ "type": "object", "description": section.about, "properties": properties });
    schema["additionalProperties"] = false.into();
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}

fn property(section: &str, key: &Key, hosts: &[&str]) -> Json {
    let inner = if section.is_empty() { key.name.to_owned() } else { format!("{section}.{}", key.name) };
    let mut schema = match (inner.as_str(), &key.kind) {
        ("host", Kind::Map(..)) => {
            let hosts: Map<_, _> = hosts.iter().map(|host| ((*host).to_owned(), table("host.*", hosts))).collect();
            json!({ "type": "object", "properties": hosts, "additionalProperties": false, "minProperties": 1 })
        }
        (_, kind) => kind.schema(&|| table(&inner, hosts)),
    };
    schema["description"] = match key.default {
        Default::Required => key.about.to_owned(),
        Default::Is(default) | Default::Means(default) => format!("{} Default: {default}.", key.about),
    }
    .into();
    // Editors show the example. It is a TOML value, which a test parses.
    let text = format!("x = {}", key.example);
    let parsed = toml::de::DeTable::parse(&text).ok();
    let example = parsed.as_ref().and_then(|table| toml_as_json(table.get_ref().get("x")?.get_ref()).ok());
    schema["examples"] = example.into_iter().collect();
    schema
}
