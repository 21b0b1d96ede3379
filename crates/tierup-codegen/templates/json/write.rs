//! Values to JSON.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::hash::BuildHasher;

use super::base64;
use super::keys::Keys;

/// The value as JSON, without spaces.
pub fn to_string<T: ToJson + ?Sized>(value: &T, keys: Keys) -> String {
    let mut writer = Writer { text: String::new(), keys };
    value.write(&mut writer);
    writer.text
}

/// JSON that is being written.
pub struct Writer {
    text: String,
    keys: Keys,
}

impl Writer {
    /// A field's name in the style of this text, given the name in both styles.
    pub fn key(&self, snake: &'static str, camel: &'static str) -> &'static str {
        self.keys.name(snake, camel)
    }
}

/// A type that can be written as JSON.
pub trait ToJson {
    fn write(&self, to: &mut Writer);

    /// Writes a list. Bytes override this: they are text in base64.
    fn write_list(list: &[Self], to: &mut Writer)
    where
        Self: Sized,
    {
        separated(list, ('[', ']'), to, |item, to| item.write(to));
    }
}

/// Writes a record: its fields by name.
pub fn write_record(fields: &[(&str, &dyn ToJson)], to: &mut Writer) {
    separated(fields, ('{', '}'), to, |(name, value), to| {
        write_key(name, to);
        value.write(to);
    });
}

/// Writes an enum's case, and its payload.
pub fn write_case(name: &str, value: impl FnOnce(&mut Writer), to: &mut Writer) {
    to.text.push_str("{\"type\":");
    write_text(name, &mut to.text);
    to.text.push_str(",\"value\":");
    value(to);
    to.text.push('}');
}

/// Writes a case that carries nothing, of an enum in which others do.
pub fn write_bare_case(name: &str, to: &mut Writer) {
    to.text.push_str("{\"type\":");
    write_text(name, &mut to.text);
    to.text.push('}');
}

/// Writes values of different types as a list.
pub fn write_values(values: &[&dyn ToJson], to: &mut Writer) {
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

fn write_key(key: &str, to: &mut Writer) {
    write_text(key, &mut to.text);
    to.text.push(':');
}

fn separated<T>(
    items: impl IntoIterator<Item = T>,
    (open, close): (char, char),
    to: &mut Writer,
    mut write: impl FnMut(T, &mut Writer),
) {
    to.text.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            to.text.push(',');
        }
        write(item, to);
    }
    to.text.push(close);
}

macro_rules! as_displayed {
    ($($ty:ty)*) => {$(
        impl ToJson for $ty {
            fn write(&self, to: &mut Writer) {
                let _ = write!(to.text, "{self}");
            }
        }
    )*};
}
as_displayed!(bool i8 i16 i32 i64 isize u16 u32 u64 usize);

impl ToJson for u8 {
    fn write(&self, to: &mut Writer) {
        let _ = write!(to.text, "{self}");
    }

    fn write_list(list: &[Self], to: &mut Writer) {
        to.text.push('"');
        base64::encode(list, &mut to.text);
        to.text.push('"');
    }
}

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl ToJson for $ty {
            fn write(&self, to: &mut Writer) {
                write_number(f64::from(*self), &mut to.text);
            }
        }
    )*};
}
floats!(f32 f64);

/// Writes a number as JavaScript's `JSON.stringify` does (ECMA-262, section 6.1.6.1.20, `Number::toString`), so that an
/// answer does not depend on which of the two wrote it: the shortest digits that read back as the same number, without
/// a fraction if it is 0, with an exponent beyond 21 digits or 6 zeros. JSON has no infinity and no NaN.
fn write_number(number: f64, to: &mut String) {
    let _ = match number.abs() {
        size if !size.is_finite() => write!(to, "null"),
        // Zero of either sign.
        0.0 => write!(to, "0"),
        // `Display` knows no exponents, `LowerExp` no sign before those above zero.
        size if (1e-6..1e21).contains(&size) => write!(to, "{number}"),
        size if size < 1.0 => write!(to, "{number:e}"),
        _ => write!(to, "{}", format!("{number:e}").replace('e', "e+")),
    };
}

impl ToJson for str {
    fn write(&self, to: &mut Writer) {
        write_text(self, &mut to.text);
    }
}

impl ToJson for String {
    fn write(&self, to: &mut Writer) {
        write_text(self, &mut to.text);
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write(&self, to: &mut Writer) {
        (**self).write(to);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write(&self, to: &mut Writer) {
        match self {
            Some(value) => value.write(to),
            None => to.text.push_str("null"),
        }
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write(&self, to: &mut Writer) {
        T::write_list(self, to);
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write(&self, to: &mut Writer) {
        T::write_list(self, to);
    }
}

impl<T: ToJson> ToJson for BTreeMap<String, T> {
    fn write(&self, to: &mut Writer) {
        separated(self, ('{', '}'), to, |(key, value), to| {
            write_key(key, to);
            value.write(to);
        });
    }
}

impl<T: ToJson, S: BuildHasher> ToJson for HashMap<String, T, S> {
    fn write(&self, to: &mut Writer) {
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
    fn write(&self, to: &mut Writer) {
        to.text.push_str("null");
    }
}
