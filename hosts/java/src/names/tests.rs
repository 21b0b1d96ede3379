//! Names that collide with each other or with Java's own.

use std::collections::HashMap;

use expect_test::expect;
use tierup_model::{Function, Payload, Type};

use super::*;
use crate::fixtures::{self, case, check, definition, field, function};

fn named_interface(package: &str, functions: Vec<Function>, definitions: Vec<Definition>) -> Named<'static> {
    named(fixtures::interface(package, functions, definitions))
}

fn functions(names: &[&str]) -> Vec<String> {
    named_interface("x", fixtures::functions(names), vec![])
        .functions
        .into_iter()
        .map(|function| function.name)
        .collect()
}

#[test]
fn functions_are_camel_case() {
    check(
        functions(&["near_duplicates", "get_url", "get_URL", "getUrl", "type", "class", "日本", "_1", "naïve_été"]),
        expect!["nearDuplicates get_url get_URL getUrl type class_ 日本 _1 naïveÉté"],
    );
}

#[test]
fn methods_of_objects_and_bindings_are_not_overridden() {
    check(
        functions(&[
            "wait", "get_class", "notify", "close", "tier", "load", "check_health", "metrics", "close_", "new", "yield",
        ]),
        expect!["wait_ getClass_ notify_ close_ tier_ load_ checkHealth_ metrics_ close__ new_ yield_"],
    );
}

#[test]
fn parameters_shadow_no_other_name() {
    let names =
        named_interface("x", vec![function("f", &["this", "to", "e", "user_id", "own", "_", "int", "value"])], vec![]);
    check(fixtures::names(&names.functions[0].parameters), expect!["this_ to_ e_ userId own_ __ int_ value"]);
}

/// A class is a file, and `URL.java` and `Url.java` are the same on a file system that ignores case.
#[test]
fn types_differ_in_more_than_case() {
    let record = |name: &&str| definition(name, DefinitionKind::Record(vec![]));
    let wished = ["Url", "URL", "String", "Options", "TierupCalls", "record", "Größe", "Slug"];
    let named = named_interface("slug", vec![], wished.iter().map(record).collect());
    let class = class(&named);
    check(
        named.definitions.into_iter().map(|definition| definition.name).chain([class]),
        expect!["Url URL_ String_ Options_ MyTierupCalls Record_ GrU00F6U00DFe Slug RustSlug"],
    );
}

#[test]
fn cases_shadow_no_type() {
    let float = || Payload::Tuple(vec![(Type::F64, "f64".into())]);
    let kind = DefinitionKind::Enum(vec![
        case("Point", float()),
        case("Object", float()),
        case("Shape", Payload::None),
        case("Line", Payload::Tuple(vec![(Type::F64, "f64".into()), (Type::F64, "f64".into())])),
        case("Arrow", Payload::Named(vec![field("from"), field("hash_code"), field("default")])),
    ]);
    let names = named_interface(
        "x",
        vec![],
        vec![definition("Point", DefinitionKind::Record(vec![])), definition("Shape", kind)],
    );
    let cases = names.definitions.iter().flat_map(|definition| definition.cases());
    check(
        cases.map(|case| format!("{}({})", case.name, fixtures::names(&case.fields).join(","))),
        expect!["Point_(value) Object_(value) Shape_() Line(value0,value1) Arrow(from,hashCode_,default_)"],
    );
}

#[test]
fn constants_are_in_upper_case_unless_they_collide() {
    let kind =
        DefinitionKind::Enum(["DarkBlue", "Dark_Blue", "Red", "URL2"].map(|name| case(name, Payload::None)).into());
    let names = named_interface("x", vec![], vec![definition("Color", kind)]);
    let cases = names.definitions.iter().flat_map(|definition| definition.cases());
    check(cases.map(|case| case.name.clone()), expect!["DarkBlue Dark_Blue RED URL2"]);
}

#[test]
fn packages_and_symbols_have_names() {
    check(
        ["near-duplicates", "class", "a_b", "2d"].map(package),
        expect!["local.tierup.near_duplicates local.tierup.class_ local.tierup.a__b local.tierup._2d"],
    );
    check(["near-duplicates", "a_b"].map(symbol), expect!["local_tierup_near_1duplicates local_tierup_a_1_1b"]);
    assert!(artifact("größe").is_err());
}

/// If two Cargo packages of a program had the same Java package, one would answer for both.
#[test]
fn no_two_cargo_packages_share_a_java_package() {
    let names = ["oneword", "one-word", "one_word", "OneWord", "oneWord", "new", "new_", "rustnew", "New"];
    check(names.map(part), expect!["oneword one_word one__word ___one___word one___word new_ new___0 rustnew ___new"]);
    // All names of up to five of these characters.
    let mut all = vec![String::new()];
    for from in 0.. {
        if all[from].len() == 5 {
            break;
        }
        for c in ['d', 'o', 'D', '0', '1', '-', '_'] {
            all.push(format!("{}{c}", all[from]));
        }
    }
    let mut seen = HashMap::new();
    for name in &all[1..] {
        let part = part(name);
        assert!(part.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_')), "{part}");
        assert!(!is_word(&part) && !part.starts_with(|c: char| c.is_ascii_digit()), "{part}");
        if let Some(other) = seen.insert(part.clone(), name) {
            panic!("{name} and {other} are both {part}");
        }
    }
}
