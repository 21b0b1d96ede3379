//! Rust names in Go spelling: exported `get_url` is `GetURL`, unexported it is `getURL`.
//!
//! Rust allows characters in names that Go does not, such as combining marks. Their number is written instead.

use heck::ToSnakeCase as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Words that Go writes in one case: <https://go.dev/wiki/CodeReviewComments#initialisms>, as golint listed them.
const INITIALISMS: &[&str] = &[
    "acl", "api", "ascii", "cpu", "css", "dns", "eof", "guid", "html", "http", "https", "id", "ip", "json", "lhs",
    "qps", "ram", "rhs", "rpc", "sla", "smtp", "sql", "ssh", "tcp", "tls", "ttl", "udp", "ui", "uid", "uri", "url",
    "utf8", "uuid", "vm", "xml", "xmpp", "xsrf", "xss",
];

/// `GetURL`. [`spelled`] writes a name without words.
pub(super) fn exported(name: &str) -> String {
    let camel: String = words(name).iter().map(|word| capitalized(word)).collect();
    if camel.is_empty() { spelled(name) } else { with_upper_case(camel) }
}

/// The Rust spelling, exported: `Get_url`.
pub(super) fn spelled(name: &str) -> String {
    let plain = plain(name);
    let mut chars = plain.chars();
    let first = chars.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    with_upper_case(first + chars.as_str())
}

/// `getURL`.
pub(super) fn local(name: &str) -> String {
    let words = words(name);
    let camel: String =
        words.iter().enumerate().map(|(at, word)| if at == 0 { word.clone() } else { capitalized(word) }).collect();
    if camel.starts_with(is_letter) { camel } else { plain(name) }
}

/// The name without the characters that Go does not allow.
pub(super) fn plain(name: &str) -> String {
    let mut plain = String::new();
    for c in name.chars() {
        if c == '_' || is_letter(c) || is_digit(c) {
            plain.push(c);
        } else {
            plain.push_str(&format!("u{:04x}", c as u32));
        }
    }
    plain
}

/// The words of a name in lower case.
fn words(name: &str) -> Vec<String> {
    plain(name).to_snake_case().split('_').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn capitalized(word: &str) -> String {
    if INITIALISMS.contains(&word) {
        return word.to_uppercase();
    }
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().collect::<String>() + chars.as_str()).unwrap_or_default()
}

/// Makes a name exported: Go exports only names that start with a capital letter, and `日本` has none.
fn with_upper_case(name: String) -> String {
    let is_upper = |c: char| c.general_category() == GeneralCategory::UppercaseLetter;
    if name.starts_with(is_upper) { name } else { format!("X{name}") }
}

fn is_letter(c: char) -> bool {
    use GeneralCategory::*;
    matches!(c.general_category(), UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter)
}

fn is_digit(c: char) -> bool {
    c.general_category() == GeneralCategory::DecimalNumber
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(names: &[&str], convert: fn(&str) -> String, expected: Expect) {
        expected.assert_eq(&names.iter().map(|name| convert(name)).collect::<Vec<_>>().join(" "));
    }

    const NAMES: &[&str] =
        &["get_url", "decodeUtf8", "user_id", "_x", "__", "_1", "größe", "日本", "ß", "नमस्ते", "X_a", "Ⅷ", "i"];

    #[test]
    fn exported_names_are_spelled_as_go_does() {
        check(NAMES, exported, expect!["GetURL DecodeUTF8 UserID X X__ X1 Größe X日本 SS Xनमसu094dतu0947 XA U2167 I"]);
        check(
            NAMES,
            spelled,
            expect!["Get_url DecodeUtf8 User_id X_x X__ X_1 Größe X日本 SS Xनमसu094dतu0947 X_a U2167 I"],
        );
    }

    #[test]
    fn parameters_are_spelled_as_go_does() {
        check(NAMES, local, expect!["getURL decodeUTF8 userID x __ _1 größe 日本 ß नमसu094dतu0947 xA u2167 i"]);
    }
}
