//! A number's digits in, whether their checksum is right out: about as little work as a function can have.

/// Whether the last digit of a number is the checksum of the others by the Luhn algorithm (ISO/IEC 7812-1, annex B), as in card numbers.
///
/// A text with anything but the digits 0 to 9 is not valid, and neither is an empty one.
pub fn is_valid(number: &str) -> bool {
    let mut sum: u32 = 0;
    let mut is_doubled = false;
    for digit in number.bytes().rev().map(|byte| u32::from(byte.wrapping_sub(b'0'))) {
        if digit > 9 {
            return false;
        }
        // The digits of a doubled digit count one by one: 16 counts as 7.
        sum += if is_doubled { digit * 2 - digit / 5 * 9 } else { digit };
        is_doubled = !is_doubled;
    }
    !number.is_empty() && sum.is_multiple_of(10)
}
