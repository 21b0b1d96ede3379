//! Writing Ruby: literals and documentation.

use tierup_codegen::source::Source;

pub(crate) const INDENT: &str = "  ";

/// The lines that open every generated file.
pub(crate) const HEADER: &str = "# frozen_string_literal: true\n\n\
    # Made by tierup from the signatures in your crate; changes here are lost at the next build.\n";

/// The start of a file: the lines that name tierup, and the file's purpose.
pub(crate) fn file(what: &str) -> Source {
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER).add_as_is(format!("#\n# {what}"));
    source
}

/// A string literal.
pub(crate) fn literal(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        // `#` may begin an interpolation.
        '\\' | '"' | '#' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{{{:x}}}", c as u32),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// A literal of bytes.
pub(crate) fn bytes(content: &[u8]) -> String {
    let escaped = content.iter().map(|byte| match byte {
        b'\\' | b'"' | b'#' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    });
    format!("\"{}\".b", escaped.collect::<String>())
}

/// Adds documentation as comments. No line of it can end them.
pub(crate) fn comment(source: &mut Source, docs: &str) {
    for line in docs.trim_end().lines() {
        let plain: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        source.add_as_is(format!("# {plain}").trim_end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(literal("a\"b\\c\n#{d}ä"), r##""a\"b\\c\u{a}\#{d}ä""##);
        assert_eq!(bytes(b"a\"\\#\xff"), r##""a\"\\\#\xff".b"##);
    }

    #[test]
    fn no_documentation_ends_its_comment() {
        let mut source = Source::new(INDENT);
        comment(&mut source, "one\r\n\n=begin\n__END__");
        assert_eq!(source.text(), "# one\n#\n# =begin\n# __END__\n");
    }
}
