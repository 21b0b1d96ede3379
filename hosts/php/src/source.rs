//! Writing PHP: the start of a file, documentation, and types in the notation of PHP, PHPStan and Psalm.

use tierup_codegen::named::{Named, NamedValue};
use tierup_codegen::source::Source;
use tierup_model::{Integer, Type};

pub(crate) const INDENT: &str = "    ";

/// The start of a generated file in a namespace.
pub(crate) fn file(namespace: &str) -> Source {
    let mut source = Source::new(INDENT);
    source.add_as_is(
        "<?php\n\n// Made by tierup from the signatures in your crate; changes here are lost at the next build.\n",
    );
    source.gap(1).add("declare(strict_types=1);").gap(1).add(format!("namespace {namespace};")).gap(1);
    source
}

/// Adds a documentation comment with these docs and tags, unless both are empty.
pub(crate) fn comment(source: &mut Source, docs: &str, tags: &[String]) {
    let docs = docs.trim();
    if docs.is_empty() && tags.is_empty() {
        return;
    }
    let mut text = String::from("/**\n");
    let lines = docs.lines().map(escaped).chain((!docs.is_empty() && !tags.is_empty()).then(String::new));
    for line in lines.chain(tags.iter().cloned()) {
        text.push_str(format!(" * {line}").trim_end());
        text.push('\n');
    }
    text.push_str(" */");
    source.add(text);
}

/// Escapes a line of documentation, so that it neither ends its comment nor begins a tag.
fn escaped(line: &str) -> String {
    let plain: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = plain.trim_end().replace("*/", "* /").replace("{@", "{\\@");
    match line.trim_start().strip_prefix('@') {
        Some(tag) => format!("\\@{tag}"),
        None => line,
    }
}

/// A type in PHP's notation.
pub(crate) fn declared(named: &Named<'_>, ty: &Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Integer(Integer::U64 | Integer::Usize) => "int|string".to_owned(),
        Type::Integer(_) => "int".to_owned(),
        Type::F32 | Type::F64 => "float".to_owned(),
        Type::Text | Type::Bytes => "string".to_owned(),
        Type::List(_) | Type::Map(_) => "array".to_owned(),
        Type::Defined(number) => class(named, *number),
        Type::Optional(inner) => match declared(named, inner) {
            several if several.contains('|') => format!("{several}|null"),
            one => format!("?{one}"),
        },
    }
}

/// A type in the notation of PHPStan and Psalm.
pub(crate) fn precise(named: &Named<'_>, ty: &Type) -> String {
    match ty {
        Type::Integer(Integer::U64 | Integer::Usize) => "int<0, max>|numeric-string".to_owned(),
        Type::Integer(Integer::U8) => "int<0, 255>".to_owned(),
        Type::Integer(Integer::I8) => "int<-128, 127>".to_owned(),
        Type::Integer(Integer::U16) => "int<0, 65535>".to_owned(),
        Type::Integer(Integer::I16) => "int<-32768, 32767>".to_owned(),
        Type::Integer(Integer::U32) => "int<0, 4294967295>".to_owned(),
        Type::Integer(Integer::I32) => "int<-2147483648, 2147483647>".to_owned(),
        Type::List(inner) => format!("list<{}>", precise(named, inner)),
        // A key such as "12" is an int in a PHP array.
        Type::Map(inner) => format!("array<array-key, {}>", precise(named, inner)),
        Type::Optional(inner) => format!("{}|null", precise(named, inner)),
        plain => declared(named, plain),
    }
}

/// The name of a type's class, by the definition's number.
pub(crate) fn class(named: &Named<'_>, number: usize) -> String {
    format!("\\{}\\{}", crate::names::namespace(&named.interface.package), named.type_name(number))
}

/// Parameters in PHP's notation. Optional ones at the end may be omitted in a call.
pub(crate) fn parameters(
    named: &Named<'_>,
    values: &[NamedValue<'_>],
    before: &str,
    optional_from: usize,
) -> Vec<String> {
    let each = values.iter().enumerate().map(|(place, value)| {
        let default = if place >= optional_from { " = null" } else { "" };
        format!("{before}{} ${}{default}", declared(named, value.ty), value.name)
    });
    each.collect()
}

/// A `@param` tag for each value.
pub(crate) fn tags(named: &Named<'_>, values: &[NamedValue<'_>]) -> Vec<String> {
    let each = values.iter().map(|value| {
        let docs = value.docs.lines().map(escaped).collect::<Vec<_>>().join(" ");
        format!("@param {} ${} {docs}", precise(named, value.ty), value.name).trim_end().to_owned()
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_documentation_ends_its_comment() {
        let mut source = Source::new(INDENT);
        comment(&mut source, "One */ two\n\n  @param nothing\n{@link x}", &["@return int".to_owned()]);
        let expected = "/**\n * One * / two\n *\n * \\@param nothing\n * {\\@link x}\n *\n * @return int\n */\n";
        assert_eq!(source.text(), expected);
    }
}
