//! Writes Elixir: literals and documentation.

use std::fmt::Write as _;

use tierup_codegen::source::Source;

pub(crate) const INDENT: &str = "  ";

/// The line that opens every generated file.
pub(crate) const HEADER: &str =
    "# Made by tierup from the signatures in your crate; changes here are lost at the next build.\n";

/// A string literal.
pub(crate) fn literal(text: &str) -> String {
    format!("\"{}\"", escaped(text).replace('"', "\\\"").replace('\n', "\\n"))
}

/// A literal of bytes.
pub(crate) fn bytes(content: &[u8]) -> String {
    let bytes: Vec<_> = content.iter().map(u8::to_string).collect();
    format!("<<{}>>", bytes.join(", "))
}

/// An atom.
pub(crate) fn atom(name: &str) -> String {
    if is_plain(name) { format!(":{name}") } else { format!(":{}", literal(name)) }
}

/// The `key:` of `key: value`.
pub(crate) fn key(name: &str) -> String {
    if is_plain(name) { format!("{name}:") } else { format!("{}:", literal(name)) }
}

/// Whether a name needs no quotes. Elixir warns of needless ones.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.strip_suffix('!').unwrap_or(name).chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Adds documentation as the heredoc of `@doc` or another attribute. Without any, the next definition is hidden.
pub(crate) fn documentation(source: &mut Source, attribute: &str, docs: &str) {
    if docs.trim().is_empty() {
        return;
    }
    source.add(format!("@{attribute} \"\"\""));
    source.add_as_is(escaped(docs.trim_end()).replace("\"\"\"", "\\\"\\\"\\\""));
    source.add("\"\"\"");
}

/// Escapes a text for a literal or a heredoc, except for quotes and line ends.
///
/// Elixir refuses control characters, and those that change the direction of text.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            // `#{` would begin code.
            '#' => escaped.push_str("\\#"),
            '\n' => escaped.push('\n'),
            c if c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}') => {
                let _ = write!(escaped, "\\u{{{:x}}}", c as u32);
            }
            c => escaped.push(c),
        }
    }
    // A single `#` may stay as it is.
    escaped.replace("\\#{", "\u{0}").replace("\\#", "#").replace('\u{0}', "\\#{")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(actual: String, expected: Expect) {
        expected.assert_eq(&actual);
    }

    #[test]
    fn literals_cannot_be_left() {
        check(literal("a\"b\\c\n\u{1}#{ä}# \u{202e}"), expect![[r##""a\"b\\c\n\u{1}\#{ä}# \u{202e}""##]]);
        check(bytes(b"a\xff"), expect!["<<97, 255>>"]);
    }

    #[test]
    fn only_some_atoms_have_quotes() {
        check(["end", "größe", "_1", "Big"].map(atom).join(" "), expect![[r#":end :"größe" :_1 :"Big""#]]);
        check(["end", "größe"].map(key).join(" "), expect![[r#"end: "größe":"#]]);
    }

    #[test]
    fn no_documentation_ends_its_heredoc() {
        let mut source = Source::new(INDENT);
        source.inside(|source| documentation(source, "doc", "One \"\"\" \\n\n\n#{System.halt()}\n"));
        let expected = "  @doc \"\"\"\n  One \\\"\\\"\\\" \\\\n\n\n  \\#{System.halt()}\n  \"\"\"\n";
        assert_eq!(source.text(), expected);
    }
}
