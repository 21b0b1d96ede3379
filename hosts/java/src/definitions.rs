//! A file for each type. A Rust record becomes a Java record. An enum with fields in its cases becomes a sealed
//! interface of records; other enums become Java enums.

use tierup_codegen::named::{NamedCase, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;

use crate::docs::{comment, parameter};
use crate::source::{INDENT, LONGEST_LINE, Types, file_with_internal, holds_bytes, is_unsigned_long, literal};

/// The source of a definition's file.
pub(crate) fn definition(definition: &NamedDefinition<'_>, package: &str, types: &Types<'_>) -> String {
    let mut body = Source::new(INDENT);
    match &definition.kind {
        NamedKind::Record(fields) => {
            record(&mut body, definition.docs, &format!("public record {}", definition.name), "", fields, types);
        }
        NamedKind::Words(cases) => words(&mut body, definition, cases),
        NamedKind::Cases(cases) => sealed(&mut body, definition, cases, types),
    }
    file_with_internal(package, &body, &["Values"])
}

/// An interface that only the cases implement.
fn sealed(source: &mut Source, definition: &NamedDefinition<'_>, cases: &[NamedCase<'_>], types: &Types<'_>) {
    let name = &definition.name;
    comment(source, definition.docs, &[]);
    source.add(format!("public sealed interface {name} {{")).inside(|source| {
        for case in cases {
            source.gap(usize::from(case.number > 0));
            let (head, implements) = (format!("record {}", case.name), format!(" implements {name}"));
            record(source, case.docs, &head, &implements, &case.fields, types);
        }
    });
    source.add("}");
}

fn record(source: &mut Source, docs: &str, head: &str, implements: &str, fields: &[NamedValue<'_>], types: &Types<'_>) {
    let tags: Vec<String> = fields
        .iter()
        .filter_map(|field| {
            let mut docs = field.docs.to_owned();
            if is_unsigned_long(field.ty) {
                docs = format!("{docs} {UNSIGNED}");
            }
            (!docs.trim().is_empty()).then(|| parameter(&field.name, &docs))
        })
        .collect();
    comment(source, docs, &tags);
    let components: Vec<_> = fields.iter().map(|field| format!("{} {}", types.spell(field.ty), field.name)).collect();
    let line = format!("{head}({}){implements} {{", components.join(", "));
    let line = match source.column() + line.chars().count() <= LONGEST_LINE {
        true => line,
        false => format!("{head}(\n        {}){implements} {{", components.join(",\n        ")),
    };
    if !fields.iter().any(|field| holds_bytes(field.ty)) {
        source.add(line + "}");
        return;
    }
    let name = head.rsplit(' ').next().unwrap_or_default();
    source.add(line).inside(|source| equality(source, name, fields));
    source.add("}");
}

/// The documentation of an unsigned number whose Java type is signed.
pub(crate) const UNSIGNED: &str = "64 bits without a sign: see `Long.toUnsignedString`, `Long.compareUnsigned`.";

/// Methods that compare bytes by content, as Java's records compare arrays by identity.
fn equality(source: &mut Source, record: &str, fields: &[NamedValue<'_>]) {
    let names = || fields.iter().map(|field| &field.name);
    let equal: String = names().map(|name| format!("\n        && Values.equal({name}, tierupOther.{name})")).collect();
    let hash = names().fold("1".to_owned(), |hash, name| {
        let hash = if hash == "1" { hash } else { format!("({hash})") };
        format!("31 * {hash} + Values.hash({name})")
    });
    source.add("/** By the content of bytes, too. */\n@Override\npublic boolean equals(Object other) {");
    source.add_inside(format!("return other instanceof {record} tierupOther{equal};")).add("}").gap(1);
    source.add("@Override\npublic int hashCode() {").add_inside(format!("return {hash};")).add("}");
}

/// An enum whose cases have no fields. It is printed as the case's name in Rust.
fn words(source: &mut Source, definition: &NamedDefinition<'_>, cases: &[NamedCase<'_>]) {
    let name = &definition.name;
    comment(source, definition.docs, &[]);
    source.add(format!("public enum {name} {{")).inside(|source| {
        for case in cases {
            let end = if case.number + 1 < cases.len() { "," } else { ";" };
            comment(source, case.docs, &[]);
            source.add(format!("{}({}){end}", case.name, literal(case.rust)));
        }
        source.gap(1).add(format!(
            "
            private final String word;

            {name}(String word) {{
                this.word = word;
            }}

            /** The word for it in Rust. */
            @Override
            public String toString() {{
                return word;
            }}
            "
        ));
    });
    source.add("}");
}
