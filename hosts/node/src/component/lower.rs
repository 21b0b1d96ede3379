//! JavaScript that checks the package's values and converts them to jco's.

use tierup_codegen::source::Source;
use tierup_model::Type;

use super::shapes::{CaseShape, Property, Shape, Shapes, Value, key, no_fields, typed_array};
use crate::names::{is_inherited, literal, one_of};

impl Shapes<'_> {
    /// An expression for a function that lowers a value of this type.
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
            Type::Defined(index) => format!("lower{}", self.named.type_name(*index)),
        }
    }

    /// The function that lowers a definition.
    pub(super) fn lower_definition(&self, source: &mut Source, index: usize) {
        let expected = literal(&one_of(self.named.definitions[index].cases()));
        let mut body = Source::piece();
        match self.of(index) {
            Shape::Record(properties) => {
                body.add(format!("return {};", self.lower_record(&properties)));
            }
            Shape::Words(cases) => {
                body.add("switch (value) {").inside(|body| {
                    for case in &cases {
                        body.add(format!("case {}:\n    return {};", literal(case.ours), literal(case.jcos)));
                    }
                    body.add(format!("default:\n    throw expected({expected}, value);"));
                });
                body.add("}");
            }
            Shape::Enum(cases) => {
                body.add("switch (object(value).type) {").inside(|body| {
                    for case in &cases {
                        let lowered = self.lower_case(case);
                        body.add(format!("case {}:", literal(case.ours))).add_inside(format!("return {lowered};"));
                    }
                    body.add(format!("default:\n    throw within('.type', expected({expected}, value.type));"));
                });
                body.add("}");
            }
        }
        let name = self.lowerer(&Type::Defined(index));
        source.gap(1).add(format!("function {name}(value) {{")).add_inside(body.text()).add("}");
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
            Value::Named(properties) => format!("(value) => ({})", self.lower_record(properties)),
        };
        format!("{{ tag: {tag}, val: field(value, 'value', {lower}) }}")
    }

    fn lower_record(&self, properties: &[Property<'_>]) -> String {
        if properties.is_empty() {
            return format!("object(value) && {}", no_fields());
        }
        let lines = properties.iter().map(|property| {
            let (jcos, ours, lower) = (key(&property.jcos), literal(property.ours), self.lowerer(property.ty));
            let read = if is_inherited(property.ours) { "ownField" } else { "field" };
            format!("    {jcos}: {read}(value, {ours}, {lower}),\n")
        });
        format!("object(value) && {{\n{}}}", lines.collect::<String>())
    }
}
