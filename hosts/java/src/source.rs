//! Writing Java: literals, types.

use tierup_codegen::named::Named;
use tierup_codegen::source::{Source, mentions};
use tierup_model::{Integer, Type};

pub(crate) const INDENT: &str = "    ";

/// Longer lines are broken.
pub(crate) const LONGEST_LINE: usize = 120;

/// The line that opens every generated file.
pub(crate) const HEADER: &str = "// Made by tierup from the signatures in your crate. Do not edit.\n";

/// A string literal. For bytes that are not UTF-8, see [`bytes_literal`].
pub(crate) fn literal(text: &str) -> String {
    let mut literal = String::from("\"");
    for c in text.chars() {
        match c {
            '\\' => literal.push_str("\\\\"),
            '"' => literal.push_str("\\\""),
            '\n' => literal.push_str("\\n"),
            c if (c as u32) < 0x100 && c.is_control() => literal.push_str(&format!("\\{:03o}", c as u32)),
            c => literal.push(c),
        }
    }
    literal + "\""
}

/// Bytes as an expression: a string with a character for each byte. A string constant in Java has at most 65,535 bytes.
pub(crate) fn bytes_literal(bytes: &[u8]) -> String {
    let text = |bytes: &[u8]| {
        let escaped: String = bytes
            .iter()
            .map(|byte| match byte {
                b'"' | b'\\' => format!("\\{}", char::from(*byte)),
                b' '..=b'~' => char::from(*byte).to_string(),
                byte => format!("\\{byte:03o}"),
            })
            .collect();
        format!("\"{escaped}\"")
    };
    let parts: Vec<_> = bytes.chunks(30_000).map(text).collect();
    match &parts[..] {
        [] => "new byte[0]".to_owned(),
        [part] => format!("{part}.getBytes(StandardCharsets.ISO_8859_1)"),
        parts => format!("String.join(\"\", {}).getBytes(StandardCharsets.ISO_8859_1)", parts.join(", ")),
    }
}

/// How Java spells the types of an interface.
pub(crate) struct Types<'a> {
    pub(crate) named: &'a Named<'a>,
}

impl Types<'_> {
    /// The type of a parameter, a field or an answer.
    pub(crate) fn spell(&self, ty: &Type) -> String {
        primitive(ty).map_or_else(|| self.boxed(ty), |(name, _)| name.to_owned())
    }

    /// The type as a type argument: `Integer` for `int`.
    pub(crate) fn boxed(&self, ty: &Type) -> String {
        match ty {
            Type::Text => "String".into(),
            Type::Bytes => "byte[]".into(),
            Type::Optional(inner) => format!("Optional<{}>", self.boxed(inner)),
            Type::List(inner) => format!("List<{}>", self.boxed(inner)),
            Type::Map(inner) => format!("Map<String, {}>", self.boxed(inner)),
            Type::Defined(index) => self.named.type_name(*index).to_owned(),
            number => primitive(number).map(|(_, boxed)| boxed.to_owned()).unwrap_or_default(),
        }
    }

    /// The return type of a function.
    pub(crate) fn output(&self, ty: Option<&Type>) -> String {
        ty.map_or_else(|| "void".to_owned(), |ty| self.spell(ty))
    }
}

/// The primitive and boxed names of a type. An unsigned integer takes the next larger type; there is none for 64 bits.
fn primitive(ty: &Type) -> Option<(&'static str, &'static str)> {
    Some(match ty {
        Type::Bool => ("boolean", "Boolean"),
        Type::Integer(Integer::I8) => ("byte", "Byte"),
        Type::Integer(Integer::I16) => ("short", "Short"),
        Type::Integer(Integer::I32 | Integer::U8 | Integer::U16) => ("int", "Integer"),
        Type::Integer(Integer::I64 | Integer::Isize | Integer::U32 | Integer::U64 | Integer::Usize) => ("long", "Long"),
        Type::F32 => ("float", "Float"),
        Type::F64 => ("double", "Double"),
        _ => return None,
    })
}

/// Whether a value uses all 64 bits without a sign. No type in Java expresses that.
pub(crate) fn is_unsigned_long(ty: &Type) -> bool {
    match ty {
        Type::Integer(integer) => matches!(integer, Integer::U64 | Integer::Usize),
        Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => is_unsigned_long(inner),
        _ => false,
    }
}

/// Whether a value holds bytes outside a record of its own. A Java array equals only itself.
pub(crate) fn holds_bytes(ty: &Type) -> bool {
    match ty {
        Type::Bytes => true,
        Type::Optional(inner) | Type::List(inner) | Type::Map(inner) => holds_bytes(inner),
        _ => false,
    }
}

/// A file of a package. It imports those of the `candidates` that the body mentions.
pub(crate) fn file(package: &str, body: &Source, candidates: &[&str]) -> String {
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER).add(format!("package {package};")).gap(1);
    let is_mentioned = |class: &&str| mentions(body.text(), class.rsplit('.').next().unwrap_or_default());
    let mut imports: Vec<_> = candidates.iter().copied().filter(is_mentioned).collect();
    imports.sort_unstable();
    for class in &imports {
        source.add(format!("import {class};"));
    }
    source.gap(usize::from(!imports.is_empty()));
    source.into_text() + body.text()
}

/// [`file`] for a body that may need these classes of the package's `internal`.
pub(crate) fn file_with_internal(package: &str, body: &Source, names: &[&str]) -> String {
    let internal: Vec<_> = names.iter().map(|name| format!("{package}.internal.{name}")).collect();
    let candidates: Vec<_> = UTILITIES.into_iter().chain(internal.iter().map(String::as_str)).collect();
    file(package, body, &candidates)
}

/// Adds a statement that ends in a call, with each of the call's arguments on a line of its own.
pub(crate) fn called_in_lines(source: &mut Source, statement: &str, arguments: &[String]) {
    let Some((last, others)) = arguments.split_last() else {
        source.add(format!("{statement}();"));
        return;
    };
    // Indented twice, as continuation lines are.
    source.add(format!("{statement}(")).inside(|source| {
        for argument in others {
            source.add_inside(format!("{argument},"));
        }
        source.add_inside(format!("{last});"));
    });
}

/// The Java classes that any generated file may need.
pub(crate) const UTILITIES: [&str; 3] = ["java.util.List", "java.util.Map", "java.util.Optional"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(literal("a\"b\\u0022c\n\u{1}ä"), "\"a\\\"b\\\\u0022c\\n\\001ä\"");
        assert_eq!(bytes_literal(b"\x01\xff\"2"), r#""\001\377\"2".getBytes(StandardCharsets.ISO_8859_1)"#);
        assert_eq!(bytes_literal(b""), "new byte[0]");
        assert!(bytes_literal(&[0; 40_000]).starts_with("String.join(\"\", \"\\000"));
    }

    #[test]
    fn only_mentioned_classes_are_imported() {
        let mut body = Source::new(INDENT);
        body.add("Optional<Byte> x; Lists y; a.Map z;");
        let expected = format!("{HEADER}package p;\n\nimport java.util.Optional;\n\n{}", body.text());
        assert_eq!(file("p", &body, &UTILITIES), expected);
    }
}
