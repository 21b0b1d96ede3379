//! The content of an encoded value, as its receiver has it.

use tierup_model::Type;

/// Text and bytes without the length before them; any other value as it is encoded.
pub fn content<'a>(encoded: &'a [u8], ty: Option<&Type>) -> &'a [u8] {
    match ty {
        Some(Type::Text | Type::Bytes) => encoded.get(4..).unwrap_or_default(),
        _ => encoded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_and_bytes_lose_their_length() {
        let encoded = b"\x05\0\0\0hello";
        assert_eq!(content(encoded, Some(&Type::Text)), b"hello");
        assert_eq!(content(encoded, Some(&Type::Optional(Box::new(Type::Text)))), encoded);
        assert_eq!((content(encoded, None), content(b"", Some(&Type::Bytes))), (&encoded[..], &b""[..]));
    }
}
