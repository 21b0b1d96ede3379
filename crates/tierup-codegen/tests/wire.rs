//! The encoding that is generated into users' builds, compared with tierup's own, and with hostile bytes.

#![expect(clippy::unwrap_used, reason = "a helper of tests may fail like a test")]

#[allow(dead_code, unreachable_pub)]
#[path = "../templates/calls/wire.rs"]
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use tierup_codegen::abi::{DecodeError, Value};
use tierup_model::{Definition, DefinitionKind, Integer, Interface, Type};
use wire::{Malformed, Read, Reader, Write};

fn interface() -> Interface {
    Interface { package: "x".into(), library: "x".into(), version: "0.0.0".into(), ..Interface::default() }
}

fn read<'a, T: Read<'a>>(bytes: &'a [u8]) -> Result<T, Malformed> {
    let mut reader = Reader::new(bytes);
    let value = reader.read()?;
    reader.finish()?;
    Ok(value)
}

/// Both sides write the same bytes, and read them back.
fn check<T: for<'a> Read<'a> + Write + PartialEq + Debug>(typed: T, ty: Type, value: Value) {
    let (mut by_type, mut by_value) = (Vec::new(), Vec::new());
    typed.write(&mut by_type);
    value.encode(&ty, &interface(), &mut by_value).unwrap();
    assert_eq!(by_type, by_value, "{typed:?}");
    assert_eq!(read::<T>(&by_type).unwrap(), typed);
    assert_eq!(Value::decode(&ty, &interface(), &by_value).unwrap(), value);
    for cut in 0..by_type.len() {
        assert!(read::<T>(&by_type[..cut]).is_err(), "{typed:?} was read from its first {cut} bytes");
    }
}

#[test]
fn both_encodings_agree() {
    let int = Type::Integer;
    check(true, Type::Bool, Value::Bool(true));
    check(-2i8, int(Integer::I8), Value::Integer(-2));
    check(u16::MAX, int(Integer::U16), Value::Integer(65535));
    check(i64::MIN, int(Integer::I64), Value::Integer(i64::MIN.into()));
    check(u64::MAX, int(Integer::U64), Value::Integer(u64::MAX.into()));
    check(usize::MAX, int(Integer::Usize), Value::Integer(u64::MAX.into()));
    check(-1isize, int(Integer::Isize), Value::Integer(-1));
    check(-0.0f32, Type::F32, Value::F32(-0.0));
    check(f64::MAX, Type::F64, Value::F64(f64::MAX));
    check("ä😀".to_owned(), Type::Text, Value::Text("ä😀".into()));
    check(vec![1u8, 2], Type::Bytes, Value::Bytes(vec![1, 2]));
    check(
        vec![1i8, -2],
        Type::List(Box::new(int(Integer::I8))),
        Value::List(vec![Value::Integer(1), Value::Integer(-2)]),
    );
    check(Some(7u32), Type::Optional(Box::new(int(Integer::U32))), Value::Optional(Some(Box::new(Value::Integer(7)))));
    let map = Type::Map(Box::new(int(Integer::U8)));
    let keys = ["b", "a", "ä", ""];
    let value = Value::Map(keys.iter().map(|key| ((*key).to_owned(), Value::Integer(1))).collect());
    check(keys.iter().map(|key| ((*key).to_owned(), 1u8)).collect::<HashMap<_, _>>(), map.clone(), value.clone());
    check(keys.iter().map(|key| ((*key).to_owned(), 1u8)).collect::<BTreeMap<_, _>>(), map, value);
}

#[test]
fn nan_keeps_its_bits() {
    let odd = f64::from_bits(0x7ff8_0000_dead_beef);
    let mut bytes = Vec::new();
    odd.write(&mut bytes);
    assert_eq!(read::<f64>(&bytes).unwrap().to_bits(), odd.to_bits());
}

#[test]
fn hostile_bytes_are_refused_without_allocating_what_they_promise() {
    let huge = u32::MAX.to_le_bytes();
    assert_eq!(read::<Vec<u64>>(&huge), Err(Malformed::Short));
    assert_eq!(read::<Vec<u8>>(&huge), Err(Malformed::Short));
    assert_eq!(read::<String>(&huge), Err(Malformed::Short));
    assert_eq!(read::<bool>(&[2]), Err(Malformed::Tag { what: "bool", byte: 2 }));
    assert_eq!(read::<Option<u8>>(&[2, 0]), Err(Malformed::Tag { what: "option", byte: 2 }));
    assert_eq!(read::<&str>(&[1, 0, 0, 0, 0xff]), Err(Malformed::Text));
    assert_eq!(read::<u8>(&[1, 2]), Err(Malformed::Trailing(1)));
    let twice = [2, 0, 0, 0, 1, 0, 0, 0, b'a', 1, 1, 0, 0, 0, b'a', 1];
    assert_eq!(read::<BTreeMap<String, u8>>(&twice), Err(Malformed::Keys));
    assert_eq!(read::<HashMap<String, u8>>(&twice), Err(Malformed::Keys));
}

#[test]
fn lists_of_empty_records_have_a_limit() {
    let [name, path] = ["Nothing", "::x::Nothing"].map(str::to_owned);
    let nothing = Definition { name, path, docs: String::new(), kind: DefinitionKind::Record(vec![]) };
    let interface = Interface { definitions: vec![nothing], ..interface() };
    let decode = |count: u32| {
        Value::decode(&Type::List(Box::new(Type::Defined(0))), &interface, &count.to_le_bytes())
            .map(|value| if let Value::List(items) = value { items.len() } else { 0 })
    };
    assert_eq!(decode(10_000), Ok(10_000));
    assert_eq!(decode(u32::MAX), Err(DecodeError::Nothing(u32::MAX)));
}
