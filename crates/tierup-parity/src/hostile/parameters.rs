//! Wrong parameters, in the query and in bodies of HTML forms.

use tierup_requests::Request;

use super::{Hostile, Limits, media_type, variation};

/// Longer than the 8 KiB that most servers allow a request line.
const LONG: usize = 20_000;

pub(super) fn hostile(good: &Request, limits: Limits) -> Vec<Hostile> {
    let mut all = Vec::new();
    let (path, query) = good.target.split_once('?').unwrap_or((&good.target, ""));
    // `OPTIONS *` has no query.
    let queries = if path.starts_with('/') { variations(query, limits) } else { Vec::new() };
    for (what, query) in queries {
        let target = if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") };
        all.push(variation(good, format!("query: {what}"), |request| request.target = target));
    }
    if media_type(good) == "application/x-www-form-urlencoded"
        && let Ok(form) = std::str::from_utf8(&good.body)
    {
        for (what, form) in variations(form, limits) {
            all.push(variation(good, format!("form: {what}"), |request| request.body = form.into_bytes()));
        }
    }
    all
}

/// For each error, its description, and the text of all parameters with that error.
fn variations(text: &str, limits: Limits) -> Vec<(String, String)> {
    let parameters: Vec<&str> = text.split('&').filter(|parameter| !parameter.is_empty()).collect();
    let mut all = vec![("one more that nobody asked for".to_owned(), joined(&parameters, &["tierup_unknown=1"]))];
    if parameters.len() > 1 {
        all.push(("no parameters".to_owned(), String::new()));
    }
    for (place, parameter) in parameters.iter().enumerate() {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let replaced = |new: &str| {
            let mut list = parameters.clone();
            list[place] = new;
            joined(&list, &[])
        };
        let mut push = |what: &str, text: String| all.push((format!("`{name}` {what}"), text));
        let without: Vec<&str> =
            parameters.iter().enumerate().filter(|(at, _)| *at != place).map(|(_, it)| *it).collect();
        push("is missing", joined(&without, &[]));
        push("is empty", replaced(&format!("{name}=")));
        push("has no `=`", replaced(name));
        push("is there twice, the same", joined(&parameters, &[parameter]));
        push("is there twice, then different", joined(&parameters, &[&format!("{name}=tierup")]));
        push("is there twice, first empty", replaced(&format!("{name}=&{parameter}")));
        push("is a list by its name", replaced(&format!("{name}[]={value}")));
        push("is a record by its name", replaced(&format!("{name}[a]={value}")));
        push("has its name in capitals", replaced(&format!("{}={value}", name.to_ascii_uppercase())));
        for (what, value) in values(value) {
            push(what, replaced(&format!("{name}={value}")));
        }
        if let Some(limit) = limits.parameter {
            push("is as long as it may be", replaced(&format!("{name}={}", "a".repeat(limit))));
            push("is too long by one", replaced(&format!("{name}={}", "a".repeat(limit + 1))));
            // An emoji is one character, two UTF-16 code units and four bytes.
            push("is too long by one, of emoji", replaced(&format!("{name}={}", "%F0%9F%98%80".repeat(limit + 1))));
        }
        push("is very long", replaced(&format!("{name}={}", "a".repeat(LONG))));
    }
    all
}

/// Values that implementations read in different ways, percent-encoded.
fn values(value: &str) -> Vec<(&'static str, String)> {
    vec![
        ("is not UTF-8", "%FF%FE".to_owned()),
        ("is not UTF-8 at its end", format!("{value}%C3")),
        ("is UTF-8 in too many bytes", "%C0%AF".to_owned()),
        ("is half of a surrogate pair", "%ED%A0%80".to_owned()),
        ("ends within a percent encoding", format!("{value}%4")),
        ("has a percent sign that encodes nothing", format!("{value}%zz")),
        ("is encoded twice", format!("{value}%2541")),
        ("has a plus sign", format!("{value}+b")),
        ("has a semicolon", format!("{value};b=1")),
        ("has an equals sign", format!("{value}=b")),
        ("has a NUL", format!("{value}%00b")),
        ("has line ends", format!("{value}%0D%0Ab")),
        ("is a space", "%20".to_owned()),
        ("has space around it", format!("%20{value}%20")),
        ("is a word", "tierup".to_owned()),
        ("is zero", "0".to_owned()),
        ("is negative", "-1".to_owned()),
        ("is a fraction", "1.5".to_owned()),
        ("is beyond 64 bits", "18446744073709551616".to_owned()),
        ("has characters beyond the basic plane", "%F0%9F%98%80".to_owned()),
        ("has a combining accent", "e%CC%81".to_owned()),
        ("starts with a byte order mark", format!("%EF%BB%BF{value}")),
    ]
}

fn joined(parameters: &[&str], more: &[&str]) -> String {
    [parameters, more].concat().join("&")
}
