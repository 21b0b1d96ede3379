//! Values to JSON.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hash::BuildHasher;

use super::base64;

/// The value as JSON, without spaces.
pub fn to_string<T: ToJson + ?Sized>(value: &T) -> String {
    let mut json = String::new();
    value.write(&mut json);
    json
}

/// What can be written as JSON.
pub trait ToJson {
    fn write(&self, to: &mut String);

    /// Writes a list. Bytes override this: they are text in base64.
    fn write_list(list: &[Self], to: &mut String)
    where
        Self: Sized,
    {
        separated(list, ('[', ']'), to, |item, to| item.write(to));
    }
}

/// Writes a record: its fields by name.
pub fn write_record(fields: &[(&str, &dyn ToJson)], to: &mut String) {
    separated(fields, ('{', '}'), to, |(name, value), to| {
        write_key(name, to);
        value.write(to);
    });
}

/// Writes an enum's case, and what it carries.
pub fn write_case(name: &str, value: impl FnOnce(&mut String), to: &mut String) {
    to.push_str("{\"type\":");
    write_text(name, to);
    to.push_str(",\"value\":");
    value(to);
    to.push('}');
}

/// Writes a case that carries nothing, of an enum in which others do.
pub fn write_bare_case(name: &str, to: &mut String) {
    to.push_str("{\"type\":");
    write_text(name, to);
    to.push('}');
}

/// Writes values of different types as a list.
pub fn write_values(values: &[&dyn ToJson], to: &mut String) {
    separated(values, ('[', ']'), to, |value, to| value.write(to));
}

/// Writes text in quotes.
pub fn write_text(text: &str, to: &mut String) {
    to.push('"');
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x8 => "\\b",
            0xc => "\\f",
            0..0x20 => "",
            _ => continue,
        };
        to.push_str(&text[plain..at]);
        match escape {
            // Writing to a `String` cannot fail, here and below.
            "" => drop(write!(to, "\\u{byte:04x}")),
            escape => to.push_str(escape),
        }
        plain = at + 1;
    }
    to.push_str(&text[plain..]);
    to.push('"');
}

fn write_key(key: &str, to: &mut String) {
    write_text(key, to);
    to.push(':');
}

fn separated<T>(
    items: impl IntoIterator<Item = T>,
    (open, close): (char, char),
    to: &mut String,
    mut write: impl FnMut(T, &mut String),
) {
    to.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            to.push(',');
        }
        write(item, to);
    }
    to.push(close);
}

macro_rules! as_displayed {
    ($($ty:ty)*) => {$(
        impl ToJson for $ty {
            fn write(&self, to: &mut String) {
                let _ = write!(to, "{self}");
            }
        }
    )*};
}
as_displayed!(bool i8 i16 i32 i64 isize u16 u32 u64 usize);

impl ToJson for u8 {
    fn write(&self, to: &mut String) {
        let _ = write!(to, "{self}");
    }

    fn write_list(list: &[Self], to: &mut String) {
        to.push('"');
        base64::encode(list, to);
        to.push('"');
    }
}

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl ToJson for $ty {
            fn write(&self, to: &mut String) {
                // `Debug` writes the shortest digits that read back as the same number, and `1.0` for one.
                // JSON has no word for what is not finite.
                let _ = if self.is_finite() { write!(to, "{self:?}") } else { write!(to, "null") };
            }
        }
    )*};
}
floats!(f32 f64);

impl ToJson for str {
    fn write(&self, to: &mut String) {
        write_text(self, to);
    }
}

impl ToJson for String {
    fn write(&self, to: &mut String) {
        write_text(self, to);
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write(&self, to: &mut String) {
        (**self).write(to);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, to: &mut String) {
        match self {
            Some(value) => value.write(to),
            None => to.push_str("null"),
        }
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write(&self, to: &mut String) {
        T::write_list(self, to);
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write(&self, to: &mut String) {
        T::write_list(self, to);
    }
}

impl<T: ToJson> ToJson for BTreeMap<String, T> {
    fn write(&self, to: &mut String) {
        separated(self, ('{', '}'), to, |(key, value), to| {
            write_key(key, to);
            value.write(to);
        });
    }
}

impl<T: ToJson, S: BuildHasher> ToJson for HashMap<String, T, S> {
    fn write(&self, to: &mut String) {
        // Sorted, so that equal maps give equal texts.
        let mut entries: Vec<_> = self.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        separated(entries, ('{', '}'), to, |(key, value), to| {
            write_key(key, to);
            value.write(to);
        });
    }
}

impl ToJson for () {
    fn write(&self, to: &mut String) {
        to.push_str("null");
    }
}
