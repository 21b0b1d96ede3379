//! The byte ABI: what users' builds read (the template), against what tierup reads, on the same bytes.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use tierup_codegen::abi::Value;
use tierup_model::{Definition, DefinitionKind, Integer, Interface, Type};
use wire::{Read, Reader, Write};

#[allow(dead_code, unreachable_pub)]
#[path = "../../crates/tierup-codegen/templates/calls/wire.rs"]
mod wire;

fuzz_target!(|bytes: &[u8]| {
    let list = |ty| Type::List(Box::new(ty));
    check::<Vec<Option<String>>>(bytes, &list(Type::Optional(Box::new(Type::Text))));
    check::<BTreeMap<String, f64>>(bytes, &Type::Map(Box::new(Type::F64)));
    check::<Vec<Vec<i16>>>(bytes, &list(list(Type::Integer(Integer::I16))));
    check::<Vec<bool>>(bytes, &list(Type::Bool));
    check::<Vec<u8>>(bytes, &Type::Bytes);
    check::<isize>(bytes, &Type::Integer(Integer::Isize));
    // A record without fields takes no bytes, so a list of them may promise any number; what follows the number is not read.
    if bytes.len() == 4 {
        drop(Value::decode(&list(Type::Defined(0)), &interface(), bytes));
    }
});

/// Both accept the same bytes, and write them again.
fn check<T: for<'a> Read<'a> + Write>(bytes: &[u8], ty: &Type) {
    let mut reader = Reader::new(bytes);
    let typed = reader.read::<T>().and_then(|typed| reader.finish().map(|()| typed));
    let value = Value::decode(ty, &interface(), bytes);
    assert_eq!(typed.is_ok(), value.is_ok(), "{:?} and {value:?}", typed.err());
    if let (Ok(typed), Ok(value)) = (typed, value) {
        let (mut by_type, mut by_value) = (Vec::new(), Vec::new());
        typed.write(&mut by_type);
        value.encode(ty, &interface(), &mut by_value).expect("a value of its type");
        assert_eq!((&by_type[..], &by_value[..]), (bytes, bytes));
    }
}

fn interface() -> Interface {
    let [package, library, version, docs] = [const { String::new() }; 4];
    let [name, path] = ["Nothing", "::x::Nothing"].map(str::to_owned);
    let nothing = Definition { name, path, docs: String::new(), kind: DefinitionKind::Record(Vec::new()) };
    Interface { package, library, version, docs, definitions: vec![nothing], ..Interface::default() }
}
