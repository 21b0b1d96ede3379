//! JavaScript that makes the package's values of jco's. What is alike on both sides goes straight through.

use std::fmt::Write as _;

use tierup_model::Type;

use super::shapes::{CaseShape, Property, Shape, Shapes, Value, key, member, typed_array};
use crate::names::literal;

impl Shapes<'_> {
    /// A function, as an expression, that lifts a value of that type. `None`: both sides have the same value.
    pub(super) fn lifter(&self, ty: &Type) -> Option<String> {
        let lifted = self.lift(ty, "value")?;
        let name = lifted.strip_suffix("(value)").filter(|name| name.chars().all(char::is_alphanumeric));
        Some(name.map_or_else(|| format!("(value) => {lifted}"), str::to_owned))
    }

    /// An expression that lifts `value`, which it may name several times. `None`: both sides have the same value.
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
        format!("lift{}", self.names.definitions[index].output)
    }

    /// The function that lifts a definition. `None`: it goes straight through.
    pub(super) fn lift_definition(&self, index: usize) -> Option<String> {
        self.lift(&Type::Defined(index), "value")?;
        let name = self.lift_name(index);
        let body = match self.of(index) {
            Shape::Record(properties) => format!("  return {};\n", self.lift_record(&properties, "value", "  ")),
            Shape::Words(cases) => {
                let mut body = "  switch (value) {\n".to_owned();
                for case in &cases {
                    let _ = writeln!(body, "    case {}:\n      return {};", literal(case.jcos), literal(case.ours));
                }
                body + UNKNOWN
            }
            Shape::Enum(cases) => {
                let mut body = "  const { val } = value;\n  switch (value.tag) {\n".to_owned();
                for case in &cases {
                    let lifted = self.lift_case(case);
                    let _ = writeln!(body, "    case {}:\n      return {lifted};", literal(case.jcos));
                }
                body + UNKNOWN
            }
        };
        Some(format!("function {name}(value) {{\n{body}}}\n"))
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
            Value::Named(properties) => self.lift_record(properties, "val", "      "),
        };
        format!("{{ type: {tag}, value: {value} }}")
    }

    fn lift_record(&self, properties: &[Property<'_>], value: &str, indent: &str) -> String {
        if properties.is_empty() {
            return "{}".to_owned();
        }
        let mut text = "{\n".to_owned();
        for property in properties {
            let lifted = self.lifted(property.ty, &member(value, &property.jcos));
            let _ = writeln!(text, "{indent}  {}: {lifted},", key(property.ours));
        }
        text + indent + "}"
    }

    fn lifted(&self, ty: &Type, value: &str) -> String {
        self.lift(ty, value).unwrap_or_else(|| value.to_owned())
    }

    fn is_same_record(&self, properties: &[Property<'_>]) -> bool {
        let is_same = |property: &Property<'_>| property.jcos == property.ours && self.lift(property.ty, "").is_none();
        // jco's record without fields has one.
        !properties.is_empty() && properties.iter().all(is_same)
    }
}

/// jco lifts nothing but the cases that there are.
const UNKNOWN: &str =
    "    default:\n      throw new TransportError('the component answered with an unknown case');\n  }\n";
