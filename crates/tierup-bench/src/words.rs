//! Numbers as the sentences write them.

/// `27.1x`, `0.25x`: three significant digits, no more than two decimals.
pub(crate) fn factor(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{}x", quantity(value)),
        value if value >= 9.995 => format!("{value:.1}x"),
        value if value >= 0.0995 => format!("{value:.2}x"),
        value => format!("{value:.3}x"),
    }
}

/// Ends of an interval beyond this factor say no more than that nobody knows.
const WILD: f64 = 1000.0;

/// ` [25.9, 28.4]`; nothing where there is no interval. Three wild blocks give ` [<0.001, >1,000]`.
pub(crate) fn interval(interval: Option<(f64, f64)>) -> String {
    let plain = |value: f64| match value {
        value if value > WILD => format!(">{}", quantity(WILD)),
        value if value < 1.0 / WILD => format!("<{}", 1.0 / WILD),
        value => factor(value).trim_end_matches('x').to_owned(),
    };
    interval.map_or_else(String::new, |(low, high)| format!(" [{}, {}]", plain(low), plain(high)))
}

/// `0.25x the bytes`.
pub(crate) fn bytes_ratio(value: f64) -> String {
    format!("{} the bytes", factor(value))
}

/// `52 %`.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

/// `2,360`, `61.3`, `0.42`: three significant digits for small numbers, whole numbers with commas for others.
pub(crate) fn quantity(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => {
            let digits = format!("{:.0}", value.abs());
            let mut text = String::new();
            for (index, digit) in digits.chars().enumerate() {
                if index > 0 && (digits.len() - index) % 3 == 0 {
                    text.push(',');
                }
                text.push(digit);
            }
            if value < 0.0 { format!("-{text}") } else { text }
        }
        size if size >= 9.995 => format!("{value:.1}").trim_end_matches(".0").to_owned(),
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0123, 0.25, 1.0, 27.13, 104.9].map(factor), ["0.012x", "0.25x", "1.00x", "27.1x", "105x"]);
        assert_eq!(
            [0.0, 3.0, 0.421, 10.0, 61.34, 2360.4, 1_234_567.0].map(quantity),
            ["0", "3", "0.42", "10", "61.3", "2,360", "1,234,567"]
        );
        assert_eq!(interval(Some((25.9, 28.4))), " [25.9, 28.4]");
        assert_eq!(interval(Some((0.000_019, 1_290.0))), " [<0.001, >1,000]");
        assert_eq!(percent(0.523), "52 %");
    }
}
