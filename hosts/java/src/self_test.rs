//! `Interface`, of the package's own tests: the types as data, from which they make edge values.

use tierup_codegen::named::{Named, NamedDefinition, NamedKind, NamedValue};
use tierup_codegen::source::Source;
use tierup_model::Type;

use crate::source::{HEADER, INDENT, called_in_lines, literal};

/// The file's source. It lies in a package of its own, so that no type of the user's is mistaken for one of the tests'.
pub(crate) fn interface(named: &Named<'_>, package: &str) -> String {
    let definitions =
        named.definitions.iter().map(|definition| self::definition(definition, package)).collect::<Vec<_>>();
    let functions = named
        .functions
        .iter()
        .map(|function| format!("new Signature({}, {})", literal(&function.name), list(&function.parameters)))
        .collect::<Vec<_>>();
    let mut source = Source::new(INDENT);
    source.add_as_is(HEADER).add(format!(
        "
        package {package}.selftest;

        import static {package}.selftest.Type.Plain.*;
        import static {package}.selftest.Type.Whole.*;

        import {package}.selftest.Type.*;

        import java.util.List;

        /** The interface that this package was made from, as data. */
        final class Interface {{
        "
    ));
    source.inside(|source| {
        called_in_lines(source, "static final List<Definition> DEFINITIONS = List.of", &definitions);
        source.gap(1);
        called_in_lines(source, "static final List<Signature> FUNCTIONS = List.of", &functions);
        source.gap(1).add("private Interface() {}");
    });
    source.add("}");
    source.into_text()
}

fn definition(definition: &NamedDefinition<'_>, package: &str) -> String {
    let name = format!("{package}.{}", definition.name);
    let case = |name: &str, fields: &[NamedValue<'_>]| format!("new Definition.Case({name}.class, {})", list(fields));
    match &definition.kind {
        NamedKind::Record(fields) => format!("Definition.of({})", case(&name, fields)),
        NamedKind::Words(_) => format!("Definition.of({name}.values())"),
        NamedKind::Cases(cases) => {
            let cases: Vec<_> = cases.iter().map(|one| case(&format!("{name}.{}", one.name), &one.fields)).collect();
            format!("Definition.of({})", cases.join(", "))
        }
    }
}

fn list(values: &[NamedValue<'_>]) -> String {
    let types: Vec<_> = values.iter().map(|value| ty(value.ty)).collect();
    format!("List.of({})", types.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Bool => "BOOL".into(),
        Type::Integer(integer) => integer.rust().to_uppercase(),
        Type::F32 => "F32".into(),
        Type::F64 => "F64".into(),
        Type::Text => "TEXT".into(),
        Type::Bytes => "BYTES".into(),
        Type::Optional(inner) => format!("new Maybe({})", self::ty(inner)),
        Type::List(inner) => format!("new Many({})", self::ty(inner)),
        Type::Map(inner) => format!("new Keyed({})", self::ty(inner)),
        Type::Defined(index) => format!("new Defined({index})"),
    }
}
