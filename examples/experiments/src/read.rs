//! JSON to values, whatever its shape: a reader that stops at the first surprise could not say all that is wrong.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};

use crate::scan::Malformed;

/// A value, as far as an experiment may have one.
#[derive(Debug, Default)]
pub(crate) enum Value<'a> {
    /// There is none.
    #[default]
    Missing,
    Text(Cow<'a, str>),
    Number(f64),
    List(Vec<Value<'a>>),
    Object(Box<Fields<'a>>),
    /// `null`, `true` or `false`.
    Other,
}

/// What an object has of the names that are known. Of a name that comes twice, the last counts.
#[derive(Debug, Default)]
pub(crate) struct Fields<'a> {
    pub(crate) name: Value<'a>,
    pub(crate) variants: Value<'a>,
    pub(crate) allocation_percent: Value<'a>,
}

/// Reads one value, and nothing may stand behind it.
pub(crate) fn read(text: &str) -> Result<Value<'_>, Malformed> {
    serde_json::from_str(text).map_err(|_| Malformed::NotJson)
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Key {
    Name,
    Variants,
    AllocationPercent,
    #[serde(other)]
    Unknown,
}

impl<'de> Deserialize<'de> for Value<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Borrowed(text)))
    }

    // Text with escapes is not in the body as it is meant.
    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Value::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Value::Number(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Value::Number(number as f64))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Value::Other)
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Value::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut fields = Box::<Fields<'de>>::default();
        while let Some(key) = entries.next_key()? {
            match key {
                Key::Name => fields.name = entries.next_value()?,
                Key::Variants => fields.variants = entries.next_value()?,
                Key::AllocationPercent => fields.allocation_percent = entries.next_value()?,
                Key::Unknown => {
                    entries.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(Value::Object(fields))
    }
}
