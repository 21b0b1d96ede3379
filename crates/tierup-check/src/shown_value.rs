//! Values of functions as JSON for people and scripts, without secrets.
//!
//! In: a value with its type, the secrets that are known, and names of fields to hide. Out: JSON as `docs/ports.md`
//! describes it: fields have their Rust names, bytes are a text (or `hex:` and digits), and so are `NaN` and `Infinity`.

use std::borrow::Cow;

use serde_json::Value as Json;
use tierup_codegen::abi::Value;
use tierup_model::{Function, Interface, Type};
use tierup_parity::{Path, value_json};
use tierup_requests::{Secrets, is_credential, named_values};

/// Replaces what is hidden.
const MASK: &str = "(masked)";
/// Begins bytes that are not text, and bytes that begin with the same characters.
const HEX: &str = "hex:";
/// The name and the value of a field may be values themselves: `{"name": "password", "value": "…"}`.
const ANNOUNCES: [&str; 4] = ["name", "key", "id", "type"];
const ANNOUNCED: [&str; 2] = ["value", "content"];
/// Shorter values beside a name are not looked for in texts: they occur by accident.
const SHORTEST: usize = 4;

/// What must not be shown.
pub(crate) struct Hiding<'a> {
    secrets: &'a Secrets,
    /// Names of fields to hide; `None` if names do not matter.
    names: Option<Vec<String>>,
}

impl<'a> Hiding<'a> {
    /// Hides values that are known to be secret.
    pub(crate) fn known(secrets: &'a Secrets) -> Self {
        Hiding { secrets, names: None }
    }

    /// Hides also what the evidence of a rollout hides: the values of fields with names of credentials, and those that
    /// the owner hides (`hide` in `[rollout]`).
    pub(crate) fn as_evidence(secrets: &'a Secrets, hide: &[Path]) -> Self {
        let name = |path: &Path| {
            let path = path.to_string();
            let last = path.rsplit(['.', '[']).next().unwrap_or_default();
            last.trim_matches(|character: char| matches!(character, ']' | '\'' | '"')).to_owned()
        };
        let names = hide.iter().map(name).filter(|name| !matches!(name.as_str(), "" | "*" | "$")).collect();
        Hiding { secrets, names: Some(names) }
    }

    /// Whether the values of a field or parameter with this name are hidden.
    pub(crate) fn hides(&self, name: &str) -> bool {
        let Some(names) = &self.names else { return false };
        is_credential(name) || names.iter().any(|hidden| hidden.eq_ignore_ascii_case(name))
    }

    /// Each argument's value, in order.
    pub(crate) fn arguments(&self, arguments: &[Value], function: &Function, interface: &Interface) -> Vec<Json> {
        let each = arguments.iter().zip(&function.parameters);
        each.map(|(value, parameter)| {
            let json = self.plain(value, &parameter.ty, interface);
            self.masked(json, self.hides(&parameter.name))
        })
        .collect()
    }

    pub(crate) fn value(&self, value: &Value, ty: &Type, interface: &Interface) -> Json {
        self.masked(self.plain(value, ty, interface), false)
    }

    pub(crate) fn text(&self, text: &str) -> String {
        let masked = self.secrets.mask(text).into_owned();
        if self.names.is_none() {
            return masked;
        }
        let is_long = |value: &String| value.chars().count() >= SHORTEST && value != MASK;
        let found = named_values(masked.as_bytes(), &|name| self.hides(name));
        found.iter().filter(|value| is_long(value)).fold(masked, |text, value| text.replace(value, MASK))
    }

    fn plain(&self, value: &Value, ty: &Type, interface: &Interface) -> Json {
        let text = value_json(&self.with_text(value), ty, interface);
        serde_json::from_str(&text).unwrap_or(Json::String(text))
    }

