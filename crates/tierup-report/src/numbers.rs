//! Formats numbers for all reports: three significant digits, a comma between thousands, the unit after a space.

/// Three significant digits: `0.420`, `28.0`, `504`, `21,700`. A dash if the value is not finite.
pub fn significant(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    // Rounds first, so that 999.6 becomes 1,000 and gets its comma.
    let rounded: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    let decimals = (2 - rounded.abs().log10().floor() as i32).max(0) as usize;
    separated(&format!("{rounded:.decimals$}"))
}

/// The text for a missing figure.
pub const MISSING: &str = "–";

/// An exact count: `21,703`.
pub fn count(value: f64) -> String {
    if value.is_finite() { separated(&format!("{value:.0}")) } else { MISSING.to_owned() }
}

/// `43.1x`, or `16.9x less` below one, as nobody divides by 0.059 in their head.
pub fn ratio(value: f64) -> String {
    match Side::new(value) {
        _ if !value.is_finite() => MISSING.to_owned(),
        Side::More(times) => format!("{}x", factor(times)),
        Side::Less(times) => format!("{}x less", factor(times)),
    }
}

/// A ratio as people say it: n times, or n times less.
#[derive(Clone, Copy)]
enum Side {
    More(f64),
    Less(f64),
}

impl Side {
    /// A value that rounds to 1.00 is not less.
    fn new(value: f64) -> Side {
        match value {
            0.995..1.0 => Side::More(1.0),
            _ if value > 0.0 && value < 1.0 => Side::Less(1.0 / value),
            _ => Side::More(value),
        }
    }
}

/// An end of an interval beyond this factor is written `>1,000`: the exact value means nothing.
const WILD: f64 = 1000.0;
/// If an interval contains 1 and its ends differ by more than this factor, it does not even tell which side is more
/// than ten times the other.
const SAYS_NOTHING: f64 = 100.0;

/// The interval of a ratio, in the ratio's direction: `[41.0, 45.2]`. If it contains one, each end has its own
/// direction: `[1.03 less, 1.08 more]`. If it is too wide, e.g. from three unsteady blocks: `[cannot tell]`.
fn interval(ratio: f64, (low, high): (f64, f64), write: fn(f64) -> String) -> String {
    if low <= 1.0 && high >= 1.0 && high > low * SAYS_NOTHING {
        return "[cannot tell]".to_owned();
    }
    let end = |times: f64| if times > WILD { format!(">{}", count(WILD)) } else { write(times) };
    match (Side::new(ratio), Side::new(low), Side::new(high)) {
        (Side::Less(_), Side::Less(most), Side::Less(least)) => format!("[{}, {}]", end(least), end(most)),
        (Side::Less(_), Side::Less(most), Side::More(1.0)) => format!("[{}, {}]", end(1.0), end(most)),
        (Side::More(_), Side::More(least), Side::More(most)) => format!("[{}, {}]", end(least), end(most)),
        (_, low, high) => {
            let sided = |side: Side| match side {
                Side::Less(times) => format!("{} less", end(times)),
                Side::More(times) => format!("{} more", end(times)),
            };
            format!("[{}, {}]", sided(low), sided(high))
        }
    }
}

/// A ratio with its interval, if any: `27.1x [25.9, 28.4]`.
pub fn ratio_within(value: f64, ends: Option<(f64, f64)>) -> String {
    ratio(value) + &within(value, ends, factor)
}

fn within(value: f64, ends: Option<(f64, f64)>, write: fn(f64) -> String) -> String {
    ends.map(|ends| format!(" {}", interval(value, ends, write))).unwrap_or_default()
}

/// Whether the ratio rounds to 1.00.
pub fn is_same(value: f64) -> bool {
    (0.995..1.005).contains(&value)
}

