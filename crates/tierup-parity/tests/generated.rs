//! Random arguments, and arguments made smaller.

use expect_test::expect;
use proptest::prelude::*;
use tierup_codegen::abi::{Value, encode_arguments};
use tierup_model::{
    Case, Definition, DefinitionKind, Field, Function, Integer, Interface, Output, Parameter, Passing, Payload, Type,
};
use tierup_parity::{edge_arguments, random_arguments, smaller, smaller_arguments, smallest};

/// Every kind of type, in a function that takes them all.
fn interface() -> Interface {
    let field = |name: &str, ty| Field { name: name.into(), docs: String::new(), ty, rust: String::new() };
    let definition =
        |name: &str, kind| Definition { name: name.into(), path: String::new(), docs: String::new(), kind };
    let case = |name: &str, payload| Case { name: name.into(), docs: String::new(), payload };
    let shape = DefinitionKind::Enum(vec![
        case("Point", Payload::None),
        case("Circle", Payload::Tuple(vec![(Type::F64, String::new())])),
        case("Named", Payload::Named(vec![field("name", Type::Text), field("small", Type::F32)])),
    ]);
    let item = DefinitionKind::Record(vec![field("shape", Type::Defined(0)), field("data", Type::Bytes)]);
    let integers = [Integer::I8, Integer::U8, Integer::I32, Integer::I64, Integer::U64].map(Type::Integer);
    let types = integers.into_iter().chain([
        Type::Bool,
        Type::Text,
        Type::Optional(Box::new(Type::Text)),
        Type::List(Box::new(Type::Defined(1))),
        Type::Map(Box::new(Type::List(Box::new(Type::Integer(Integer::I16))))),
    ]);
    let parameter = |ty| Parameter { name: "p".into(), ty, rust: String::new(), passing: Passing::Value };
    let function = Function {
        name: "all".into(),
        path: String::new(),
        docs: String::new(),
        parameters: types.map(parameter).collect(),
        output: Output { ty: None, rust: "()".into(), fallible: false },
    };
    Interface {
        package: "x".into(),
        library: "x".into(),
        version: "0.0.0".into(),
        functions: vec![function],
        definitions: vec![definition("Shape", shape), definition("Item", item)],
        ..Interface::default()
    }
}

/// A function whose parameters have these types.
fn function(types: &[Type]) -> Function {
    let mut function = interface().functions[0].clone();
    let parameter = |ty: &Type| Parameter { ty: ty.clone(), ..function.parameters[0].clone() };
    function.parameters = types.iter().map(parameter).collect();
    function
}

fn encoded(arguments: &[Value], function: &Function, interface: &Interface) -> Vec<u8> {
    encode_arguments(arguments, function, interface).expect("values of their types")
}

#[test]
fn a_seed_and_a_number_give_the_same_arguments_everywhere() {
    let interface = interface();
    let made = random_arguments(&function(&[Type::Text, Type::Integer(Integer::I64), Type::F64]), &interface, 7, 30);
    expect![[r#"[Text("cv"), Integer(-28280613), F64(-54511.8)]"#]].assert_eq(&format!("{made:?}"));
}

#[test]
fn every_width_of_an_integer_and_every_case_of_an_enum_occurs() {
    let interface = interface();
    let function = function(&[Type::Integer(Integer::U64), Type::Integer(Integer::I8), Type::Defined(0)]);
    let (mut widths, mut small, mut cases) = ([false; 65], [false; 256], [false; 3]);
    for case in 0..20_000 {
        match random_arguments(&function, &interface, 1, case).as_slice() {
            [Value::Integer(wide), Value::Integer(byte), Value::Enum(number, _)] => {
                widths[(64 - u64::try_from(*wide).unwrap().leading_zeros()) as usize] = true;
                small[usize::try_from(byte + 128).unwrap()] = true;
                cases[usize::from(*number)] = true;
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((widths, small, cases), ([true; 65], [true; 256], [true; 3]));
}

#[test]
fn a_difference_is_made_as_small_as_it_can_be() {
    let interface = interface();
    let check = |ty: Type, first: &dyn Fn(&Value) -> bool, expected: Value| {
        let function = function(std::slice::from_ref(&ty));
        let found = (0..).map(|case| random_arguments(&function, &interface, 3, case)).find(|list| first(&list[0]));
        let small = smallest(&found.unwrap(), &function, &interface, 10_000, |list| first(&list[0]));
        assert_eq!(small, [expected]);
    };
    let integer = |least: i128| move |value: &Value| matches!(value, Value::Integer(number) if *number >= least);
    check(Type::Integer(Integer::I64), &integer(1000), Value::Integer(1000));
    check(
        Type::Text,
        &|value| matches!(value, Value::Text(text) if text.contains('\n') && text.chars().count() > 2),
        Value::Text("\naa".into()),
    );
    check(Type::F64, &|value| matches!(value, Value::F64(number) if *number > 2.5), Value::F64(3.0));
    check(
        Type::List(Box::new(Type::Defined(0))),
        &|value| matches!(value, Value::List(items) if items.iter().any(|item| matches!(item, Value::Enum(1.., _)))),
        Value::List(vec![Value::Enum(1, vec![Value::F64(0.0)])]),
    );
    check(
        Type::Map(Box::new(Type::Bool)),
        &|value| matches!(value, Value::Map(entries) if entries.values().any(|value| *value == Value::Bool(true))),
        Value::Map([(String::new(), Value::Bool(true))].into()),
    );
}

#[test]
fn shrinking_asks_no_more_often_than_allowed() {
    let interface = interface();
    let function = function(&[Type::Text]);
    let mut asked = 0;
    let long = [Value::Text("x".repeat(1000))];
    smallest(&long, &function, &interface, 5, |_| {
        asked += 1;
        true
    });
    assert!((1..=5).contains(&asked));
}

#[test]
fn values_smaller_than_an_edge_are_of_its_type() {
    let interface = interface();
    let function = &interface.functions[0];
    // Long texts are left out, as they are shrunk in the same ways as shorter ones.
    for arguments in
        edge_arguments(function, &interface).iter().filter(|it| encoded(it, function, &interface).len() < 4096)
    {
        smaller_arguments(arguments, function, &interface)
            .iter()
            .for_each(|it| drop(encoded(it, function, &interface)));
    }
}

proptest! {
    // Each case makes and checks thousands of values.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn random_values_and_smaller_ones_are_of_their_types(seed: u64, case in 0u64..25) {
        let interface = interface();
        let function = &interface.functions[0];
        let arguments = random_arguments(function, &interface, seed, case);
        prop_assert_eq!(&arguments, &random_arguments(function, &interface, seed, case));
        encoded(&arguments, function, &interface);
        for list in smaller_arguments(&arguments, function, &interface) {
            prop_assert_ne!(&list, &arguments);
            encoded(&list, function, &interface);
        }
    }

    #[test]
    fn repeated_shrinking_ends(seed: u64, picks in proptest::collection::vec(any::<usize>(), 64)) {
        let interface = interface();
        for ty in [Type::F64, Type::F32, Type::Integer(Integer::I64), Type::Text, Type::Defined(1)] {
            let mut value = random_arguments(&function(std::slice::from_ref(&ty)), &interface, seed, 20).remove(0);
            let mut steps = 0;
            loop {
                let all = smaller(&value, &ty, &interface);
                if all.is_empty() {
                    break;
                }
                value = all[picks[steps % picks.len()] % all.len()].clone();
                steps += 1;
                prop_assert!(steps < 100_000, "{ty:?} {value:?}");
            }
        }
    }
}