    /// The value with a text in the place of bytes. A secret is removed before it could be spelled in hexadecimal.
    fn with_text(&self, value: &Value) -> Value {
        let all = |values: &[Value]| values.iter().map(|value| self.with_text(value)).collect();
        match value {
            Value::Bytes(bytes) => {
                let masked = self.secrets.masked_bytes(bytes).map_or(Cow::Borrowed(&bytes[..]), Cow::Owned);
                Value::Text(match str::from_utf8(&masked) {
                    Ok(text) if !text.starts_with(HEX) => text.to_owned(),
                    _ => masked.iter().fold(HEX.to_owned(), |text, byte| format!("{text}{byte:02x}")),
                })
            }
            Value::Optional(Some(value)) => Value::Optional(Some(Box::new(self.with_text(value)))),
            Value::List(values) => Value::List(all(values)),
            Value::Record(values) => Value::Record(all(values)),
            Value::Enum(case, values) => Value::Enum(*case, all(values)),
            Value::Map(entries) => {
                Value::Map(entries.iter().map(|(key, value)| (key.clone(), self.with_text(value))).collect())
            }
            other => other.clone(),
        }
    }

    fn masked(&self, json: Json, is_hidden: bool) -> Json {
        match json {
            Json::String(text) if is_hidden && !text.is_empty() => Json::String(MASK.to_owned()),
            Json::Number(_) if is_hidden => Json::String(MASK.to_owned()),
            Json::String(text) => Json::String(self.text(&text)),
            Json::Number(number) => match self.secrets.mask(&number.to_string()) {
                Cow::Owned(masked) => Json::String(masked),
                Cow::Borrowed(_) => Json::Number(number),
            },
            Json::Array(items) => Json::Array(items.into_iter().map(|item| self.masked(item, is_hidden)).collect()),
            Json::Object(members) => {
                let is_name = |(key, value): (&String, &Json)| {
                    ANNOUNCES.contains(&key.as_str()) && value.as_str().is_some_and(|name| self.hides(name))
                };
                let announces = members.iter().any(is_name);
                let member = |(key, value): (String, Json)| {
                    let announced = announces && ANNOUNCED.contains(&key.as_str());
                    let value = self.masked(value, is_hidden || announced || self.hides(&key));
                    (self.secrets.mask(&key).into_owned(), value)
                };
                Json::Object(members.into_iter().map(member).collect())
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn shown(value: Value, ty: &Type) -> String {
        let secrets = Secrets::default();
        let hide = ["$.users[*].email".parse().unwrap()];
        Hiding::as_evidence(&secrets, &hide).value(&value, ty, &Interface::default()).to_string()
    }

    fn map(entries: &[(&str, &str)]) -> Value {
        let entry = |(key, value): &(&str, &str)| ((*key).to_owned(), Value::Text((*value).to_owned()));
        Value::Map(entries.iter().map(entry).collect::<BTreeMap<_, _>>())
    }

    #[test]
    fn fields_are_hidden_by_their_names() {
        let texts = Type::Map(Box::new(Type::Text));
        let entries = [("page", "2"), ("api_key", "abcd-1"), ("Email", "a@b"), ("token", "")];
        let expected = r#"{"Email":"(masked)","api_key":"(masked)","page":"2","token":""}"#;
        assert_eq!(shown(map(&entries), &texts), expected);
        let announced = map(&[("name", "password"), ("value", "hunter2")]);
        assert_eq!(shown(announced, &texts), r#"{"name":"password","value":"(masked)"}"#);
        let within = Value::Text("a=1&password=hunter2".to_owned());
        assert_eq!(shown(within, &Type::Text), r#""a=1&password=(masked)""#);
    }

    #[test]
    fn bytes_are_text_or_hexadecimal() {
        assert_eq!(shown(Value::Bytes(b"{\"a\":1}".to_vec()), &Type::Bytes), r#""{\"a\":1}""#);
        assert_eq!(shown(Value::Bytes(vec![0xff, 0]), &Type::Bytes), r#""hex:ff00""#);
        assert_eq!(shown(Value::Bytes(b"hex:".to_vec()), &Type::Bytes), r#""hex:6865783a""#);
        assert_eq!(shown(Value::F64(f64::NAN), &Type::F64), r#""NaN""#);
    }
}
