//! What hosts' own tests of their names are about: interfaces of functions, records and enums whose types do not matter.
//!
//! In: Rust names. Out: definitions, and an interface of them. The tests include this file as a module.
#![allow(dead_code, reason = "not every host's tests need all of it")]

use expect_test::Expect;
use tierup_codegen::named::NamedValue;
use tierup_model::{
    Case, Definition, DefinitionKind, Field, Function, Interface, Output, Parameter, Passing, Payload, Type,
};

pub(crate) fn definition(name: &str, kind: DefinitionKind) -> Definition {
    Definition { name: name.into(), path: format!("::x::{name}"), docs: String::new(), kind }
}

pub(crate) fn field(name: &str) -> Field {
    Field { name: name.into(), docs: String::new(), ty: Type::Bool, rust: "bool".into() }
}

pub(crate) fn case(name: &str, payload: Payload) -> Case {
    Case { name: name.into(), docs: String::new(), payload }
}

pub(crate) fn function(name: &str, parameters: &[&str]) -> Function {
    let parameter =
        |name: &&str| Parameter { name: (*name).into(), ty: Type::Bool, rust: "bool".into(), passing: Passing::Value };
    Function {
        name: name.into(),
        path: String::new(),
        docs: String::new(),
        parameters: parameters.iter().map(parameter).collect(),
        output: Output { ty: None, rust: "()".into(), fallible: false },
    }
}

/// Functions without parameters.
pub(crate) fn functions(names: &[&str]) -> Vec<Function> {
    names.iter().map(|name| function(name, &[])).collect()
}

/// It lives as long as the test's process, so that names may borrow from it.
pub(crate) fn interface(package: &str, functions: Vec<Function>, definitions: Vec<Definition>) -> &'static Interface {
    let (library, version) = ("x".to_owned(), "0.1.0".to_owned());
    let interface =
        Interface { package: package.into(), library, version, functions, definitions, ..Interface::default() };
    Box::leak(Box::new(interface))
}

pub(crate) fn names(values: &[NamedValue<'_>]) -> Vec<String> {
    values.iter().map(|value| value.name.clone()).collect()
}

#[track_caller]
pub(crate) fn check(actual: impl IntoIterator<Item = String>, expected: Expect) {
    expected.assert_eq(&actual.into_iter().collect::<Vec<_>>().join(" "));
}
