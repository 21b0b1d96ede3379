//! Dates and times as texts: the formats of `{{$datetime}}`, which are those of moment.js
//! (<https://momentjs.com/docs/#/displaying/format/>).

use crate::Moment;
use crate::calendar::Civil;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// The tokens of moment.js that are supported here. Of tokens with a common prefix, the longest comes first.
const TOKENS: [&str; 44] = [
    "YYYY",
    "YY",
    "Q",
    "MMMM",
    "MMM",
    "MM",
    "Mo",
    "M",
    "DDDD",
    "DDD",
    "DD",
    "Do",
    "D",
    "dddd",
    "ddd",
    "dd",
    "do",
    "d",
    "E",
    "HH",
    "H",
    "hh",
    "h",
    "kk",
    "k",
    "mm",
    "m",
    "ss",
    "s",
    "SSSSSSSSS",
    "SSSSSSSS",
    "SSSSSSS",
    "SSSSSS",
    "SSSSS",
    "SSSS",
    "SSS",
    "SS",
    "S",
    "A",
    "a",
    "ZZ",
    "Z",
    "X",
    "x",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Format {
    /// `Sat, 21 Nov 2026 09:40:00 GMT`
    Rfc1123,
    /// `2026-11-21T09:40:00.000Z`
    Iso8601,
    Custom(Vec<Piece>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Literal(String),
    /// One of [`TOKENS`].
    Token(&'static str),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    Utc,
    Local,
}

impl Format {
    /// Reads a format of moment.js: tokens, and literal text, which may stand in `[brackets]`.
    ///
    /// # Errors
    /// The letters that moment.js would replace, but that are not supported here.
    pub(crate) fn custom(pattern: &str) -> Result<Format, String> {
        let mut pieces = Vec::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            if let Some((literal, behind)) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
                pieces.push(Piece::Literal(literal.to_owned()));
                rest = behind;
            } else if let Some(token) = TOKENS.into_iter().find(|token| rest.starts_with(token)) {
                pieces.push(Piece::Token(token));
                rest = &rest[token.len()..];
            } else if "eGgLlNnWwYyz".contains(first) {
                return Err(first.to_string());
            } else {
                pieces.push(Piece::Literal(first.to_string()));
                rest = &rest[first.len_utf8()..];
            }
        }
        Ok(Format::Custom(pieces))
    }

    /// `milliseconds` must be a result of [`Shift::apply`](crate::shift::Shift::apply).
    pub(crate) fn show(&self, milliseconds: i64, zone: Zone, moment: Moment) -> String {
        // No zone is further from UTC than a day.
        let offset = if zone == Zone::Local { i64::from(moment.utc_offset_minutes).clamp(-1439, 1439) } else { 0 };
        let civil = Civil::from_milliseconds(milliseconds + offset * 60_000);
        let pieces =
            |tokens: &[&'static str]| tokens.iter().map(|token| show(token, &civil, milliseconds, offset)).collect();
        match (self, zone) {
            (Format::Rfc1123, zone) => {
                let date: String =
                    pieces(&["ddd", ", ", "DD", " ", "MMM", " ", "YYYY", " ", "HH", ":", "mm", ":", "ss", " "]);
                date + &if zone == Zone::Utc { "GMT".to_owned() } else { colonless(offset) }
            }
            (Format::Iso8601, zone) => {
                let date: String = pieces(&["YYYY", "-", "MM", "-", "DD", "T", "HH", ":", "mm", ":", "ss", ".", "SSS"]);
                date + &if zone == Zone::Utc { "Z".to_owned() } else { show("Z", &civil, milliseconds, offset) }
            }
            (Format::Custom(custom), _) => custom
                .iter()
                .map(|piece| match piece {
                    Piece::Literal(literal) => literal.clone(),
                    Piece::Token(token) => show(token, &civil, milliseconds, offset),
                })
                .collect(),
        }
    }
}

/// `+0130`
fn colonless(offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    format!("{sign}{:02}{:02}", offset.abs() / 60, offset.abs() % 60)
}

fn show(token: &str, civil: &Civil, milliseconds: i64, offset: i64) -> String {
    let month = MONTHS[(civil.month - 1) as usize];
    let weekday = WEEKDAYS[civil.weekday() as usize];
    let half_day = (civil.hour + 11) % 12 + 1;
    let full_day = (civil.hour + 23) % 24 + 1;
    match token {
        "YYYY" => format!("{:04}", civil.year),
        "YY" => format!("{:02}", civil.year % 100),
        "Q" => ((civil.month + 2) / 3).to_string(),
        "MMMM" => month.to_owned(),
        "MMM" => month[..3].to_owned(),
        "MM" => format!("{:02}", civil.month),
        "Mo" => ordinal(civil.month),
        "M" => civil.month.to_string(),
        "DDDD" => format!("{:03}", civil.day_of_year()),
        "DDD" => civil.day_of_year().to_string(),
        "DD" => format!("{:02}", civil.day),
        "Do" => ordinal(civil.day),
        "D" => civil.day.to_string(),
        "dddd" => weekday.to_owned(),
        "ddd" => weekday[..3].to_owned(),
        "dd" => weekday[..2].to_owned(),
        "do" => ordinal(civil.weekday()),
        "d" => civil.weekday().to_string(),
        "E" => ((civil.weekday() + 6) % 7 + 1).to_string(),
        "HH" => format!("{:02}", civil.hour),
        "H" => civil.hour.to_string(),
        "hh" => format!("{half_day:02}"),
        "h" => half_day.to_string(),
        "kk" => format!("{full_day:02}"),
        "k" => full_day.to_string(),
        "mm" => format!("{:02}", civil.minute),
        "m" => civil.minute.to_string(),
        "ss" => format!("{:02}", civil.second),
        "s" => civil.second.to_string(),
        "A" => if civil.hour < 12 { "AM" } else { "PM" }.to_owned(),
        "a" => if civil.hour < 12 { "am" } else { "pm" }.to_owned(),
        "ZZ" => colonless(offset),
        "Z" => {
            let zone = colonless(offset);
            format!("{}:{}", &zone[..3], &zone[3..])
        }
        "X" => milliseconds.div_euclid(1000).to_string(),
        "x" => milliseconds.to_string(),
        // Any number of digits of the second's fraction.
        fraction if fraction.starts_with('S') => format!("{:03}000000", civil.millisecond)[..fraction.len()].to_owned(),
        literal => literal.to_owned(),
    }
}

/// `1st`, `2nd`, `3rd`, `11th`.
fn ordinal(number: i64) -> String {
    let suffix = match (number % 10, number % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-21T09:04:05.678Z, a Saturday, on a clock that is 5:30 ahead.
    const NOW: Moment = Moment { unix_milliseconds: 1_795_251_845_678, utc_offset_minutes: 330 };

    fn custom(pattern: &str) -> String {
        Format::custom(pattern).unwrap().show(NOW.unix_milliseconds, Zone::Utc, NOW)
    }

    #[test]
    fn formats_of_moment() {
        assert_eq!(custom("YYYY-MM-DDTHH:mm:ss.SSSZ"), "2026-11-21T09:04:05.678+00:00");
        assert_eq!(custom("dddd, MMMM Do YYYY, h:mm:ss a"), "Saturday, November 21st 2026, 9:04:05 am");
        assert_eq!(custom("ddd, hA"), "Sat, 9AM");
        assert_eq!(custom("[today] d E DDDD Q X x kk SSSSSS"), "today 6 6 325 4 1795251845 1795251845678 09 678000");
        assert_eq!(custom("[open ] D/M/YY"), "open  21/11/26");
        assert_eq!(Format::custom("gggg"), Err("g".to_owned()));
    }

    #[test]
    fn named_formats_in_both_zones() {
        let show = |format: Format, zone| format.show(NOW.unix_milliseconds, zone, NOW);
        assert_eq!(show(Format::Rfc1123, Zone::Utc), "Sat, 21 Nov 2026 09:04:05 GMT");
        assert_eq!(show(Format::Rfc1123, Zone::Local), "Sat, 21 Nov 2026 14:34:05 +0530");
        assert_eq!(show(Format::Iso8601, Zone::Utc), "2026-11-21T09:04:05.678Z");
        assert_eq!(show(Format::Iso8601, Zone::Local), "2026-11-21T14:34:05.678+05:30");
    }
}
