//! Names that collide with each other or with Go's own.

use expect_test::expect;
use tierup_model::{Function, Payload, Type};

use super::*;
use crate::fixtures::{self, case, check, definition, field, function, names};

fn named_interface(functions: Vec<Function>, definitions: Vec<Definition>) -> Named<'static> {
    named(fixtures::interface("x", functions, definitions))
}

#[test]
fn functions_are_exported() {
    let names = |names: &[&str]| {
        named_interface(fixtures::functions(names), vec![]).functions.into_iter().map(|function| function.name)
    };
    check(
        names(&["near_duplicates", "get_url", "get_URL", "getUrl", "type", "func"]),
        expect!["NearDuplicates Get_url Get_URL GetUrl Type Func"],
    );
    check(
        names(&["close", "tier", "ready", "close_", "metrics", "日本"]),
        expect!["Close_ Tier_ Ready_ Close__ Metrics_ X日本"],
    );
}

#[test]
fn parameters_shadow_no_other_name() {
    let names = named_interface(
        vec![function("f", &["type", "string", "wire", "tierup_x", "user_id", "value", "_", "binding"])],
        vec![],
    );
    check(
        self::names(&names.functions[0].parameters),
        expect!["type_ string_ wire_ tierupX__ userID value __ binding_"],
    );
}

#[test]
fn types_and_their_cases_do_not_collide() {
    let float = || Payload::Tuple(vec![(Type::F64, "f64".into())]);
    let shape = DefinitionKind::Enum(vec![case("Circle", float()), case("Empty", Payload::None)]);
    let color = DefinitionKind::Enum(vec![case("Red", Payload::None)]);
    let definitions = vec![
        definition("ShapeCircle", DefinitionKind::Record(vec![])),
        definition("Shape", shape),
        definition("CallError", DefinitionKind::Record(vec![])),
        definition("Color", color),
    ];
    let named = named_interface(vec![], definitions);
    let all = named.definitions.iter().flat_map(|definition| {
        std::iter::once(definition.name.clone()).chain(definition.cases().iter().map(|case| case.name.clone()))
    });
    check(all, expect!["ShapeCircle Shape Shape_Circle ShapeEmpty CallError_ Color ColorRed"]);
}

#[test]
fn fields_and_payloads_have_names() {
    let two = Payload::Tuple(vec![(Type::F64, "f64".into()), (Type::F64, "f64".into())]);
    let kind =
        DefinitionKind::Enum(vec![case("Line", two), case("Arrow", Payload::Named(vec![field("from"), field("_x")]))]);
    let shape = named_interface(vec![], vec![definition("Shape", kind)]).definitions.remove(0);
    check(shape.cases().iter().flat_map(|case| names(&case.fields)), expect!["Value0 Value1 From X"]);
    let kind = DefinitionKind::Record(["type", "user_id", "userId", "_1"].map(field).into());
    let record = named_interface(vec![], vec![definition("R", kind)]).definitions.remove(0);
    check(names(record.fields()), expect!["Type User_id UserId X1"]);
}

#[test]
fn packages_and_symbols_have_names() {
    check(
        ["near-duplicates", "func", "main", "a_b", "len", "documentation", "x_test"].map(package),
        expect!["nearduplicates rustfunc rustmain ab rustlen rustdocumentation xtest"],
    );
    check(["near-duplicates", "near_duplicates"].map(symbol), expect!["near_dduplicates near__duplicates"]);
    for refused in ["größe", "internal", "vendor", "con", "COM1", "v2", "v10"] {
        assert!(checked_module(refused).is_err(), "{refused}");
    }
    for fine in ["main", "test", "testdata", "_x", "x_test", "x_linux", "documentation", "v1x", "internals"] {
        assert_eq!(checked_module(fine), Ok(format!("tierup.local/{fine}")));
    }
    assert_eq!(checked_module("near-duplicates").as_deref(), Ok("tierup.local/near-duplicates"));
}