/// A ratio within a sentence: `89 times less [83, 95]`, `1.30 times as much`, `the same`.
pub fn amount(value: f64, ends: Option<(f64, f64)>) -> String {
    let words = match Side::new(value) {
        _ if is_same(value) => "the same".to_owned(),
        Side::Less(times) => format!("{} times less", short(times)),
        Side::More(times) => format!("{} times as much", short(times)),
    };
    words + &within(value, ends, short)
}

/// A comparison of two figures within a sentence: `61 times the throughput of 0 [57, 66]`, `89 times less CPU than 0`,
/// `the same CPU as 0`. `other` may be empty.
pub fn compared(value: f64, ends: Option<(f64, f64)>, what: &str, other: &str) -> String {
    let (words, joined) = match Side::new(value) {
        _ if is_same(value) => (format!("the same {what}"), "as"),
        Side::Less(times) => (format!("{} times less {what}", short(times)), "than"),
        Side::More(times) => (format!("{} times the {what}", short(times)), "of"),
    };
    let other = if other.is_empty() { String::new() } else { format!(" {joined} {other}") };
    words + &other + &within(value, ends, short)
}

/// A ratio close to one, in per cent: `3.6 % more [2.6, 4.6]`.
pub fn amount_close(value: f64, (low, high): (f64, f64)) -> String {
    let percent = |value: f64| 100.0 * (value - 1.0).abs();
    let (least, most) = if value < 1.0 { (high, low) } else { (low, high) };
    let side = if value < 1.0 { "less" } else { "more" };
    format!("{:.1} % {side} [{:.1}, {:.1}]", percent(value), percent(least), percent(most))
}

/// The intervals of a column's ratios in one notation, so that they are comparable: `±4%` by the farther end of each;
/// or both ends of each if any end is farther than half its ratio away. `None` if an interval has no width, e.g. for
/// the size of answers that never changes.
pub fn spreads(ratios: &[Option<(f64, (f64, f64))>]) -> Vec<Option<String>> {
    let wide = ratios.iter().flatten().any(|(ratio, ends)| farthest(*ratio, *ends) > 50.0);
    let short = |(ratio, ends): (f64, (f64, f64))| match farthest(ratio, ends) {
        ..0.05 => None,
        _ if wide => Some(interval(ratio, ends, factor)),
        percent @ ..0.95 => Some(format!("±{percent:.1}%")),
        percent => Some(format!("±{percent:.0}%")),
    };
    ratios.iter().map(|ratio| ratio.and_then(short)).collect()
}

/// The distance to the farther end of an interval, in per cent of the ratio.
fn farthest(ratio: f64, (low, high): (f64, f64)) -> f64 {
    100.0
        * match Side::new(ratio) {
            Side::More(_) => (high / ratio - 1.0).max(1.0 - low / ratio),
            Side::Less(_) => (ratio / low - 1.0).max(1.0 - ratio / high),
        }
}

/// A figure within a sentence, with as many digits as one remembers: `2,490`, `89`, `6.59`.
pub fn short(value: f64) -> String {
    match value {
        9.95..99.5 => format!("{value:.0}"),
        _ => factor(value),
    }
}

fn factor(value: f64) -> String {
    match value {
        0.095..9.995 => format!("{value:.2}"),
        f64::MIN_POSITIVE..0.095 => {
            let decimals = (1.0 - value.log10().floor()) as usize;
            format!("{value:.decimals$}")
        }
        _ => significant(value),
    }
}

