//! Turns the values that `tierup.toml` and requests contain into values of the function's types. JSON is read as the
//! CLI and the server read it: as serde would read the Rust types, with bytes as base64, and enums with data as
//! `{"type", "value"}`.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value as Json;
use tierup_codegen::{Keys, Route, abi::Value, camel_case};
use tierup_model::{DefinitionKind, Field, Function, Interface, Parameter, Payload, Type};

type Result<T> = std::result::Result<T, String>;

/// Reads a word of a URL.
pub(crate) fn from_word(word: &str, ty: &Type, interface: &Interface) -> Result<Value> {
    let wrong = |what: &str| format!("expected {what}, got `{word}`");
    Ok(match ty {
        Type::Text => Value::Text(word.to_owned()),
        Type::Bool => Value::Bool(word.parse().map_err(|_| wrong("true or false"))?),
        Type::Integer(integer) => Value::Integer(word.parse().map_err(|_| wrong(integer.rust()))?),
        Type::F32 => Value::F32(word.parse().map_err(|_| wrong("a number"))?),
        Type::F64 => Value::F64(word.parse().map_err(|_| wrong("a number"))?),
        Type::Optional(inner) => Value::Optional(Some(Box::new(from_word(word, inner, interface)?))),
        Type::Defined(_) => from_json(&Json::String(word.to_owned()), ty, interface, Keys::default())?,
        Type::Bytes | Type::List(_) | Type::Map(_) => return Err("a path or query cannot carry this type".to_owned()),
    })
}

/// Reads a JSON value. `keys` says how the fields of records are named.
pub fn from_json(json: &Json, ty: &Type, interface: &Interface, keys: Keys) -> Result<Value> {
    let wrong = |what: &str| format!("expected {what}, got `{json}`");
    Ok(match (ty, json) {
        (Type::Bool, Json::Bool(value)) => Value::Bool(*value),
        (Type::Integer(integer), Json::Number(number)) => {
            Value::Integer(number.to_string().parse().map_err(|_| wrong(integer.rust()))?)
        }
        // serde narrows the number in the same way.
        (Type::F32, Json::Number(number)) => Value::F32(number.as_f64().ok_or_else(|| wrong("a number"))? as f32),
        (Type::F64, Json::Number(number)) => Value::F64(number.as_f64().ok_or_else(|| wrong("a number"))?),
        (Type::Text, Json::String(text)) => Value::Text(text.clone()),
        (Type::Bytes, Json::String(text)) => Value::Bytes(base64(text).ok_or_else(|| wrong("base64"))?),
        (Type::Optional(_), Json::Null) => Value::Optional(None),
        (Type::Optional(inner), json) => Value::Optional(Some(Box::new(from_json(json, inner, interface, keys)?))),
        (Type::List(inner), Json::Array(values)) => {
            Value::List(values.iter().map(|value| from_json(value, inner, interface, keys)).collect::<Result<_>>()?)
        }
        (Type::Map(inner), Json::Object(values)) => {
            let entry = |(key, value): (&String, &Json)| Ok((key.clone(), from_json(value, inner, interface, keys)?));
            Value::Map(values.iter().map(entry).collect::<Result<BTreeMap<_, _>>>()?)
        }
        (Type::Defined(index), json) => {
            let definition = &interface.definitions[*index];
            match &definition.kind {
                DefinitionKind::Record(fields) => Value::Record(record(json, fields, interface, keys)?),
                DefinitionKind::Enum(cases) => {
                    let (name, payload) = match json {
                        Json::String(name) => (name.as_str(), None),
                        Json::Object(object) => {
                            (object.get("type").and_then(Json::as_str).unwrap_or(""), object.get("value"))
                        }
                        _ => return Err(wrong(&definition.name)),
                    };
                    let found = cases.iter().position(|case| case.name == name);
                    let number = found.ok_or_else(|| wrong(&definition.name))?;
                    let case = u8::try_from(number).map_err(|_| wrong(&definition.name))?;
                    Value::Enum(
                        case,
                        fields(payload, &cases[number].payload, interface, keys)
                            .map_err(|error| format!("`{}::{name}`: {error}", definition.name))?,
                    )
                }
            }
        }
        (ty, _) => return Err(wrong(describe(ty))),
    })
}

/// The JSON value with the same meaning as a TOML value.
pub(crate) fn toml_as_json(value: &toml::de::DeValue<'_>) -> Result<Json> {
    use toml::de::DeValue;
    Ok(match value {
        DeValue::String(text) => Json::String(text.to_string()),
        DeValue::Boolean(value) => Json::Bool(*value),
        DeValue::Integer(number) => {
            let number = i128::from_str_radix(number.as_str(), number.radix()).map_err(|error| error.to_string())?;
            serde_json::from_str(&number.to_string()).map_err(|error| error.to_string())?
        }
        DeValue::Float(number) => {
            let number: f64 = number.as_str().parse().map_err(|_| format!("`{}` is not a number", number.as_str()))?;
            serde_json::Number::from_f64(number).map(Json::Number).ok_or("JSON has no such number")?
        }
        DeValue::Array(values) => {
            Json::Array(values.iter().map(|value| toml_as_json(value.get_ref())).collect::<Result<_>>()?)
        }
        DeValue::Table(table) => {
            let entries =
                table.iter().map(|(key, value)| Ok((key.get_ref().to_string(), toml_as_json(value.get_ref())?)));
            Json::Object(entries.collect::<Result<_>>()?)
        }
        DeValue::Datetime(_) => return Err("dates are not supported; write a string".to_owned()),
    })
}

