//! Edge values: for each type, the values at which implementations tend to differ.

use std::collections::BTreeMap;

use tierup_codegen::abi::Value;
use tierup_model::{DefinitionKind, Function, Integer, Interface, Type};

/// Argument lists for a function: every edge value of each parameter in turn, with plain values for the others.
pub fn edge_arguments(function: &Function, interface: &Interface) -> Vec<Vec<Value>> {
    let edges: Vec<Vec<Value>> = function.parameters.iter().map(|p| edges(&p.ty, interface)).collect();
    let plainest: Vec<Value> = edges.iter().map(|values| values[0].clone()).collect();
    let mut lists = vec![plainest.clone()];
    for (place, values) in edges.iter().enumerate() {
        lists.extend(values.iter().skip(1).map(|value| {
            let mut list = plainest.clone();
            list[place] = value.clone();
            list
        }));
    }
    lists
}

/// The edge values of a type, the plainest first; never empty.
pub fn edges(ty: &Type, interface: &Interface) -> Vec<Value> {
    match ty {
        Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Type::Integer(integer) => integers(*integer),
        Type::F32 => floats().map(|value| Value::F32(value as f32)).chain([Value::F32(f32::MIN_POSITIVE)]).collect(),
        Type::F64 => floats().map(Value::F64).chain([f64::MIN_POSITIVE, f64::EPSILON].map(Value::F64)).collect(),
        Type::Text => texts(),
        Type::Bytes => bytes(),
        Type::Optional(inner) => {
            let some = edges(inner, interface).into_iter().map(|value| Value::Optional(Some(Box::new(value))));
            [Value::Optional(None)].into_iter().chain(some).collect()
        }
        Type::List(inner) => {
            let all = edges(inner, interface);
            vec![Value::List(vec![]), Value::List(vec![all[0].clone()]), Value::List(all)]
        }
        Type::Map(inner) => {
            let all = edges(inner, interface);
            let keys = ["", "a", "b", "B", "ä", "😀", "\u{ffff}", "__proto__", "a key with spaces", "\0"];
            let full: BTreeMap<_, _> =
                keys.iter().map(|key| key.to_string()).zip(all.iter().cycle().cloned()).collect();
            vec![Value::Map(BTreeMap::new()), Value::Map(full)]
        }
        Type::Defined(index) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => {
                let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
                products(&types, interface).into_iter().map(Value::Record).collect()
            }
            DefinitionKind::Enum(cases) => cases
                .iter()
                .zip(0u8..)
                .flat_map(|(case, number)| {
                    let lists = products(&case.payload.types(), interface);
                    lists.into_iter().map(move |values| Value::Enum(number, values))
                })
                .collect(),
        },
    }
}

/// Lists with one value for each type. Their number is that of the type with the most edges; the others cycle.
fn products(types: &[&Type], interface: &Interface) -> Vec<Vec<Value>> {
    let edges: Vec<Vec<Value>> = types.iter().map(|ty| edges(ty, interface)).collect();
    let rounds = edges.iter().map(Vec::len).max().unwrap_or(1);
    (0..rounds).map(|round| edges.iter().map(|values| values[round % values.len()].clone()).collect()).collect()
}

/// 0, 1, both ends, and the values around the widths that a host may use internally (31, 32 and 53 bits).
fn integers(integer: Integer) -> Vec<Value> {
    let bits = integer.bits();
    let (least, most): (i128, i128) =
        if integer.is_signed() { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1 << bits) - 1) };
    let around = [31, 32, 53, 63].map(|bits| 1i128 << bits);
    let candidates = [0, 1, -1, 2, 127, 128, 255, least, least + 1, most, most - 1]
        .into_iter()
        .chain(around.into_iter().flat_map(|edge| [edge - 1, edge, edge + 1, -edge, -edge - 1]));
    let mut values: Vec<i128> = Vec::new();
    for candidate in candidates.filter(|candidate| (least..=most).contains(candidate)) {
        if !values.contains(&candidate) {
            values.push(candidate);
        }
    }
    values.into_iter().map(Value::Integer).collect()
}

fn floats() -> impl Iterator<Item = f64> {
    let whole = 9_007_199_254_740_993_f64; // 2^53 + 1, which is no f64.
    [0.0, -0.0, 1.0, -1.5, 0.1, whole, 1e300, 3.4e38, f64::INFINITY, f64::NEG_INFINITY, f64::NAN].into_iter()
}

fn texts() -> Vec<Value> {
    let long = "0123456789abcdef".repeat(4096);
    let wide = "ä€😀".repeat(500);
    let texts: [&str; 16] = [
        "text",
        "",
        " ",
        "a",
        "ä",
        "€",
        "😀",
        "e\u{301}",
        "\0",
        "tab\tline\nreturn\r",
        "\u{feff}mark",
        "\u{ffff}\u{10ffff}",
        "\"quoted\" \\ 'single' `tick` ${x} #{x} %s",
        "-- --help -",
        &long,
        &wide,
    ];
    texts.iter().map(|text| Value::Text((*text).to_owned())).collect()
}

fn bytes() -> Vec<Value> {
    let all: Vec<u8> = (0..=255).collect();
    let long = all.repeat(300);
    [b"bytes".to_vec(), vec![], vec![0], vec![255, 254], vec![0xc3, 0x28], all, long]
        .into_iter()
        .map(Value::Bytes)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn empty() -> Interface {
        Interface { package: "x".into(), library: "x".into(), version: "0.0.0".into(), ..Interface::default() }
    }

    #[test]
    fn every_edge_is_a_value_of_its_type() {
        let interface = empty();
        let integer = |integer| Type::Integer(integer);
        let types = [
            Type::Bool,
            integer(Integer::I8),
            integer(Integer::U8),
            integer(Integer::I64),
            integer(Integer::U64),
            Type::F32,
            Type::F64,
            Type::Text,
            Type::Bytes,
            Type::Optional(Box::new(Type::Text)),
            Type::List(Box::new(Type::List(Box::new(Type::Bytes)))),
            Type::Map(Box::new(Type::F64)),
        ];
        for ty in types {
            for value in edges(&ty, &interface) {
                let mut bytes = Vec::new();
                value.encode(&ty, &interface, &mut bytes).unwrap();
                assert_eq!(Value::decode(&ty, &interface, &bytes).unwrap(), value);
            }
        }
    }

    #[test]
    fn integers_reach_both_ends() {
        let values = edges(&Type::Integer(Integer::U64), &empty());
        assert!(values.contains(&Value::Integer(u64::MAX.into())));
        assert!(edges(&Type::Integer(Integer::I8), &empty()).contains(&Value::Integer(-128)));
    }
}