/// A chosen number (not a measured one), as short as possible: `2`, `1.5`.
pub fn plain(value: f64) -> String {
    let text = significant(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// An amount of money: `1,234`, or with cents below a hundred: `9.50`.
pub fn money(value: f64) -> String {
    if value.abs() >= 100.0 || !value.is_finite() { count(value) } else { separated(&format!("{value:.2}")) }
}

/// A chosen rate in requests per second, with all digits above a hundred: `9,132`, `0.5`.
pub fn rate(value: f64) -> String {
    if value >= 100.0 { count(value) } else { plain(value) }
}

/// A share of one: `84 %`.
pub fn share(value: f64) -> String {
    if value.is_finite() { format!("{:.0} %", value * 100.0) } else { MISSING.to_owned() }
}

/// The percentage above one: `5 %` for a threshold of 1.05.
pub fn percent_over_one(threshold: f64) -> String {
    let percent = format!("{:.1}", (threshold - 1.0) * 100.0);
    format!("{} %", percent.strip_suffix(".0").unwrap_or(&percent))
}

/// `373 B`, `7.10 MiB`. The size of an answer is exact, so bytes keep all digits up to 10 KiB.
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if !value.is_finite() {
        return MISSING.to_owned();
    }
    if value < 10.0 * 1024.0 {
        return format!("{} B", count(value));
    }
    // The next unit begins at 1000, not at 1024, so that no figure needs a fourth digit.
    let power = ((value / 1000.0).ln() / 1024_f64.ln()).floor().clamp(0.0, (UNITS.len() - 1) as f64) as usize;
    format!("{} {}", significant(value / 1024_f64.powi(power as i32 + 1)), UNITS[power])
}

/// `0.42 s`, `28 s`, `7 min 12 s`, `1 h 3 min`.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 59.5 {
        return format!("{} s", plain(seconds));
    }
    let whole = seconds.round() as u64;
    let (big, small, names) = match whole {
        0..3600 => (whole / 60, whole % 60, ("min", "s")),
        _ => (whole / 3600, whole % 3600 / 60, ("h", "min")),
    };
    match small {
        0 => format!("{big} {}", names.0),
        _ => format!("{big} {} {small} {}", names.0, names.1),
    }
}

