//! Reads `Set-Cookie`: which cookies an answer sets, and how. A cookie's value is a session or a token: it differs from
//! answer to answer, and must not appear in a report.

/// `session; HttpOnly; Path=/, theme; Max-Age=60`: sorted by name, without values (RFC 6265, section 4.1).
pub(super) fn read(values: &[&str]) -> String {
    let mut cookies: Vec<String> = values.iter().map(|value| cookie(value)).collect();
    cookies.sort();
    cookies.join(", ")
}

fn cookie(text: &str) -> String {
    let mut parts = text.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default().split('=').next().unwrap_or_default().trim().to_owned();
    let mut attributes: Vec<String> = parts.filter(|part| !part.is_empty()).map(attribute).collect();
    attributes.sort();
    [name].into_iter().chain(attributes).collect::<Vec<_>>().join("; ")
}

fn attribute(text: &str) -> String {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.trim())));
    let name = name.trim().to_ascii_lowercase();
    match (name.as_str(), value) {
        ("secure", _) => "Secure".to_owned(),
        ("httponly", _) => "HttpOnly".to_owned(),
        ("partitioned", _) => "Partitioned".to_owned(),
        ("path", value) => format!("Path={}", value.unwrap_or_default()),
        ("max-age", value) => format!("Max-Age={}", value.unwrap_or_default()),
        ("samesite", value) => format!("SameSite={}", value.unwrap_or_default().to_ascii_lowercase()),
        ("domain", value) => {
            format!("Domain={}", value.unwrap_or_default().trim_start_matches('.').to_ascii_lowercase())
        }
        // A future time is relative to now, which differs between two answers. A time long past deletes the cookie.
        ("expires", value) if is_long_past(value.unwrap_or_default()) => "Expires=past".to_owned(),
        ("expires", _) => "Expires=…".to_owned(),
        (_, Some(value)) => format!("{name}={value}"),
        (_, None) => name,
    }
}

/// Whether the year is before 2001. Servers delete a cookie by a time such as 1970.
fn is_long_past(date: &str) -> bool {
    let numbers = date.split(|c: char| !c.is_ascii_digit());
    let mut years = numbers.filter(|text| text.len() == 4).filter_map(|text| text.parse::<u32>().ok());
    years.next().is_some_and(|year| year < 2001)
}
