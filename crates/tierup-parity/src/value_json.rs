//! Writes a value as JSON, so that the rules for JSON apply to returned values.

use tierup_codegen::abi::Value;
use tierup_model::{DefinitionKind, Interface, Payload, Type};

use crate::json::Text;

/// Fields and cases have their Rust names; a case with a payload is `{"type": …, "value": …}`, as in
/// `docs/differences.md`. Numbers that JSON cannot express are text (`"NaN"`, `"Infinity"`), and bytes are text in
/// hexadecimal: the result is for comparing and for people to read, not for sending.
pub fn value_json(value: &Value, ty: &Type, interface: &Interface) -> String {
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

/// Shows a value that does not match its type. Decoders refuse these, so none should get here.
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

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use tierup_model::{Case, Definition, Integer};

    fn check(value: Value, ty: &Type, expected: Expect) {
        let case = |name: &str, payload| Case { name: name.into(), docs: String::new(), payload };
        let circle = Payload::Tuple(vec![(Type::F64, String::new())]);
        let line = Payload::Tuple(vec![(Type::F32, String::new()), (Type::Text, String::new())]);
        let kind = DefinitionKind::Enum(vec![case("Point", Payload::None), case("Circle", circle), case("Line", line)]);
        let shape = Definition { name: "Shape".into(), path: String::new(), docs: String::new(), kind };
        let interface = Interface {
            package: "x".into(),
            library: "x".into(),
            version: "0.0.0".into(),
            definitions: vec![shape],
            ..Interface::default()
        };
        let json = value_json(&value, ty, &interface);
        assert!(crate::json::read(json.as_bytes()).is_ok(), "{json}");
        expected.assert_eq(&json);
    }

    #[test]
    fn values() {
        let list = |ty| Type::List(Box::new(ty));
        let floats = [0.1, 4.0, -0.0, 1e21, 5e-324, f64::NAN, f64::NEG_INFINITY].map(Value::F64).to_vec();
        check(Value::List(floats), &list(Type::F64), expect![[r#"[0.1,4.0,-0.0,1e21,5e-324,"NaN","-Infinity"]"#]]);
        check(Value::F32(0.1), &Type::F32, expect!["0.1"]);
        check(Value::Integer(u64::MAX.into()), &Type::Integer(Integer::U64), expect!["18446744073709551615"]);
        check(Value::Bytes(vec![0, 255]), &Type::Bytes, expect![[r#""00ff""#]]);
        check(Value::Optional(None), &Type::Optional(Box::new(Type::Bool)), expect!["null"]);
        let entries = [("b \"c\"".to_owned(), Value::Bool(true)), (String::new(), Value::Bool(false))];
        check(Value::Map(entries.into()), &Type::Map(Box::new(Type::Bool)), expect![[r#"{"":false,"b \"c\"":true}"#]]);
        let line = vec![Value::F32(2.0), Value::Text("\0\n".into())];
        let shapes = vec![Value::Enum(0, vec![]), Value::Enum(1, vec![Value::F64(4.0)]), Value::Enum(2, line)];
        check(
            Value::List(shapes),
            &list(Type::Defined(0)),
            expect![[r#"["Point",{"type":"Circle","value":4.0},{"type":"Line","value":[2.0,"\u0000\n"]}]"#]],
        );
    }
}
