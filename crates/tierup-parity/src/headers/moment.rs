//! Times: two servers hardly ever answer within the same second, so all that counts is whether a time has come.

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// "past" or "to come", by the answer's own `Date`; what is no date as it is written.
pub(super) fn read(values: &[&str], date: Option<&str>) -> String {
    let written = values.join(", ");
    let Some(moment) = parse(&written) else { return written };
    match date.and_then(parse) {
        Some(now) if moment <= now => "past".to_owned(),
        Some(_) => "to come".to_owned(),
        None => "a date".to_owned(),
    }
}

/// Year, month, day and time of `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
fn parse(text: &str) -> Option<(u16, usize, u8, &str)> {
    let words: Vec<&str> = text.split(' ').collect();
    let [_, day, month, year, time, "GMT"] = words[..] else { return None };
    let month = MONTHS.iter().position(|name| *name == month)?;
    Some((year.parse().ok()?, month, day.parse().ok()?, time))
}
