//! Bodies as nearly all of them are, read and added up in a single pass.
//!
//! What this reads is right. What it cannot read, for a key that is there twice or a value of `3.0`, may be right still:
//! that is for the slower, thorough way to say, and so is what is wrong.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::number::is_safe;

/// The sum, or `None` where a closer look is needed.
pub(crate) fn sum(text: &str) -> Option<i64> {
    let mut document = serde_json::Deserializer::from_str(text);
    let sum = Member { name: "items", seed: Items }.deserialize(&mut document).ok()?;
    document.end().ok().map(|()| sum)
}

/// The only member `name` of an object, read by `seed`.
///
/// This is no `#[derive(Deserialize)]`, which would read an array as a struct, too: `[5]` as `{"value":5}`.
#[derive(Clone, Copy)]
struct Member<S> {
    name: &'static str,
    seed: S,
}

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for Member<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for Member<S> {
    type Value = S::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<S::Value, A::Error> {
        let mut found = None;
        while let Some(is_it) = members.next_key_seed(Is(self.name))? {
            if !is_it {
                members.next_value::<IgnoredAny>()?;
            } else if found.is_none() {
                found = Some(members.next_value_seed(self.seed)?);
            } else {
                return Err(A::Error::duplicate_field(self.name));
            }
        }
        found.ok_or_else(|| A::Error::missing_field(self.name))
    }
}

/// Whether a key is this one.
#[derive(Clone, Copy)]
struct Is(&'static str);

impl<'de> DeserializeSeed<'de> for Is {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Is {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

/// The items, added up.
#[derive(Clone, Copy)]
struct Items;

impl<'de> DeserializeSeed<'de> for Items {
    type Value = i64;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<i64, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items {
    type Value = i64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<i64, A::Error> {
        let mut sum = 0;
        while let Some(value) =
            items.next_element_seed(Member { name: "value", seed: std::marker::PhantomData::<i64> })?
        {
            if !is_safe(value) {
                return Err(A::Error::custom("a value is not safe"));
            }
            // Neither step can leave an i64: what is added is below 2^54, and so far the sum is safe.
            sum += value * 2;
            if !is_safe(sum) {
                return Err(A::Error::custom("the sum is not safe"));
            }
        }
        Ok(sum)
    }
}
