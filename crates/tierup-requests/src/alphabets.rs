//! The letters that random texts are made of, as JetBrains' documentation lists them.

/// `$random.alphabetic`: upper and lower case.
pub(crate) const ALPHABETIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// `$random.alphanumeric`: letters, digits and the underscore.
pub(crate) const ALPHANUMERIC: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
pub(crate) const HEXADECIMAL: &[u8] = b"0123456789abcdef";
/// The first part of `$random.email`.
pub(crate) const LOWER_CASE: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
