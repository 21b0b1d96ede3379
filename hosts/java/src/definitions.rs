//! A file for each type: a record for a record, a sealed interface with records for an enum that carries something, an
//! enum for one that does not.

use std::fmt::Write as _;

use tierup_model::{Case, Definition, DefinitionKind, Field, Payload, Type};

use crate::docs::{comment, parameter};
use crate::names::DefinitionNames;
use crate::source::{HEADER, Types, UTILITIES, holds_bytes, imports, is_unsigned_long, literal};

/// The source of a definition's file.
pub(crate) fn definition(definition: &Definition, names: &DefinitionNames, package: &str, types: &Types<'_>) -> String {
    let body = match &definition.kind {
        DefinitionKind::Record(fields) => {
            let fields = named(fields);
            structure(&definition.docs, &names.name, "", &fields, &names.fields, types, "")
        }
        DefinitionKind::Enum(cases) if definition.is_plain_enum() => words(definition, cases, names),
        DefinitionKind::Enum(cases) => sealed(definition, cases, names, types),
    };
    let values = format!("{package}.internal.Values");
    let candidates: Vec<&str> = UTILITIES.into_iter().chain([values.as_str()]).collect();
    format!("{HEADER}package {package};\n\n{}{body}", imports(&body, &candidates))
}

/// A component: its type and its documentation.
type Component<'a> = (&'a Type, &'a str);

fn named(fields: &[Field]) -> Vec<Component<'_>> {
    fields.iter().map(|field| (&field.ty, field.docs.as_str())).collect()
}

/// An interface that only the cases implement.
fn sealed(definition: &Definition, cases: &[Case], names: &DefinitionNames, types: &Types<'_>) -> String {
    let name = &names.name;
    let mut text = format!("{}public sealed interface {name} {{\n", comment(&definition.docs, &[], ""));
    for (at, (case, names)) in cases.iter().zip(&names.cases).enumerate() {
        let fields = match &case.payload {
            Payload::None => vec![],
            Payload::Tuple(types) => types.iter().map(|(ty, _)| (ty, "")).collect(),
            Payload::Named(fields) => named(fields),
        };
        text.push_str(if at > 0 { "\n" } else { "" });
        let implements = format!(" implements {name}");
        text += &structure(&case.docs, &names.name, &implements, &fields, &names.fields, types, "    ");
    }
    text + "}\n"
}

fn structure(
    docs: &str,
    name: &str,
    implements: &str,
    fields: &[Component<'_>],
    names: &[String],
    types: &Types<'_>,
    indent: &str,
) -> String {
    let tags: Vec<String> = fields
        .iter()
        .zip(names)
        .filter_map(|((ty, docs), name)| {
            let mut docs = (*docs).to_owned();
            if is_unsigned_long(ty) {
                docs = format!("{docs} {UNSIGNED}");
            }
            (!docs.trim().is_empty()).then(|| parameter(name, &docs))
        })
        .collect();
    let components: Vec<String> =
        fields.iter().zip(names).map(|((ty, _), name)| format!("{} {name}", types.of(ty))).collect();
    let public = if indent.is_empty() { "public " } else { "" };
    let line = format!("{indent}{public}record {name}({}){implements} {{", components.join(", "));
    let line = if line.chars().count() <= 120 {
        line
    } else {
        let gap = format!(",\n{indent}        ");
        format!("{indent}{public}record {name}(\n{indent}        {}){implements} {{", components.join(&gap))
    };
    let mut text = comment(docs, &tags, indent) + &line;
    if fields.iter().any(|(ty, _)| holds_bytes(ty)) {
        text.push('\n');
        text += &equality(name, fields, names, &format!("{indent}    "));
        text += indent;
    }
    text + "}\n"
}

/// What is said of a number whose type has a sign that it does not have itself.
pub(crate) const UNSIGNED: &str = "64 bits without a sign: see `Long.toUnsignedString`, `Long.compareUnsigned`.";

/// Records compare arrays by identity; bytes are compared by content.
fn equality(name: &str, fields: &[Component<'_>], names: &[String], indent: &str) -> String {
    let gap = format!("\n{indent}            && ");
    let equal: Vec<_> = names.iter().map(|name| format!("Values.equal({name}, tierupOther.{name})")).collect();
    let hash = names.iter().fold("1".to_owned(), |hash, name| {
        let hash = if hash == "1" { hash } else { format!("({hash})") };
        format!("31 * {hash} + Values.hash({name})")
    });
    debug_assert_eq!(fields.len(), names.len());
    format!(
        "{indent}/** By the content of bytes, too. */\n{indent}@Override\n\
         {indent}public boolean equals(Object other) {{\n\
         {indent}    return other instanceof {name} tierupOther\n{indent}            && {};\n{indent}}}\n\n\
         {indent}@Override\n{indent}public int hashCode() {{\n{indent}    return {hash};\n{indent}}}\n",
        equal.join(&gap)
    )
}

/// An enum none of whose cases carries anything. Printed, it is Rust's word for it.
fn words(definition: &Definition, cases: &[Case], names: &DefinitionNames) -> String {
    let name = &names.name;
    let mut text = format!("{}public enum {name} {{\n", comment(&definition.docs, &[], ""));
    for (at, (case, names)) in cases.iter().zip(&names.cases).enumerate() {
        let end = if at + 1 < cases.len() { "," } else { ";" };
        let _ = writeln!(text, "{}    {}({}){end}", comment(&case.docs, &[], "    "), names.name, literal(&case.name));
    }
    text + &format!(
        "\n    private final String word;\n\n    {name}(String word) {{\n        this.word = word;\n    }}\n\n\
         \x20   /** The word for it in Rust. */\n    @Override\n    public String toString() {{\n        return word;\n    }}\n}}\n"
    )
}
