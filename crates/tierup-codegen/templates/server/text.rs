//! Values from text, as paths and queries carry them.

use std::borrow::Cow;

/// A type that can be read from a parameter.
pub trait FromText: Sized {
    /// # Errors
    /// The requirement, to follow the parameter's name in a message.
    fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String>;
}

impl FromText for Vec<u8> {
    fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String> {
        Ok(text.into_owned())
    }
}

impl FromText for String {
    fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String> {
        String::from_utf8(text.into_owned()).map_err(|_| "is not valid UTF-8".to_owned())
    }
}

impl FromText for bool {
    fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String> {
        match &*text {
            b"true" => Ok(true),
            b"false" => Ok(false),
            _ => Err(must_be("true or false", &text)),
        }
    }
}

macro_rules! whole_numbers {
    ($($ty:ty)*) => {$(
        impl FromText for $ty {
            fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String> {
                let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok());
                number.ok_or_else(|| must_be(&format!("a whole number from {} to {}", Self::MIN, Self::MAX), &text))
            }
        }
    )*};
}
whole_numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($ty:ty)*) => {$(
        impl FromText for $ty {
            fn from_text(text: Cow<'_, [u8]>) -> Result<Self, String> {
                let number = std::str::from_utf8(&text).ok().and_then(|text| text.parse::<Self>().ok());
                number.filter(|number| number.is_finite()).ok_or_else(|| must_be("a number", &text))
            }
        }
    )*};
}
floats!(f32 f64);

/// A message that tells what a parameter must be, and what it is.
pub fn must_be(what: &str, text: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(text);
    let end = text.char_indices().nth(LONGEST).map(|(end, _)| end);
    let (shown, more) = end.map_or((&*text, ""), |end| (&text[..end], "…"));
    format!("must be {what}, not {shown:?}{more}")
}
