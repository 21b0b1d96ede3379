//! Tests of the table of keys: against the readers, and as the reference page.

use std::fmt::Write as _;

use expect_test::{expect, expect_file};
use toml::de::{DeTable, DeValue};

use super::*;
use crate::{
    bench, check,
    document::{Document, finished},
    downstream, profile,
};

const INTRODUCTION: &str = "\
# tierup.toml

Every key, by table. A command that reads the file refuses unknown keys and suggests the nearest name. Paths are relative to
the file. Times are written as `\"90s\"`, `\"5m\"` or `\"1m30s\"`.

`tierup schema` prints the same as a JSON schema. New projects begin with a line that names it, for editors that read
[taplo](https://taplo.tamasfe.dev)'s directives:

```toml
#:schema ./.tierup/schema.json
```
";

#[test]
fn the_reference_page_is_up_to_date() {
    let mut page = INTRODUCTION.to_owned();
    for section in table::SECTIONS {
        let name = match section.name {
            "" => "The file".to_owned(),
            "route" | "check.also" => format!("`[[{}]]`", section.name),
            name => format!("`[{}]`", name.replace('*', "NAME")),
        };
        write!(
            page,
            "\n## {name}\n\n{}\n\n| key | type | default | example | meaning |\n|---|---|---|---|---|\n",
            section.about
        )
        .expect("a text takes everything");
        for Key { name, kind, default, example, about } in section.keys {
            let default = match default {
                Default::Required => "required".to_owned(),
                Default::Is(value) => format!("`{value}`"),
                Default::Means(words) => (*words).to_owned(),
            };
            writeln!(page, "| `{name}` | {} | {default} | `{example}` | {about} |", kind.words())
                .expect("a text takes everything");
        }
    }
    expect_file!["../../../../docs/reference/tierup-toml.md"].assert_eq(&page);
}

/// Whether a value is of this kind.
fn fits(kind: &Kind, value: &DeValue<'_>) -> bool {
    match (kind, value) {
        (Kind::Text | Kind::Time | Kind::Part, DeValue::String(_)) | (Kind::Flag, DeValue::Boolean(_)) => true,
        (Kind::OneOf(words), DeValue::String(text)) => words.contains(&text.as_ref()),
        (Kind::Texts, DeValue::Array(values)) => values.iter().all(|value| value.get_ref().is_str()),
        (Kind::Whole(low, high), DeValue::Integer(number)) => {
            number.as_str().parse().is_ok_and(|number: u64| (*low..=*high).contains(&number))
        }
        (Kind::Number, DeValue::Integer(_) | DeValue::Float(_)) | (Kind::Off, DeValue::Boolean(false)) => true,
        (Kind::Either(kinds), value) => kinds.iter().any(|kind| fits(kind, value)),
        (Kind::Values, DeValue::Array(_)) | (Kind::Table | Kind::Tolerance, DeValue::Table(_)) => true,
        (Kind::Tables, DeValue::Array(tables)) => tables.iter().all(|table| table.get_ref().is_table()),
        (Kind::Map(_, kind), DeValue::Table(table)) => table.values().all(|value| fits(kind, value.get_ref())),
        _ => false,
    }
}

#[test]
fn defaults_and_examples_have_their_keys_type() {
    for section in table::SECTIONS {
        for key in section.keys {
            let default = if let Default::Is(value) = key.default { Some(value) } else { None };
            for value in default.into_iter().chain([key.example]) {
                let text = format!("x = {value}");
                let parsed =
                    DeTable::parse(&text).unwrap_or_else(|error| panic!("{}.{}: {error}", section.name, key.name));
                let value = parsed.get_ref().get("x").expect("it is there").get_ref();
                assert!(fits(&key.kind, value), "{}.{} = {text}", section.name, key.name);
            }
        }
    }
}

/// Reads each key's example together with the keys that it needs. Readers of the other tables need a crate, so tests of
/// the program cover them.
#[test]
fn readers_accept_the_examples() {
    for section in table::SECTIONS {
        for key in section.keys {
            let needed = match (section.name, key.name) {
                ("check", "normalizer_frames") => "normalizer = [\"cat\"]\n",
                ("check", "line_ends" | "trailing_space") => "compare = \"text\"\n",
                ("check", "compare" | "normalizer") => "",
                ("check", _) => "compare = \"json\"\n",
                _ => "",
            };
            let others = section
                .keys
                .iter()
                .filter(|other| matches!(other.default, Default::Required) && other.name != key.name);
            let others: String = others.map(|other| format!("{} = {}\n", other.name, other.example)).collect();
            let text = format!("{needed}{others}{} = {}\n", key.name, key.example);
            let document = Document::new("tierup.toml".to_owned(), text.clone());
            let parsed = document.parse().expect("TOML");
            let table = document.only(&parsed, section.name);
            match section.name {
                "bench" => drop(finished(&table, |table| bench::read(table, &document, "".as_ref()))),
                "check" => drop(finished(&table, |table| check::read(table, &document))),
                "downstream" => drop(finished(&table, |table| downstream::read(table, &document))),
                "profile" => drop(finished(&table, |table| profile::read(table, &document))),
                _ => continue,
            }
            assert!(document.result().is_ok(), "{text}{}", document.result().expect_err("a problem"));
        }
    }
}

#[test]
fn the_schema_knows_hosts_types_and_required_keys() {
    let schema = schema(&["node"]);
    assert_eq!(schema["properties"]["function"]["required"], serde_json::json!(["crate", "export"]));
    assert_eq!(schema["properties"]["host"]["additionalProperties"], false);
    let also = &schema["properties"]["check"]["properties"]["also"];
    assert_eq!(also["items"]["properties"]["ignore"]["items"]["type"], "string");
    expect![[r#"
        {
          "description": "Blocks, each with fresh servers. Default: 5.",
          "examples": [
            8
          ],
          "maximum": 100,
          "minimum": 2,
          "type": "integer"
        }"#]]
    .assert_eq(&format!("{:#}", schema["properties"]["bench"]["properties"]["blocks"]));
}
