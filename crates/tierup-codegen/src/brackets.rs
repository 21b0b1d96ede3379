//! Scans languages with C's comments, strings and brackets, for hosts that read declarations. In: source text.
//! Out: the code without its comments and strings, and its parts by brackets.

/// The source with spaces in place of comments, strings and character literals; lines stay where they are. Go's raw
/// strings and Java's text blocks are blanked too.
pub fn blank(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if let Some(block) = rest.strip_prefix(BLOCK) {
            BLOCK.len() + end_of_block(block)
        } else {
            match first {
                '`' => rest[1..].find('`').map_or(rest.len(), |end| end + 2),
                '"' | '\'' => quoted(rest, first),
                _ => {
                    code.push(first);
                    rest = &rest[first.len_utf8()..];
                    continue;
                }
            }
        };
        // Keeps the number of bytes, so that offsets stay valid.
        for character in rest[..length].chars() {
            match character {
                '\n' => code.push('\n'),
                _ => code.extend(std::iter::repeat_n(' ', character.len_utf8())),
            }
        }
        rest = &rest[length..];
    }
    code
}

const BLOCK: &str = "\"\"\"";

/// The end of a text block, whose opening quotes come before `block`.
fn end_of_block(block: &str) -> usize {
    let mut from = 0;
    while let Some(found) = block[from..].find(['\\', '"']) {
        let place = from + found;
        if block[place..].starts_with(BLOCK) {
            return place + BLOCK.len();
        }
        let escaped = block[place..].starts_with('\\').then(|| block[place + 1..].chars().next()).flatten();
        from = place + 1 + escaped.map_or(0, char::len_utf8);
    }
    block.len()
}

/// The length of a quoted string, which ends at the end of its line at the latest.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (place, character) in text.char_indices().skip(1) {
        match character {
            '\n' => return place,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if character == quote => return place + 1,
            _ => {}
        }
    }
    text.len()
}

/// The offset of the bracket that closes the text's first bracket: `(`, `[` or `{`.
pub fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (place, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(place);
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits a list at the commas outside brackets. `open` and `close` are the language's brackets.
pub fn split<'a>(list: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let mut depth = 0;
    let mut start = 0;
    let mut parts = Vec::new();
    for (place, character) in list.char_indices() {
        if open.contains(character) {
            depth += 1;
        } else if close.contains(character) {
            depth -= 1;
        } else if character == ',' && depth == 0 {
            parts.push(&list[start..place]);
            start = place + 1;
        }
    }
    parts.push(&list[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_blanked() {
        let check = |text: &str, expected: &str| {
            assert_eq!(blank(text), expected);
            assert_eq!(text.len(), expected.len());
        };
        check("a /* ä } */ b // {\nc", "a            b     \nc");
        check(r#"f("\"{", '"', 'x')"#, r#"f(     ,    ,    )"#);
        check("f(`\n{`)", "f( \n  )");
        check("f(\"\"\"\n\\\"\"\"}\"\"\" + \"\")", "f(   \n         +   )");
        check("f(\"\"\"\nopen", "f(   \n    ");
        check("\"open\nf()", "     \nf()");
    }

    #[test]
    fn parts_and_brackets() {
        assert_eq!(split("a, b(c, d), ", "(", ")"), ["a", "b(c, d)"]);
        assert_eq!(split("Map<String, List<X>> a, int b", "(<", ")>"), ["Map<String, List<X>> a", "int b"]);
        assert_eq!(matching("(a[b](c))d"), Some(8));
        assert_eq!(matching("(a"), None);
    }
}
