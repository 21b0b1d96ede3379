//! Writing Python: literals, documentation, annotations.

use std::fmt::Write as _;

use tierup_codegen::named::Named;
use tierup_codegen::source::Source;
use tierup_model::Type;

pub(crate) const INDENT: &str = "    ";

/// The line that opens every generated file.
pub(crate) const HEADER: &str =
    "# Made by tierup from the signatures in your crate; changes here are lost at the next build.\n";

/// The start of a file: the line that names tierup, and the file's description.
pub(crate) fn file(what: &str) -> Source {
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER).add_as_is(format!("\"\"\"{what}\"\"\""));
    source
}

/// A string literal.
pub(crate) fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '"' => literal.push_str("\\\""),
            '\n' => literal.push_str("\\n"),
            c if c.is_control() => {
                let _ = write!(literal, "\\u{:04x}", c as u32);
            }
            c => literal.push(c),
        }
    }
    literal + "\""
}

/// A literal of bytes.
pub(crate) fn bytes(content: &[u8]) -> String {
    let escaped = content.iter().map(|byte| match byte {
        b'\\' | b'"' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    });
    format!("b\"{}\"", escaped.collect::<String>())
}

/// A tuple of expressions.
pub(crate) fn tuple(items: &[String]) -> String {
    match items {
        [only] => format!("({only},)"),
        items => format!("({})", items.join(", ")),
    }
}

/// Adds documentation as a docstring, escaped so that it cannot end the docstring; returns whether there is any.
pub(crate) fn docstring(source: &mut Source, docs: &str) -> bool {
    if docs.trim().is_empty() {
        return false;
    }
    // Python takes carriage returns and other control characters for line ends, or refuses them.
    let plain: String = docs.chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
    let escaped = plain.trim_end().replace('\\', "\\\\").replace('"', "\\\"");
    // Only quotes that could end the docstring need a backslash.
    let readable = escaped.replace("\\\"", "\u{0}");
    let mut text = String::new();
    let mut quotes = 0;
    for (at, c) in readable.char_indices() {
        if c == '\u{0}' {
            quotes += 1;
            let is_last = at + 1 == readable.len();
            text.push_str(if quotes == 3 || is_last { "\\\"" } else { "\"" });
            quotes %= 3;
        } else {
            quotes = 0;
            text.push(c);
        }
    }
    let lines: Vec<_> = text.lines().map(str::trim_end).collect();
    let end = if lines.len() > 1 { "\n" } else { "" };
    source.add_as_is(format!("\"\"\"{}{end}\"\"\"", lines.join("\n")));
    true
}

/// Where an annotation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    /// A parameter: all types that are accepted.
    Parameter,
    /// An answer or a field: its exact type.
    Value,
}

/// Annotations. `taken` are names with another meaning in their scope.
pub(crate) struct Annotations<'a> {
    pub(crate) named: &'a Named<'a>,
    pub(crate) taken: Vec<&'a str>,
}

impl Annotations<'_> {
    pub(crate) fn of(&self, ty: &Type, place: Position) -> String {
        let inner = |inner: &Type| self.of(inner, place);
        match (ty, place) {
            (Type::Bool, _) => self.builtin("bool"),
            (Type::Integer(_), _) => self.builtin("int"),
            (Type::F32 | Type::F64, _) => self.builtin("float"),
            (Type::Text, _) => self.builtin("str"),
            (Type::Bytes, Position::Value) => self.builtin("bytes"),
            (Type::Bytes, Position::Parameter) => {
                let all = ["bytes", "bytearray", "memoryview"].map(|name| self.builtin(name));
                format!("Union[{}]", all.join(", "))
            }
            (Type::Optional(ty), _) => format!("Optional[{}]", inner(ty)),
            (Type::List(ty), Position::Value) => format!("{}[{}]", self.builtin("list"), inner(ty)),
            (Type::List(ty), Position::Parameter) => format!("Sequence[{}]", inner(ty)),
            (Type::Map(ty), Position::Value) => {
                format!("{}[{}, {}]", self.builtin("dict"), self.builtin("str"), inner(ty))
            }
            (Type::Map(ty), Position::Parameter) => format!("Mapping[{}, {}]", self.builtin("str"), inner(ty)),
            (Type::Defined(index), _) => self.named.type_name(*index).to_owned(),
        }
    }

    fn builtin(&self, name: &str) -> String {
        if self.taken.contains(&name) { format!("builtins.{name}") } else { name.to_owned() }
    }
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
        check(literal("a\"b\\c\n\u{1}ä"), expect![[r#""a\"b\\c\n\u0001ä""#]]);
        check(bytes(b"a\"\\\n\xff"), expect![[r#"b"a\"\\\x0a\xff""#]]);
        check(tuple(&["1".into()]), expect!["(1,)"]);
    }

    #[test]
    fn documentation_cannot_end_its_docstring() {
        let check = |docs: &str, expected: &str| {
            let mut source = Source::new(INDENT);
            source.inside(|source| assert_eq!(docstring(source, docs), !expected.is_empty()));
            assert_eq!(source.text(), expected);
        };
        check("One line.", "    \"\"\"One line.\"\"\"\n");
        check("a \"\"\" b \\n \"quoted\"", "    \"\"\"a \"\"\\\" b \\\\n \"quoted\\\"\"\"\"\n");
        check("First.\n\n\tSecond \\", "    \"\"\"First.\n\n     Second \\\\\n    \"\"\"\n");
        check(" ", "");
    }
}
