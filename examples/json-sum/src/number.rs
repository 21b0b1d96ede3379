//! What a number in JSON is worth.

/// The largest whole number below which every other one is an `f64` too: JavaScript's `Number.MAX_SAFE_INTEGER`.
const LARGEST: i64 = (1 << 53) - 1;

/// So many digits make no number beyond [`LARGEST`].
const FEW: usize = 15;

/// Whether JavaScript's numbers hold it, and no other one looks like it.
pub(crate) fn is_safe(number: i64) -> bool {
    number.unsigned_abs() <= LARGEST.unsigned_abs()
}

/// The whole number that `json`, a value of any kind, stands for in JavaScript, where it is a safe one.
///
/// JavaScript knows only what is nearest to it in `f64`: `1.0` and `1` are the same there, and so are `1` and
/// `1.00000000000000000001`.
pub(crate) fn safe_integer(json: &str) -> Option<i64> {
    let (sign, digits) = match json.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, json),
    };
    if digits.len() <= FEW && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(sign * digits.bytes().fold(0, |number, digit| number * 10 + i64::from(digit - b'0')));
    }
    // `inf` and the like, which Rust would take, are no JSON.
    let number: f64 =
        json.starts_with(|first: char| first == '-' || first.is_ascii_digit()).then(|| json.parse().ok())??;
    let is_whole = number.fract() == 0.0 && number.abs() <= LARGEST as f64;
    is_whole.then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(texts: &[&str], expected: Expect) {
        let lines = texts.iter().map(|text| format!("{text} -> {:?}\n", safe_integer(text)));
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn whole_numbers_however_they_are_written() {
        check(
            &["0", "-0", "7", "-42", "1.0", "-0.0", "30e-1", "1E+2", "0e999999999999", "1e-400", "999999999999999"],
            expect![[r#"
                0 -> Some(0)
                -0 -> Some(0)
                7 -> Some(7)
                -42 -> Some(-42)
                1.0 -> Some(1)
                -0.0 -> Some(0)
                30e-1 -> Some(3)
                1E+2 -> Some(100)
                0e999999999999 -> Some(0)
                1e-400 -> Some(0)
                999999999999999 -> Some(999999999999999)
            "#]],
        );
    }

    #[test]
    fn the_edges_of_what_is_safe() {
        check(
            &[
                "9007199254740991",
                "-9007199254740991",
                "9007199254740992",
                "9007199254740993",
                "9007199254740990.9999999999",
                "9007199254740991.6",
                "0.9007199254740991e16",
                "18446744073709551616",
                "1e400",
                "0.99999999999999999999",
            ],
            expect![[r#"
                9007199254740991 -> Some(9007199254740991)
                -9007199254740991 -> Some(-9007199254740991)
                9007199254740992 -> None
                9007199254740993 -> None
                9007199254740990.9999999999 -> Some(9007199254740991)
                9007199254740991.6 -> None
                0.9007199254740991e16 -> Some(9007199254740991)
                18446744073709551616 -> None
                1e400 -> None
                0.99999999999999999999 -> Some(1)
            "#]],
        );
    }

    #[test]
    fn everything_else() {
        check(
            &["1.5", "1e-1", "null", "true", "\"1\"", "[1]", "{}", "\"inf\""],
            expect![[r#"
            1.5 -> None
            1e-1 -> None
            null -> None
            true -> None
            "1" -> None
            [1] -> None
            {} -> None
            "inf" -> None
        "#]],
        );
    }
}
