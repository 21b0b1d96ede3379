//! `tests/interface.py`: the types as data, from which the package's own tests make edge values.

use tierup_codegen::named::{Named, NamedDefinition, NamedKind, NamedValue};
use tierup_model::Type;

use crate::source::{file, literal};

/// The file's source.
pub(crate) fn interface(named: &Named<'_>) -> String {
    let mut source = file("The types as data, for `edge_values.py`.");
    source.gap(1).add(
        r#"
        # Classes by name with the types of their fields, one for a record and several for an enum; or the name of an
        # enumeration. `("defined", 0)` is the first of them.
        DEFINITIONS = [
        "#,
    );
    source.inside(|source| {
        for definition in &named.definitions {
            source.add(format!("{},", self::definition(definition)));
        }
    });
    source.add("]").gap(1).add("# The functions with the types of their parameters.\nFUNCTIONS = [");
    source.inside(|source| {
        for function in &named.functions {
            source.add(format!("{},", class(&function.name, &function.parameters)));
        }
    });
    source.add("]");
    source.into_text()
}

fn definition(definition: &NamedDefinition<'_>) -> String {
    match &definition.kind {
        NamedKind::Record(fields) => format!("[{}]", class(&definition.name, fields)),
        NamedKind::Words(_) => literal(&definition.name),
        NamedKind::Cases(cases) => {
            let cases: Vec<_> = cases.iter().map(|case| class(&case.name, &case.fields)).collect();
            format!("[{}]", cases.join(", "))
        }
    }
}

/// A name and types.
fn class(name: &str, fields: &[NamedValue<'_>]) -> String {
    let types: Vec<_> = fields.iter().map(|field| ty(field.ty)).collect();
    format!("({}, [{}])", literal(name), types.join(", "))
}

fn ty(ty: &Type) -> String {
    match ty {
        Type::Bool => "\"bool\"".into(),
        Type::Integer(integer) => literal(integer.rust()),
        Type::F32 => "\"f32\"".into(),
        Type::F64 => "\"f64\"".into(),
        Type::Text => "\"text\"".into(),
        Type::Bytes => "\"bytes\"".into(),
        Type::Optional(inner) => format!("(\"optional\", {})", self::ty(inner)),
        Type::List(inner) => format!("(\"list\", {})", self::ty(inner)),
        Type::Map(inner) => format!("(\"map\", {})", self::ty(inner)),
        Type::Defined(index) => format!("(\"defined\", {index})"),
    }
}
