//! JavaScript that converts jco's values to the package's. Values that are equal on both sides pass unchanged.

use tierup_codegen::source::Source;
use tierup_model::Type;

use super::shapes::{CaseShape, Property, Shape, Shapes, Value, key, member, typed_array};
use crate::names::literal;

impl Shapes<'_> {
    /// An expression for a function that lifts a value of this type. `None` if both sides have the same value.
    pub(super) fn lifter(&self, ty: &Type) -> Option<String> {
        let lifted = self.lift(ty, "value")?;
        let name = lifted.strip_suffix("(value)").filter(|name| name.chars().all(char::is_alphanumeric));
        Some(name.map_or_else(|| format!("(value) => {lifted}"), str::to_owned))
    }

    /// An expression that lifts `value`, which it may contain several times. `None` if both sides have the same value.
    fn lift(&self, ty: &Type, value: &str) -> Option<String> {
        match ty {
            Type::Bool | Type::Integer(_) | Type::F32 | Type::F64 | Type::Text => None,
            Type::Bytes => Some(format!("buffer({value})")),
            Type::Optional(ty) => Some(match self.lift(ty, value) {
                None => format!("orNull({value})"),
                Some(lifted) => format!("({value} === undefined ? null : {lifted})"),
            }),
            Type::List(ty) if typed_array(ty).is_some() => Some(format!("plainArray({value})")),
            Type::List(ty) => self.lifter(ty).map(|lift| format!("{value}.map({lift})")),
            Type::Map(ty) => Some(match self.lift(ty, "value") {
                None => format!("mapOf({value}, same)"),
                Some(lifted) => format!("mapOf({value}, (value) => {lifted})"),
            }),
            Type::Defined(index) => match self.of(*index) {
                Shape::Record(properties) if self.is_same_record(&properties) => None,
                _ => Some(format!("{}({value})", self.lift_name(*index))),
            },
        }
    }

    fn lift_name(&self, index: usize) -> String {
        format!("lift{}", self.named.type_name(index))
    }

    /// The function that lifts a definition, unless its values are the same on both sides.
    pub(super) fn lift_definition(&self, source: &mut Source, index: usize) {
        if self.lift(&Type::Defined(index), "value").is_none() {
            return;
        }
        let mut body = Source::piece();
        match self.of(index) {
            Shape::Record(properties) => {
                body.add(format!("return {};", self.lift_record(&properties, "value")));
            }
            Shape::Words(cases) => {
                body.add("switch (value) {");
                let lift = |case: &CaseShape<'_>| (case.jcos.to_owned(), literal(case.ours));
                add_cases(&mut body, cases.iter().map(lift));
            }
            Shape::Enum(cases) => {
                body.add("const { val } = value;\nswitch (value.tag) {");
                let lift = |case: &CaseShape<'_>| (case.jcos.to_owned(), self.lift_case(case));
                add_cases(&mut body, cases.iter().map(lift));
            }
        }
        let name = self.lift_name(index);
        source.gap(1).add(format!("function {name}(value) {{")).add_inside(body.text()).add("}");
    }

    fn lift_case(&self, case: &CaseShape<'_>) -> String {
        let tag = literal(case.ours);
        let value = match &case.value {
            Value::None => return format!("{{ type: {tag} }}"),
            Value::One(ty) => self.lifted(ty, "val"),
            Value::Several(types) if types.iter().all(|ty| self.lift(ty, "").is_none()) => "val".to_owned(),
            Value::Several(types) => {
                let items: Vec<_> =
                    types.iter().enumerate().map(|(at, ty)| self.lifted(ty, &format!("val[{at}]"))).collect();
                format!("[{}]", items.join(", "))
            }
            Value::Named(properties) if self.is_same_record(properties) => "val".to_owned(),
            Value::Named(properties) => self.lift_record(properties, "val"),
        };
        format!("{{ type: {tag}, value: {value} }}")
    }

    /// An object literal.
    fn lift_record(&self, properties: &[Property<'_>], value: &str) -> String {
        if properties.is_empty() {
            return "{}".to_owned();
        }
        let lines = properties.iter().map(|property| {
            let lifted = self.lifted(property.ty, &member(value, &property.jcos));
            format!("    {}: {lifted},\n", key(property.ours))
        });
        format!("{{\n{}}}", lines.collect::<String>())
    }

    fn lifted(&self, ty: &Type, value: &str) -> String {
        self.lift(ty, value).unwrap_or_else(|| value.to_owned())
    }

    fn is_same_record(&self, properties: &[Property<'_>]) -> bool {
        let is_same = |property: &Property<'_>| property.jcos == property.ours && self.lift(property.ty, "").is_none();
        // A record without fields has one field in jco's form.
        !properties.is_empty() && properties.iter().all(is_same)
    }
}

/// The rest of a `switch`: for each of jco's words, the lifted value. jco passes only existing cases.
fn add_cases(body: &mut Source, cases: impl Iterator<Item = (String, String)>) {
    body.inside(|body| {
        for (jcos, lifted) in cases {
            body.add(format!("case {}:", literal(&jcos))).add_inside(format!("return {lifted};"));
        }
        body.add("default:\n    throw new TransportError('the component answered with an unknown case');");
    });
    body.add("}");
}