/// A number with its noun: `1 row`, `3 rows`, `3 processes`.
pub fn counted(number: usize, word: &str) -> String {
    let ending = match number {
        1 => "",
        _ if word.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {word}{ending}", count(number as f64))
}

/// Puts commas between the thousands of a decimal number.
fn separated(digits: &str) -> String {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let (whole, fraction) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = sign.to_owned();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(write: fn(f64) -> String, values: &[f64], expected: Expect) {
        expected.assert_eq(&values.iter().map(|value| write(*value)).collect::<Vec<_>>().join(" | "));
    }

    #[test]
    fn three_digits_are_significant() {
        let values = [0.0, 0.000_231, 0.42, 0.9996, 1.0, 9.995, 27.96, 504.2, 999.6, 21_703.0, 1_234_567.0, -2.5678];
        check(
            significant,
            &values,
            expect!["0 | 0.000231 | 0.420 | 1.00 | 1.00 | 9.99 | 28.0 | 504 | 1,000 | 21,700 | 1,230,000 | -2.57"],
        );
        check(significant, &[f64::NAN, f64::INFINITY], expect!["– | –"]);
    }

    #[test]
    fn sizes_have_the_unit_with_the_fewest_digits() {
        let values = [0.0, 373.0, 1583.4, 10_239.0, 10_240.0, 1_022_976.0, 1_024_000.0, 7_444_889.6, 1.6e9, 2.0e15];
        check(
            bytes,
            &values,
            expect![
                "0 B | 373 B | 1,583 B | 10,239 B | 10.0 KiB | 999 KiB | 0.977 MiB | 7.10 MiB | 1.49 GiB | 1,820 TiB"
            ],
        );
    }

    #[test]
    fn other_formats_keep_the_same_style() {
        check(count, &[0.0, 7.0, 1000.0, 21_703.0], expect!["0 | 7 | 1,000 | 21,703"]);
        check(
            ratio,
            &[1.0, 43.06, 0.997, 0.776, 0.0231, 0.0197, 0.0998, 0.0, f64::NAN],
            expect!["1.00x | 43.1x | 1.00x | 1.29x less | 43.3x less | 50.8x less | 10.0x less | 0x | –"],
        );
        check(plain, &[2.0, 1.5, 10.0, 0.25, 300.0], expect!["2 | 1.5 | 10 | 0.25 | 300"]);
        check(rate, &[9132.4, 350.0, 12.5, 0.5], expect!["9,132 | 350 | 12.5 | 0.5"]);
        check(money, &[0.0, 9.5, 99.99, 100.4, 1234.5, f64::NAN], expect!["0.00 | 9.50 | 99.99 | 100 | 1,234 | –"]);
        check(share, &[0.0, 0.836, 1.02], expect!["0 % | 84 % | 102 %"]);
        check(
            duration,
            &[0.42, 28.0, 59.6, 432.2, 3600.0, 3790.0],
            expect!["0.42 s | 28 s | 1 min | 7 min 12 s | 1 h | 1 h 3 min"],
        );
        let within = [(43.1, (41.0, 45.21)), (0.059, (0.057, 0.061)), (0.97, (0.926, 0.997)), (1.02, (0.971, 1.08))];
        expect![
            "43.1x [41.0, 45.2] | 16.9x less [16.4, 17.5] | 1.03x less [1.00, 1.08] | 1.02x [1.03 less, 1.08 more]"
        ]
        .assert_eq(&within.map(|(value, ends)| ratio_within(value, Some(ends))).join(" | "));
        let wild = [(0.000_019, 1_290.0), (0.05, 5.01), (0.1, 9.0), (0.000_2, 0.6), (2.0, 1_290.0)];
        expect!["[cannot tell] | [cannot tell] | [10.0 less, 9.00 more] | [1.67, >1,000] | [2.00, >1,000]"].assert_eq(
            &wild.map(|(low, high): (f64, f64)| interval((low * high).sqrt(), (low, high), factor)).join(" | "),
        );
        let column = [(1.0, 1.0), (0.996, 1.004), (0.96, 1.04), (0.7, 1.2), (f64::NAN, 1.0), (0.4, 2.1)];
        let column = column.map(|(low, high): (f64, f64)| Some((2.0, (2.0 * low, 2.0 * high))));
        let words = |column| spreads(column).into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>().join(" | ");
        expect![" | ±0.4% | ±4% | ±30% | "].assert_eq(&words(&column[..5]));
        expect![" | [1.99, 2.01] | [1.92, 2.08] | [1.40, 2.40] |  | [1.25 less, 4.20 more]"].assert_eq(&words(&column));
        expect!["5 % | 2.5 % | 100 %"].assert_eq(&[1.05, 1.025, 2.0].map(percent_over_one).join(" | "));
        expect!["1 row, 3 rows"].assert_eq(&[counted(1, "row"), counted(3, "row")].join(", "));
    }

    #[test]
    fn sentences_say_times_and_times_less() {
        let values = [(0.01124, (0.0105, 0.012)), (1.3, (1.27, 1.33)), (1.001, (0.98, 1.02)), (0.94, (0.91, 1.04))];
        expect![[r#"
            89 times less [83, 95] | 1.30 times as much [1.27, 1.33] | the same [1.02 less, 1.02 more] | 1.06 times less [1.10 less, 1.04 more]"#]]
            .assert_eq(&values.map(|(value, ends)| amount(value, Some(ends))).join(" | "));
        expect![
            "61 times the throughput of 0 [57, 66] | 89 times less CPU than 0 | the same CPU as 0 | 4.35 times less data"
        ]
        .assert_eq(
            &[
                compared(61.3, Some((57.0, 66.0)), "throughput", "0"),
                compared(0.01124, None, "CPU", "0"),
                compared(0.997, None, "CPU", "0"),
                compared(0.23, None, "data", ""),
            ]
            .join(" | "),
        );
        expect!["3.6 % more [2.6, 4.6], 4.0 % less [3.0, 5.0]"]
            .assert_eq(&[amount_close(1.0361, (1.0262, 1.046)), amount_close(0.96, (0.95, 0.97))].join(", "));
        check(short, &[2490.0, 88.9, 27.96, 6.59, 1.283, 0.42], expect!["2,490 | 89 | 28 | 6.59 | 1.28 | 0.42"]);
    }
}
