//! Python names for Rust names. No identifier of the user's gets into generated Python without passing here.
//!
//! In: the interface. Out: an identifier for each function, parameter, field and type. It collides with no other, and
//! has no other meaning in its scope.
//!
//! Functions and fields keep their Rust spelling, which is also Python's (PEP 8). Reserved names get a `_` at the end.
//! Names that Python would mangle or that have a special meaning (`__x`, `__x__`) lose underscores at the start. Rust
//! identifiers are valid in Python: both follow Unicode's UAX 31.

mod reserved;
mod standard;

use std::collections::HashSet;

use heck::ToShoutySnakeCase as _;
use tierup_codegen::camel_case::assign;
use tierup_codegen::named::{Named, Naming, TypeNames};
use tierup_model::{Case, Definition, DefinitionKind, Field, Interface, Parameter};

use self::reserved::{BUILTINS, CLASSES, EXPORTS, FIELDS, KEYWORDS};
use self::standard::STANDARD_MODULES;

/// The interface as Python calls it.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &Python)
}

struct Python;

impl Naming for Python {
    /// The names of classes in the module: the definitions, and those of their cases that are classes.
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let mut wished = Vec::new();
        for definition in definitions {
            wished.push(definition.name.clone());
            wished.extend(case_classes(definition).map(|case| format!("{}{}", definition.name, case.name)));
        }
        let wished = wished.iter().map(String::as_str).collect();
        let classes = assign(wished, plain, "", |name| is_keyword(name) || CLASSES.contains(&name));
        let mut classes = classes.into_iter();
        let named = definitions.iter().map(|definition| {
            let name = classes.next().unwrap_or_default();
            let cases = match &definition.kind {
                DefinitionKind::Enum(cases) if definition.is_plain_enum() => members(cases),
                _ => classes.by_ref().take(case_classes(definition).count()).collect(),
            };
            TypeNames { name, cases }
        });
        named.collect()
    }

    /// A Rust function may have the name of a type. In Python both are names in one module.
    fn functions(&self, interface: &Interface, types: &[TypeNames]) -> Vec<String> {
        let mut classes = HashSet::new();
        for (definition, names) in interface.definitions.iter().zip(types) {
            classes.insert(names.name.as_str());
            // Members of an enumeration are not names in the module.
            let cases = names.cases.iter().filter(|_| !definition.is_plain_enum());
            classes.extend(cases.map(String::as_str));
        }
        let is_class = |name: &str| classes.contains(name);
        let rust = interface.functions.iter().map(|function| function.name.as_str()).collect();
        assign(rust, plain, "_async", |name| is_keyword(name) || EXPORTS.contains(&name) || is_class(name))
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        let rust = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assign(rust, plain, "", |name| is_keyword(name) || name == "self")
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        let rust = fields.iter().map(|field| field.name.as_str()).collect();
        assign(rust, plain, "", |name| is_keyword(name) || FIELDS.contains(&name))
    }
}

/// The cases that become classes.
fn case_classes(definition: &Definition) -> impl Iterator<Item = &Case> {
    let cases = match &definition.kind {
        DefinitionKind::Enum(cases) if !definition.is_plain_enum() => cases.as_slice(),
        _ => &[],
    };
    cases.iter()
}

fn members(cases: &[Case]) -> Vec<String> {
    let rust = cases.iter().map(|case| case.name.as_str()).collect();
    assign(rust, shouted, "", |name| {
        // Attributes that every member and enumeration has.
        is_keyword(name) || name.starts_with('_') || matches!(name, "mro" | "name" | "value")
    })
}

/// `DARK_BLUE`, if it is an identifier: `_1` is none without its underscore.
fn shouted(name: &str) -> String {
    let shouted = name.to_shouty_snake_case();
    if shouted.starts_with(|c: char| c.is_alphabetic()) { shouted } else { format!("CASE_{shouted}") }
}

/// The name without underscores that Python interprets: inside a class, it mangles names that start with `__`.
fn plain(name: &str) -> String {
    match name.strip_prefix("__") {
        Some(rest) => format!("_{}", rest.trim_start_matches('_')),
        None => name.to_owned(),
    }
}

/// Whether a word cannot be a name. Soft keywords (`match`, `type`) can be.
fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// Whether Python has a function of this name. `package.hash(…)` is valid, but `from package import *` must not hide
/// Python's own.
pub(crate) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// The module that a server imports: the Cargo package's name with `_` for `-`.
pub(crate) fn module(package: &str) -> String {
    package.replace('-', "_")
}

