//! A value as JSON, so that rules for JSON hold for what functions return.

use tierup_codegen::abi::Value;
use tierup_model::{DefinitionKind, Interface, Payload, Type};

use crate::json::Text;

/// Rust's names for fields and cases; a case with a payload is `{"type": …, "value": …}`, as `docs/differences.md` has
/// it. What JSON has no number for is text (`"NaN"`, `"Infinity"`), bytes are text in hexadecimal: this is to be compared
/// and read by people, not sent.
pub(crate) fn value_json(value: &Value, ty: &Type, interface: &Interface) -> String {
    let item = |value: &Value, ty: &Type| value_json(value, ty, interface);
    match (value, ty) {
        (Value::Bool(value), _) => value.to_string(),
        (Value::Integer(value), _) => value.to_string(),
        (Value::F32(value), _) => float(f64::from(*value), &format!("{value:?}")),
        (Value::F64(value), _) => float(*value, &format!("{value:?}")),
        (Value::Text(text), _) => quoted(text),
        (Value::Bytes(bytes), _) => quoted(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()),
        (Value::Optional(None), _) => "null".to_owned(),
        (Value::Optional(Some(value)), Type::Optional(inner)) => item(value, inner),
        (Value::List(values), Type::List(inner)) => array(values.iter().map(|value| item(value, inner))),
        (Value::Map(values), Type::Map(inner)) => {
            object(values.iter().map(|(key, value)| (&**key, item(value, inner))))
        }
        (Value::Record(values), Type::Defined(index)) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => {
                object(fields.iter().zip(values).map(|(field, value)| (&*field.name, item(value, &field.ty))))
            }
            DefinitionKind::Enum(_) => unlike(value),
        },
        (Value::Enum(number, values), Type::Defined(index)) => match &interface.definitions[*index].kind {
            DefinitionKind::Enum(cases) => match cases.get(usize::from(*number)) {
                Some(case) => with_payload(&case.name, &case.payload, values, interface),
                None => unlike(value),
            },
            DefinitionKind::Record(_) => unlike(value),
        },
        _ => unlike(value),
    }
}

fn with_payload(name: &str, payload: &Payload, values: &[Value], interface: &Interface) -> String {
    let payload = match payload {
        Payload::None => return quoted(name),
        Payload::Tuple(types) => {
            let mut items = types.iter().zip(values).map(|((ty, _), value)| value_json(value, ty, interface));
            if types.len() == 1 { items.next().unwrap_or_default() } else { array(items) }
        }
        Payload::Named(fields) => {
            let members = fields.iter().zip(values);
            object(members.map(|(field, value)| (&*field.name, value_json(value, &field.ty, interface))))
        }
    };
    object([("type", quoted(name)), ("value", payload)].into_iter())
}

fn float(value: f64, shortest: &str) -> String {
    match value {
        _ if value.is_finite() => shortest.to_owned(),
        _ if value.is_nan() => quoted("NaN"),
        _ => quoted(if value > 0.0 { "Infinity" } else { "-Infinity" }),
    }
}

/// A value that is not of its type, which whoever decoded it would have refused.
fn unlike(value: &Value) -> String {
    quoted(&format!("{value:?}"))
}

fn quoted(text: &str) -> String {
    format!("{:?}", Text::from(text))
}

fn array(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

fn object<'a>(members: impl Iterator<Item = (&'a str, String)>) -> String {
    let members: Vec<String> = members.map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
    format!("{{{}}}", members.join(","))
}
