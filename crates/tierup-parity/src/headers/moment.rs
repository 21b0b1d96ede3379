//! Times: two servers hardly ever answer within the same second, so all that counts is whether a time has come.

use httpdate::parse_http_date;

/// "past" or "to come", by the answer's own `Date`; other texts as they are written (RFC 9110, section 5.6.7).
pub(super) fn read(values: &[&str], date: Option<&str>) -> String {
    let written = values.join(", ");
    let Ok(moment) = parse_http_date(&written) else { return written };
    match date.and_then(|date| parse_http_date(date).ok()) {
        Some(now) if moment <= now => "past".to_owned(),
        Some(_) => "to come".to_owned(),
        None => "a date".to_owned(),
    }
}
