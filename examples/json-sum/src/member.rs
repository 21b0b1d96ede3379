//! One member of an object, as the text that it is. Everything beside it is checked and skipped.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::SumError;

/// The member `name` of the object that is all of `text`.
///
/// # Errors
///
/// Where `text` is not JSON, or no object.
pub(crate) fn of_document<'a>(text: &'a str, name: &'static str) -> Result<Option<&'a RawValue>, SumError> {
    let mut document = serde_json::Deserializer::from_str(text);
    let found = document.deserialize_map(Member(name)).and_then(|found| document.end().map(|()| found));
    found.map_err(|error| match error.classify() {
        Category::Data => SumError::NoObject,
        Category::Syntax | Category::Eof | Category::Io => SumError::NotJson(error),
    })
}

/// Finds the member of this name; the last one, as `JSON.parse` does.
///
/// Keys and values are taken as raw text. Any other way serde_json would look closer than it has to and refuse what
/// JavaScript takes: half a surrogate pair in a text, a number beyond `f64`, more than 128 levels.
#[derive(Clone, Copy)]
pub(crate) struct Member(pub(crate) &'static str);

impl<'de> DeserializeSeed<'de> for Member {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Member {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = members.next_key::<&RawValue>()? {
            if is_name(key.get(), self.0) {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Whether `key`, with its quotes, says `name`.
fn is_name(key: &str, name: &str) -> bool {
    if key.contains('\\') {
        // Half a surrogate pair is no text, and no name of ours.
        return serde_json::from_str::<String>(key).is_ok_and(|key| key == name);
    }
    key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) == Some(name)
}
