//! The JSON schema of `tierup.toml`, for editors. In: the table of keys, and the hosts that there are. Out: draft 7, which
//! taplo and with it most editors read.

use serde_json::{Map, Value as Json, json};

use super::{Default, Key, Kind, Section};
use crate::value::toml_as_json;

/// The schema, for these hosts.
pub fn schema(hosts: &[&str]) -> Json {
    let mut schema = table("", hosts);
    schema["$schema"] = "http://json-schema.org/draft-07/schema#".into();
    schema["title"] = "tierup.toml".into();
    schema
}

fn table(name: &str, hosts: &[&str]) -> Json {
    let Some(section) = Section::of(name) else { return json!({ "type": "object" }) };
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
    // Editors show it. Each example is a value in TOML, which a test parses.
    let text = format!("x = {}", key.example);
    let parsed = toml::de::DeTable::parse(&text).ok();
    let example = parsed.as_ref().and_then(|table| toml_as_json(table.get_ref().get("x")?.get_ref()).ok());
    schema["examples"] = example.into_iter().collect();
    schema
}
