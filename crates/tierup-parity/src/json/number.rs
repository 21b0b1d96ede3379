//! The exact value of a JSON number: `1.0`, `1` and `10e-1` are equal, and different integers of 23 digits are not.

/// A decimal of any length: its digits, without zeros at either end, times a power of ten. Zero has no digits, no sign
/// and the power 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Decimal {
    negative: bool,
    digits: String,
    /// The power of ten of the last digit.
    power: i128,
}

impl Decimal {
    /// Reads a number as JSON writes it; `None` if the exponent has implausibly many digits (30).
    pub(crate) fn parse(number: &str) -> Option<Decimal> {
        const LONGEST_EXPONENT: usize = 30;
        let (negative, rest) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let without_tail = all.trim_end_matches('0');
        let digits = without_tail.trim_start_matches('0');
        if digits.is_empty() {
            return Some(Decimal { negative: false, digits: String::new(), power: 0 });
        }
        if exponent.len() > LONGEST_EXPONENT {
            return None;
        }
        let shift = (all.len() - without_tail.len()) as i128 - fraction.len() as i128;
        let power = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i128>().ok()? + shift;
        Some(Decimal { negative, digits: digits.to_owned(), power })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(same: &[&str]) {
        let values: Vec<_> = same.iter().map(|number| Decimal::parse(number).unwrap()).collect();
        assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{values:?}");
    }

    #[test]
    fn spellings_of_one_value_are_equal() {
        check(&["1", "1.0", "10e-1", "0.1E+1", "1.000e00"]);
        check(&["1000", "1e3", "1E+3", "1000.0", "0.001e6"]);
        check(&["0", "-0", "0.0", "-0e99", "0e99999999999999999999999999999999999"]);
        check(&["-12.50", "-1250e-2", "-1.25e1"]);
    }

    #[test]
    fn close_numbers_are_not_equal() {
        let pairs = [
            ("12345678901234567890123", "12345678901234567890124"),
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.1000000000000000055511151231257827"),
            ("1", "-1"),
            ("1e400", "1e401"),
            ("101", "11"),
        ];
        for (one, other) in pairs {
            assert_ne!(Decimal::parse(one), Decimal::parse(other));
        }
        assert_eq!(Decimal::parse("1e9999999999999999999999999999999999999"), None);
    }
}
