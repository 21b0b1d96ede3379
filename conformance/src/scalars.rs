//! Numbers, text and bytes come back as they went in.

/// True or false.
pub fn echo_bool(value: bool) -> bool {
    value
}

/// From -128 to 127.
pub fn echo_i8(value: i8) -> i8 {
    value
}

/// From 0 to 255.
pub fn echo_u8(value: u8) -> u8 {
    value
}

/// From -32768 to 32767.
pub fn echo_i16(value: i16) -> i16 {
    value
}

/// From 0 to 65535.
pub fn echo_u16(value: u16) -> u16 {
    value
}

/// 32 bits with a sign.
pub fn echo_i32(value: i32) -> i32 {
    value
}

/// 32 bits without a sign.
pub fn echo_u32(value: u32) -> u32 {
    value
}

/// 64 bits with a sign.
pub fn echo_i64(value: i64) -> i64 {
    value
}

/// 64 bits without a sign.
pub fn echo_u64(value: u64) -> u64 {
    value
}

/// A size, as 64 bits.
pub fn echo_usize(value: usize) -> usize {
    value
}

/// A difference of sizes, as 64 bits.
pub fn echo_isize(value: isize) -> isize {
    value
}

/// Single precision, with NaN, infinities and -0.
pub fn echo_f32(value: f32) -> f32 {
    value
}

/// Double precision, with NaN, infinities and -0.
pub fn echo_f64(value: f64) -> f64 {
    value
}

/// Whether a number is -0 and not 0, seen from Rust.
pub fn is_negative_zero(value: f64) -> bool {
    value == 0.0 && value.is_sign_negative()
}

/// Any Unicode text, `*/` and "quotes" included.
pub fn echo_text(text: &str) -> String {
    text.to_owned()
}

/// The same, owned on the way in.
pub fn echo_owned_text(text: String) -> String {
    text
}

/// Any bytes.
pub fn echo_bytes(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

/// The same, owned on the way in.
pub fn echo_owned_bytes(bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

/// How many bytes of UTF-8 a text has: tells a host that counts UTF-16 units.
pub fn utf8_length(text: &str) -> u32 {
    text.len() as u32
}

/// Text out of bytes, or why not.
pub fn decode_utf8(bytes: &[u8]) -> Result<String, std::string::FromUtf8Error> {
    String::from_utf8(bytes.to_vec())
}

/// `length` bytes, 16 MiB at the most, each the low byte of its place.
pub fn make_bytes(length: u32) -> Vec<u8> {
    (0..length.min(16 << 20)).map(|place| place as u8).collect()
}

/// A borrowed part of the argument comes back.
pub fn trimmed(text: &str) -> &str {
    text.trim()
}
