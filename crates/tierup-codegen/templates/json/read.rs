//! Values from JSON.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Display;
use std::hash::BuildHasher;
use std::str::FromStr;

use super::base64;
use super::keys::Keys;
use super::problem::Problem;
use super::reader::Reader;

/// Reads one value that takes up all of `text`.
///
/// # Errors
/// What is wrong and where, e.g. `items[3].value: expected a whole number from 0 to 255, not "x"`.
pub fn parse<T: FromJson>(text: &str, keys: Keys) -> Result<T, String> {
    parse_with(text, keys, T::from_json)
}

/// [`parse`] with another function that reads the value.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_with<T>(
    text: &str,
    keys: Keys,
    read: impl FnOnce(&mut Reader<'_>) -> Result<T, Problem>,
) -> Result<T, String> {
    let mut reader = Reader::new(text, keys);
    let value = read(&mut reader).and_then(|value| reader.finish().map(|()| value));
    value.map_err(|problem| problem.to_string())
}

/// A type that can be read from JSON.
pub trait FromJson: Sized {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem>;

    /// The value of a field that is missing.
    fn absent() -> Option<Self> {
        None
    }

    /// Reads a list. Bytes override this: they are text in base64.
    fn list_from_json(from: &mut Reader<'_>) -> Result<Vec<Self>, Problem> {
        let mut list = Vec::new();
        from.list(|from| {
            list.push(Self::from_json(from)?);
            Ok(())
        })?;
        Ok(list)
    }
}

impl Reader<'_> {
    /// Reads a record's field into its place.
    pub fn field<T: FromJson>(&mut self, name: &'static str, place: &mut Option<T>) -> Result<(), Problem> {
        if place.is_some() {
            return Err(Problem::new(format!("field \"{name}\" is given twice")));
        }
        *place = Some(T::from_json(self).map_err(|problem| problem.in_field(name))?);
        Ok(())
    }
}

/// A field's value, once its record is at its end.
pub fn given<T: FromJson>(name: &'static str, place: Option<T>) -> Result<T, Problem> {
    place.or_else(T::absent).ok_or_else(|| Problem::new(format!("field \"{name}\" is missing")))
}

impl FromJson for bool {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        from.boolean()
    }
}

/// Reads a whole number from its digits, so that 64 bits are exact.
fn whole<T: FromStr + Display>(from: &mut Reader<'_>, least: T, most: T) -> Result<T, Problem> {
    let start = from.clone();
    let number = from.number("").ok().and_then(|number| number.parse().ok());
    number.ok_or_else(|| start.expected(&format!("a whole number from {least} to {most}")))
}

macro_rules! whole_numbers {
    ($($ty:ty)*) => {$(
        impl FromJson for $ty {
            fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
                whole(from, Self::MIN, Self::MAX)
            }
        }
    )*};
}
whole_numbers!(i8 i16 i32 i64 isize u16 u32 u64 usize);

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl FromJson for $ty {
            fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
                let number = from.number("a number")?;
                match number.parse::<Self>() {
                    Ok(value) if value.is_finite() => Ok(value),
                    _ => Err(Problem::new(format!("{number} is too large for {}", stringify!($ty)))),
                }
            }
        }
    )*};
}
floats!(f32 f64);

impl FromJson for u8 {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        whole(from, Self::MIN, Self::MAX)
    }

    fn list_from_json(from: &mut Reader<'_>) -> Result<Vec<Self>, Problem> {
        let text = from.string("bytes as text in base64")?;
        base64::decode(&text).map_err(Problem::new)
    }
}

impl FromJson for String {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        Ok(from.string("text")?.into_owned())
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        if from.null() { Ok(None) } else { T::from_json(from).map(Some) }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        T::list_from_json(from)
    }
}

impl<T: FromJson> FromJson for BTreeMap<String, T> {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        let mut map = Self::new();
        from.object(|from, key| entry(from, key, |key, value| map.insert(key, value)))?;
        Ok(map)
    }
}

impl<T: FromJson, S: BuildHasher + Default> FromJson for HashMap<String, T, S> {
    fn from_json(from: &mut Reader<'_>) -> Result<Self, Problem> {
        let mut map = Self::default();
        from.object(|from, key| entry(from, key, |key, value| map.insert(key, value)))?;
        Ok(map)
    }
}

/// Reads a map's entry; `insert` returns the key's previous value.
fn entry<T: FromJson>(
    from: &mut Reader<'_>,
    key: &str,
    insert: impl FnOnce(String, T) -> Option<T>,
) -> Result<(), Problem> {
    let value = T::from_json(from).map_err(|problem| problem.in_key(key))?;
    match insert(key.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(Problem::new("the key is given twice").in_key(key)),
    }
}
