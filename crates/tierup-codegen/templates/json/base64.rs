//! Bytes as text: base64 with the standard alphabet and padding (RFC 4648, section 4).

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The value in [`VALUES`] of a character that is no digit.
const NONE: u8 = 0xff;

/// The value of each digit.
const VALUES: [u8; 256] = {
    let mut values = [NONE; 256];
    let mut value = 0;
    while value < 64 {
        values[ALPHABET[value as usize] as usize] = value;
        value += 1;
    }
    values
};

/// Appends `bytes` in base64.
pub fn encode(bytes: &[u8], to: &mut String) {
    to.reserve(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut bits = 0;
        for place in 0..3 {
            bits = bits << 8 | u32::from(group.get(place).copied().unwrap_or(0));
        }
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            to.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
}

/// The bytes that `text` stands for.
///
/// # Errors
/// If it is not base64. White space is not allowed, and neither are bits that would be lost.
pub fn decode(text: &str) -> Result<Vec<u8>, &'static str> {
    if !text.len().is_multiple_of(4) {
        return Err("the length of text in base64 must be a multiple of 4");
    }
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 {
        return Err("text in base64 ends in at most two `=`");
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0;
        for place in 0..4 {
            let value = group.get(place).map_or(0, |digit| VALUES[usize::from(*digit)]);
            if value == NONE {
                return Err("expected digits of base64: A-Z, a-z, 0-9, `+` and `/`");
            }
            bits = bits << 6 | u32::from(value);
        }
        let whole = group.len() * 6 / 8;
        let [_, group @ ..] = bits.to_be_bytes();
        if group[whole..].iter().any(|byte| *byte != 0) {
            return Err("text in base64 has bits that belong to no byte");
        }
        bytes.extend_from_slice(&group[..whole]);
    }
    Ok(bytes)
}
