//! JavaScript that checks the package's values and makes jco's of them.

use std::fmt::Write as _;

use tierup_model::Type;

use super::shapes::{CaseShape, Property, Shape, Shapes, Value, key, no_fields, typed_array};
use crate::names::{is_inherited, literal};

impl Shapes<'_> {
    /// A function, as an expression, that lowers a value of that type.
    pub(super) fn lowerer(&self, ty: &Type) -> String {
        let inner = |ty: &Type| self.lowerer(ty);
        match ty {
            Type::Bool => "boolean".to_owned(),
            Type::Integer(integer) => integer.rust().to_owned(),
            Type::F32 | Type::F64 => "number".to_owned(),
            Type::Text => "text".to_owned(),
            Type::Bytes => "bytes".to_owned(),
            Type::Optional(ty) => format!("(value) => optional(value, {})", inner(ty)),
            Type::List(ty) => match typed_array(ty) {
                Some(array) => format!("(value) => list(value, {}, new {array}(array(value).length))", inner(ty)),
                None => format!("(value) => list(value, {}, [])", inner(ty)),
            },
            Type::Map(ty) => format!("(value) => map(value, {})", inner(ty)),
            Type::Defined(index) => format!("lower{}", self.names.definitions[*index].output),
        }
    }

    /// The function that lowers a definition.
    pub(super) fn lower_definition(&self, index: usize) -> String {
        let name = self.lowerer(&Type::Defined(index));
        let body = match self.of(index) {
            Shape::Record(properties) => format!("  return {};\n", self.lower_record(&properties, "  ")),
            Shape::Words(cases) => {
                let mut body = "  switch (value) {\n".to_owned();
                for case in &cases {
                    let _ = writeln!(body, "    case {}:\n      return {};", literal(case.ours), literal(case.jcos));
                }
                body + &format!("    default:\n      throw expected({}, value);\n  }}\n", literal(&one_of(&cases)))
            }
            Shape::Enum(cases) => {
                let mut body = "  switch (object(value).type) {\n".to_owned();
                for case in &cases {
                    let lowered = self.lower_case(case);
                    let _ = writeln!(body, "    case {}:\n      return {lowered};", literal(case.ours));
                }
                let expected = literal(&one_of(&cases));
                body + &format!("    default:\n      throw within('.type', expected({expected}, value.type));\n  }}\n")
            }
        };
        format!("function {name}(value) {{\n{body}}}\n")
    }

    fn lower_case(&self, case: &CaseShape<'_>) -> String {
        let tag = literal(case.jcos);
        let lower = match &case.value {
            Value::None => return format!("{{ tag: {tag} }}"),
            Value::One(ty) => self.lowerer(ty),
            Value::Several(types) => {
                let item = |(at, ty): (usize, &&Type)| format!("item(value, {at}, {})", self.lowerer(ty));
                let items: Vec<_> = types.iter().enumerate().map(item).collect();
                format!("(value) => tuple(value, {}) && [{}]", types.len(), items.join(", "))
            }
            Value::Named(properties) => format!("(value) => ({})", self.lower_record(properties, "      ")),
        };
        format!("{{ tag: {tag}, val: field(value, 'value', {lower}) }}")
    }

    fn lower_record(&self, properties: &[Property<'_>], indent: &str) -> String {
        if properties.is_empty() {
            return format!("object(value) && {}", no_fields());
        }
        let mut text = "object(value) && {\n".to_owned();
        for property in properties {
            let (jcos, ours, lower) = (key(&property.jcos), literal(property.ours), self.lowerer(property.ty));
            let read = if is_inherited(property.ours) { "ownField" } else { "field" };
            let _ = writeln!(text, "{indent}  {jcos}: {read}(value, {ours}, {lower}),");
        }
        text + indent + "}"
    }
}

/// For errors: `"Red", "Green" or "Blue"`.
fn one_of(cases: &[CaseShape<'_>]) -> String {
    let tags: Vec<_> = cases.iter().map(|case| format!("{:?}", case.ours)).collect();
    match tags.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => tags.concat(),
    }
}
