//! Compares URLs in answers. The two servers have different addresses, so a URL with one server's own address equals
//! the same URL with the other server's own address.

/// The value, resolved against the URL `asked` that the client requested (RFC 3986, section 5.2). URLs of the same
/// server become a path from the root.
pub(super) fn read(value: &str, asked: &str) -> String {
    // `*` and `null` are not URLs, but `Access-Control-Allow-Origin` may have these values.
    if value == "*" || value == "null" {
        return value.to_owned();
    }
    let (own, base) = split(asked.split_once("://").map_or(asked, |(_, rest)| rest));
    let (scheme, rest) = match scheme(value) {
        Some((scheme, rest)) if rest.starts_with("//") => (scheme.to_ascii_lowercase(), rest),
        Some(_) => return value.to_owned(),
        None => ("http".to_owned(), value),
    };
    let (base_path, _) = cut(base);
    let (authority, path) = match rest.strip_prefix("//") {
        Some(absolute) => split(absolute),
        None => (own, rest),
    };
    let (path, behind) = cut(path);
    let path = match path {
        "" if rest.starts_with("//") => "/".to_owned(),
        // A fragment alone refers to the requested URL.
        "" if !behind.starts_with('?') => base.to_owned(),
        "" => base_path.to_owned(),
        _ if path.starts_with('/') => without_dots(path),
        _ => without_dots(&format!("{}/{path}", base_path.rsplit_once('/').map_or("", |(folder, _)| folder))),
    };
    match (is_own(authority, own), scheme.as_str()) {
        (true, "http") => format!("{path}{behind}"),
        (true, scheme) => format!("{scheme}://(this server){path}{behind}"),
        (false, scheme) => format!("{scheme}://{}{path}{behind}", authority.to_ascii_lowercase()),
    }
}

fn scheme(value: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = value.split_once(':')?;
    let starts = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (starts && plain).then_some((scheme, rest))
}

/// The authority, and the rest.
fn split(text: &str) -> (&str, &str) {
    text.split_at(text.find(['/', '?', '#']).unwrap_or(text.len()))
}

/// The path, and the query and fragment.
fn cut(text: &str) -> (&str, &str) {
    text.split_at(text.find(['?', '#']).unwrap_or(text.len()))
}

/// Whether a URL's server is the requested one. A server on the same machine has many names.
fn is_own(authority: &str, own: &str) -> bool {
    let apart = |authority: &str| {
        let authority = authority.to_ascii_lowercase();
        let port = authority.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let (host, port) = port.map_or((authority.as_str(), "80"), |(host, port)| (host, port));
        let is_here = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"].contains(&host);
        (if is_here { "localhost".to_owned() } else { host.to_owned() }, port.to_owned())
    };
    apart(authority) == apart(own)
}

/// RFC 3986, section 5.2.4.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    for (number, part) in parts.iter().enumerate() {
        let is_last = number + 1 == parts.len();
        match *part {
            "." | ".." => {
                if *part == ".." {
                    kept.pop();
                }
                if is_last {
                    kept.push("");
                }
            }
            part => kept.push(part),
        }
    }
    format!("/{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_resolved_as_a_client_would() {
        let check = |value: &str, expected: &str| {
            assert_eq!(read(value, "http://127.0.0.1:4512/items/7?a=b"), expected, "{value}");
        };
        for same in ["/items/8", "8", "./8", "../items/8", "http://127.0.0.1:4512/items/8", "//localhost:4512/items/8"]
        {
            check(same, "/items/8");
        }
        check("?page=2", "/items/7?page=2");
        check("#top", "/items/7?a=b#top");
        check("HTTP://127.0.0.1:4512", "/");
        check("https://127.0.0.1:4512/x", "https://(this server)/x");
        check("http://127.0.0.1:4513/x", "http://127.0.0.1:4513/x");
        check("https://Example.org/a?b", "https://example.org/a?b");
        check("/a/..", "/");
        check("mailto:a@b", "mailto:a@b");
        check("*", "*");
    }
}
