//! Dates and times as texts: the formats of `{{$datetime}}`, which are those of moment.js
//! (<https://momentjs.com/docs/#/displaying/format/>).

use jiff::{Timestamp, civil::DateTime, tz::Offset};

/// A point in time, and how far the local clock is from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub unix_milliseconds: i64,
    /// The offset that `{{$localDatetime}}` adds, in minutes; east of Greenwich is positive.
    pub utc_offset_minutes: i32,
}

/// The supported tokens of moment.js with their strftime equivalents, or `None` if strftime has no equivalent. Of
/// tokens with a common prefix, the longest comes first.
#[rustfmt::skip] // a table
const TOKENS: [(&str, Option<&str>); 44] = [
    ("YYYY", Some("%Y")), ("YY", Some("%y")), ("Q", None),
    ("MMMM", Some("%B")), ("MMM", Some("%b")), ("MM", Some("%m")), ("Mo", None), ("M", Some("%-m")),
    ("DDDD", Some("%j")), ("DDD", Some("%-j")), ("DD", Some("%d")), ("Do", None), ("D", Some("%-d")),
    ("dddd", Some("%A")), ("ddd", Some("%a")), ("dd", None), ("do", None), ("d", Some("%w")), ("E", Some("%u")),
    ("HH", Some("%H")), ("H", Some("%-H")), ("hh", Some("%I")), ("h", Some("%-I")), ("kk", None), ("k", None),
    ("mm", Some("%M")), ("m", Some("%-M")), ("ss", Some("%S")), ("s", Some("%-S")),
    ("SSSSSSSSS", Some("%9f")), ("SSSSSSSS", Some("%8f")), ("SSSSSSS", Some("%7f")), ("SSSSSS", Some("%6f")),
    ("SSSSS", Some("%5f")), ("SSSS", Some("%4f")), ("SSS", Some("%3f")), ("SS", Some("%2f")), ("S", Some("%1f")),
    ("A", Some("%p")), ("a", Some("%P")), ("ZZ", None), ("Z", None), ("X", None), ("x", None),
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
    /// The letters that moment.js would replace and this crate does not support.
    pub(crate) fn custom(pattern: &str) -> Result<Format, String> {
        let mut pieces = Vec::new();
        let mut rest = pattern;
        while let Some(first) = rest.chars().next() {
            if let Some((literal, behind)) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
                pieces.push(Piece::Literal(literal.to_owned()));
                rest = behind;
            } else if let Some(token) = TOKENS.into_iter().map(|(token, _)| token).find(|token| rest.starts_with(token))
            {
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
        // Time zones are less than a day away from UTC.
        let minutes = if zone == Zone::Local { moment.utc_offset_minutes.clamp(-1439, 1439) } else { 0 };
        let clock = civil(milliseconds + i64::from(minutes) * 60_000);
        let token = |token: &Piece| match token {
            Piece::Literal(literal) => literal.clone(),
            Piece::Token(token) => show(token, clock, milliseconds, minutes),
        };
        match (self, zone) {
            (Format::Rfc1123, Zone::Utc) => clock.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string(),
            (Format::Rfc1123, Zone::Local) => {
                format!("{} {}", clock.strftime("%a, %d %b %Y %H:%M:%S"), offset(minutes, ""))
            }
            (Format::Iso8601, Zone::Utc) => clock.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string(),
            (Format::Iso8601, Zone::Local) => {
                format!("{}{}", clock.strftime("%Y-%m-%dT%H:%M:%S.%3f"), offset(minutes, ":"))
            }
            (Format::Custom(pieces), _) => pieces.iter().map(token).collect(),
        }
    }
}

/// The time of a clock at UTC, limited to the years -9999 to 9999.
pub(crate) fn civil(milliseconds: i64) -> DateTime {
    let first = if milliseconds < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Offset::UTC.to_datetime(Timestamp::from_millisecond(milliseconds).unwrap_or(first))
}

/// `+0130`, with the text `between` after the hours.
fn offset(minutes: i32, between: &str) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}{between}{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

fn show(token: &str, clock: DateTime, milliseconds: i64, minutes: i32) -> String {
    if let Some((_, Some(format))) = TOKENS.iter().find(|(known, _)| *known == token) {
        return clock.strftime(format).to_string();
    }
    let full_day = (i32::from(clock.hour()) + 23) % 24 + 1;
    match token {
        "Q" => ((clock.month() + 2) / 3).to_string(),
        "Mo" => ordinal(clock.month()),
        "Do" => ordinal(clock.day()),
        "dd" => clock.strftime("%a").to_string()[..2].to_owned(),
        "do" => ordinal(clock.weekday().to_sunday_zero_offset()),
        "kk" => format!("{full_day:02}"),
        "k" => full_day.to_string(),
        "ZZ" => offset(minutes, ""),
        "Z" => offset(minutes, ":"),
        "X" => milliseconds.div_euclid(1000).to_string(),
        "x" => milliseconds.to_string(),
        literal => literal.to_owned(),
    }
}

/// `1st`, `2nd`, `3rd`, `11th`.
fn ordinal(number: i8) -> String {
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
    fn every_token_is_replaced() {
        for (token, _) in TOKENS {
            assert!(custom(token) != *token, "{token}");
        }
        assert_eq!(
            custom("MMMM MMM MM Mo M DD D dd do HH H hh k m s SS A"),
            "November Nov 11 11th 11 21 21 Sa 6th 09 9 09 9 4 5 67 AM"
        );
        let year_five = Format::custom("YYYY YY").unwrap().show(-62_000_000_000_000, Zone::Utc, NOW);
        assert_eq!(year_five, "0005 05");
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