/// The module's name, if Python can import it.
///
/// # Errors
/// If Python would import something else, or nothing.
pub(crate) fn checked_module(package: &str) -> Result<String, String> {
    let module = module(package);
    if STANDARD_MODULES.contains(&module.as_str()) {
        return Err(format!("`{module}` is already a module of Python or another package: rename the cargo package"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts_well = module.starts_with(|c: char| c.is_ascii_alphabetic());
    if !starts_well || !module.chars().all(plain) || is_keyword(&module) {
        let what = "only ASCII letters, digits, `-` and `_`, start with a letter, and avoid Python keywords";
        return Err(format!("Python cannot import a package called `{package}`: use {what}"));
    }
    Ok(module)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use tierup_model::{Function, Payload, Type};

    use super::*;
    use crate::fixtures::{self, case, check, definition, field, function, names};

    fn functions(names: &[&str]) -> Named<'static> {
        of(fixtures::functions(names), vec![])
    }

    fn of(functions: Vec<Function>, definitions: Vec<Definition>) -> Named<'static> {
        named(fixtures::interface("x", functions, definitions))
    }

    #[test]
    fn functions_keep_their_names_unless_python_needs_them() {
        let names = |names: &[&str]| functions(names).functions.into_iter().map(|function| function.name);
        check(
            names(&["near_duplicates", "getUrl", "get_URL", "größe", "match", "type", "hash"]),
            expect!["near_duplicates getUrl get_URL größe match type hash"],
        );
        check(
            names(&["class", "with", "None", "bind", "close", "close_", "bytes", "metrics", "_native", "__init__"]),
            expect!["class_ with_ None_ bind_ close_ close__ bytes_ metrics_ _native_ _init__"],
        );
        check(names(&["draw", "draw_async"]), expect!["draw draw_async_"]);
    }

    #[test]
    fn classes_and_their_cases_do_not_collide() {
        let float = || Payload::Tuple(vec![(Type::F64, "f64".into())]);
        let shape = DefinitionKind::Enum(vec![case("Circle", float()), case("Empty", Payload::None)]);
        let definitions = vec![
            definition("ShapeCircle", DefinitionKind::Record(vec![])),
            definition("Shape", shape),
            definition("TimeoutError", DefinitionKind::Record(vec![])),
        ];
        let names = of(vec![], definitions).definitions;
        let all = names.iter().flat_map(|definition| {
            std::iter::once(definition.name.clone()).chain(definition.cases().iter().map(|case| case.name.clone()))
        });
        check(all, expect!["ShapeCircle Shape ShapeCircle_ ShapeEmpty TimeoutError_"]);
    }

    #[test]
    fn a_function_yields_its_name_to_a_class() {
        let names = of(vec![function("Point", &[])], vec![definition("Point", DefinitionKind::Record(vec![]))]);
        assert_eq!((&*names.functions[0].name, &*names.definitions[0].name), ("Point_", "Point"));
    }

    #[test]
    fn members_are_spelled_as_constants() {
        let cases = ["DarkBlue", "None", "V1", "_2", "darkBlue", "mro", "Mro"].map(|name| case(name, Payload::None));
        let names = of(vec![], vec![definition("Color", DefinitionKind::Enum(cases.into()))]).definitions.remove(0);
        check(names.cases().iter().map(|case| case.name.clone()), expect!["DarkBlue NONE V1 CASE_2 darkBlue mro_ Mro"]);
    }

    #[test]
    fn fields_of_records_and_cases_have_names() {
        let two = Payload::Tuple(vec![(Type::F64, "f64".into()), (Type::F64, "f64".into())]);
        let named = Payload::Named(vec![field("from"), field("value")]);
        let kind = DefinitionKind::Enum(vec![case("Line", two), case("Arrow", named)]);
        let shape = of(vec![], vec![definition("Shape", kind)]).definitions.remove(0);
        check(shape.cases().iter().flat_map(|case| names(&case.fields)), expect!["value0 value1 from_ value"]);
        let kind = DefinitionKind::Record(["class", "type", "__x", "bytes", "self"].map(field).into());
        let record = of(vec![], vec![definition("R", kind)]).definitions.remove(0);
        check(names(record.fields()), expect!["class_ type _x bytes self"]);
    }

    #[test]
    fn packages_that_python_would_not_find_are_refused() {
        for name in ["json", "größe", "1st", "class", "_x", "wasmtime"] {
            assert!(checked_module(name).is_err(), "{name}");
        }
        assert_eq!(checked_module("near-duplicates").as_deref(), Ok("near_duplicates"));
    }
}