/// The parameters that are members of a route's body, as fields of a record.
pub(crate) fn members(route: &Route, function: &Function) -> Vec<Field> {
    let parameters = function.parameters.iter().filter(|parameter| route.members().contains(&parameter.name));
    let field = |parameter: &Parameter| Field {
        name: parameter.name.clone(),
        docs: String::new(),
        ty: parameter.ty.clone(),
        rust: parameter.rust.clone(),
    };
    parameters.map(field).collect()
}

/// The values of these fields, in their order.
pub(crate) fn record(json: &Json, fields: &[Field], interface: &Interface, keys: Keys) -> Result<Vec<Value>> {
    let Json::Object(object) = json else { return Err(format!("`{json}` is not an object")) };
    let names = match keys {
        Keys::SnakeCase => fields.iter().map(|field| field.name.clone()).collect(),
        Keys::CamelCase => camel_case::fields(fields),
    };
    if let Some(unknown) = object.keys().find(|key| !names.contains(key)) {
        return Err(format!("there is no field `{unknown}`"));
    }
    let value = |(field, name): (&Field, &String)| match object.get(name) {
        Some(value) => from_json(value, &field.ty, interface, keys).map_err(|error| format!("`{name}`: {error}")),
        None if matches!(field.ty, Type::Optional(_)) => Ok(Value::Optional(None)),
        None => Err(format!("the field `{name}` is missing")),
    };
    fields.iter().zip(&names).map(value).collect()
}

fn fields(value: Option<&Json>, payload: &Payload, interface: &Interface, keys: Keys) -> Result<Vec<Value>> {
    match (payload, value) {
        (Payload::None, None) => Ok(Vec::new()),
        (Payload::None, Some(_)) => Err("this variant has no value".to_owned()),
        (_, None) => Err("its `value` is missing".to_owned()),
        (Payload::Named(fields), Some(json)) => record(json, fields, interface, keys),
        (Payload::Tuple(types), Some(json)) if types.len() == 1 => {
            Ok(vec![from_json(json, &types[0].0, interface, keys)?])
        }
        (Payload::Tuple(types), Some(Json::Array(values))) if types.len() == values.len() => {
            values.iter().zip(types).map(|(value, (ty, _))| from_json(value, ty, interface, keys)).collect()
        }
        (Payload::Tuple(types), Some(_)) => Err(format!("its `value` must be a list of {}", types.len())),
    }
}

fn describe(ty: &Type) -> &'static str {
    match ty {
        Type::Bool => "true or false",
        Type::Integer(integer) => integer.rust(),
        Type::F32 | Type::F64 => "a number",
        Type::Text => "a string",
        Type::Bytes => "a base64 string",
        Type::List(_) => "a list",
        Type::Map(_) => "an object",
        Type::Optional(_) | Type::Defined(_) => "a value of this type",
    }
}

/// Writes a value as [`from_json`] reads it, with fields named as in Rust. `None` if JSON has no such number.
pub fn to_json(value: &Value, ty: &Type, interface: &Interface) -> Option<Json> {
    let all = |values: &mut dyn Iterator<Item = (&Value, &Type)>| {
        values.map(|(value, ty)| to_json(value, ty, interface)).collect::<Option<Vec<_>>>()
    };
    let named = |values: &[Value], fields: &[Field]| {
        let types = fields.iter().map(|field| &field.ty);
        let values = all(&mut values.iter().zip(types))?;
        let names = fields.iter().map(|field| field.name.clone());
        Some(Json::Object(names.zip(values).collect()))
    };
    Some(match (value, ty) {
        (Value::Bool(value), _) => Json::Bool(*value),
        (Value::Integer(value), _) => match u64::try_from(*value) {
            Ok(value) => value.into(),
            Err(_) => i64::try_from(*value).ok()?.into(),
        },
        (Value::F32(value), _) => Json::Number(serde_json::Number::from_f64(f64::from(*value))?),
        (Value::F64(value), _) => Json::Number(serde_json::Number::from_f64(*value)?),
        (Value::Text(text), _) => Json::String(text.clone()),
        (Value::Bytes(bytes), _) => Json::String(STANDARD.encode(bytes)),
        (Value::Optional(None), _) => Json::Null,
        (Value::Optional(Some(value)), Type::Optional(inner)) => to_json(value, inner, interface)?,
        (Value::List(values), Type::List(inner)) => {
            Json::Array(all(&mut values.iter().map(|value| (value, &**inner)))?)
        }
        (Value::Map(values), Type::Map(inner)) => {
            let entry = |(key, value): (&String, &Value)| Some((key.clone(), to_json(value, inner, interface)?));
            Json::Object(values.iter().map(entry).collect::<Option<_>>()?)
        }
        (Value::Record(values), Type::Defined(index)) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => named(values, fields)?,
            DefinitionKind::Enum(_) => return None,
        },
        (Value::Enum(number, values), Type::Defined(index)) => {
            let DefinitionKind::Enum(cases) = &interface.definitions[*index].kind else { return None };
            let case = cases.get(usize::from(*number))?;
            let payload = match &case.payload {
                Payload::None => return Some(Json::String(case.name.clone())),
                Payload::Named(fields) => named(values, fields)?,
                Payload::Tuple(types) => {
                    let mut list = all(&mut values.iter().zip(types.iter().map(|(ty, _)| ty)))?;
                    if types.len() == 1 { list.pop()? } else { Json::Array(list) }
                }
            };
            serde_json::json!({ "type": case.name, "value": payload })
        }
        _ => return None,
    })
}

/// The standard alphabet, with padding (RFC 4648, section 4).
fn base64(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read() {
        for (text, bytes) in [("", &b""[..]), ("Zg==", b"f"), ("Zm8=", b"fo"), ("Zm9v", b"foo"), ("/+8=", b"\xff\xef")]
        {
            assert_eq!(base64(text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(base64("Zg"), None);
        assert_eq!(base64("Z-=="), None);
    }
}
