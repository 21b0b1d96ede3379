//! Ruby names for Rust names. No identifier of the user's gets into generated Ruby without passing here.
//!
//! In: the interface. Out: a name for each function, parameter, field, type and case. It collides with no other, and
//! has no other meaning in its scope.
//!
//! Functions, parameters and fields keep their Rust spelling, which is also Ruby's. Types are constants. If an enum has
//! fields in a case, its cases are classes within it; otherwise they are symbols. Reserved names get a `_` at the end.
//! Rust identifiers are valid in Ruby: both allow letters of all scripts.

mod reserved;
mod standard;

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};
use tierup_codegen::camel_case::{assign, assign_valid};
use tierup_codegen::named::{Named, Naming, TypeNames};
use tierup_model::{Definition, DefinitionKind, Field, Interface, Parameter};

use self::reserved::{CONSTANTS, HOOKS, KEYWORDS, METHODS, OWN_METHODS, OWN_TYPES};
use self::standard::STANDARD_FILES;

/// The interface as Ruby calls it.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &Ruby)
}

struct Ruby;

impl Naming for Ruby {
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let names = definitions.iter().map(|definition| &*definition.name);
        let names = assign_valid(names, constant, |name| OWN_TYPES.contains(&name));
        let named = names.into_iter().zip(definitions).map(|(name, definition)| {
            let cases = match &definition.kind {
                DefinitionKind::Record(_) => vec![],
                DefinitionKind::Enum(cases) => {
                    let names = cases.iter().map(|case| &*case.name);
                    if definition.is_plain_enum() {
                        assign(names.collect(), word, "", |_| false)
                    } else {
                        assign_valid(names, constant, |_| false)
                    }
                }
            };
            TypeNames { name, cases }
        });
        named.collect()
    }

    fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
        let rust = interface.functions.iter().map(|function| function.name.as_str()).collect();
        assign(rust, str::to_owned, "", |name| is_method(name) || OWN_METHODS.contains(&name))
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        assign_valid(parameters.iter().map(|parameter| &*parameter.name), variable, |name| KEYWORDS.contains(&name))
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        let is_reserved = |name: &str| is_method(name) || name == "deconstruct_keys";
        assign_valid(fields.iter().map(|field| &*field.name), variable, is_reserved)
    }
}

/// Whether a word is a keyword, a method of every object and module, or a method that Ruby itself calls.
fn is_method(name: &str) -> bool {
    [KEYWORDS, METHODS, HOOKS].iter().any(|reserved| reserved.contains(&name))
}

/// The name as a constant, which begins with a capital letter.
fn constant(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().filter(|first| first.is_lowercase() || first.is_uppercase());
    match first {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => format!("T{name}"),
    }
}

/// The name as a local variable, which does not begin with a capital letter. `_1` has a meaning in a block.
fn variable(name: &str) -> String {
    if name.starts_with(|c: char| c.is_uppercase()) || name.strip_prefix('_').is_some_and(is_digit) {
        return format!("v{name}");
    }
    name.to_owned()
}

fn is_digit(text: &str) -> bool {
    text.len() == 1 && text.chars().all(|c| c.is_ascii_digit())
}

/// The symbol of a case without fields: `dark_blue`.
fn word(name: &str) -> String {
    let word = name.to_snake_case();
    if word.starts_with(|c: char| c.is_alphabetic()) { word } else { name.to_owned() }
}

/// The name of the gem and of the file that a server requires: the Cargo package's name with `_` for `-`.
pub(crate) fn gem(package: &str) -> String {
    package.replace('-', "_")
}

/// The module with the functions: `NearWords` for `near-words`.
pub(crate) fn module(package: &str) -> String {
    package.to_upper_camel_case()
}

/// The module's name, if Ruby can have it.
///
/// # Errors
/// If Ruby would load something else, or nothing.
pub(crate) fn checked_module(package: &str) -> Result<String, String> {
    let (file, module) = (gem(package), module(package));
    if STANDARD_FILES.contains(&file.as_str()) || CONSTANTS.contains(&module.as_str()) {
        return Err(format!("Ruby already has `{file}` or `{module}`: rename the cargo package"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric();
    if !module.starts_with(|c: char| c.is_ascii_alphabetic()) || !module.chars().all(plain) {
        let what = "only ASCII letters, digits, `-` and `_`, and start with a letter";
        return Err(format!("Ruby cannot have a module for `{package}`: use {what}"));
    }
    Ok(module)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(names: impl IntoIterator<Item = String>, expected: Expect) {
        expected.assert_eq(&names.into_iter().collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn names_have_no_other_meaning_in_ruby() {
        check(["Point", "point", "größe", "_x", "型"].map(constant), expect!["Point Point Größe T_x T型"]);
        check(["text", "N", "_1", "_12", "_"].map(variable), expect!["text vN v_1 _12 _"]);
        check(["DarkBlue", "V1", "_2"].map(word), expect!["dark_blue v1 _2"]);
        assert!(["class", "end", "hash", "initialize", "to_ary"].iter().all(|name| is_method(name)));
        assert!(["fail", "format", "lambda", "type"].iter().all(|name| !is_method(name)));
    }

    #[test]
    fn names_that_become_the_same_stay_valid() {
        let names = |names: [&'static str; 2], spelling: fn(&str) -> String| {
            assign_valid(names.into_iter(), spelling, |_| false)
        };
        check(names(["point", "Point"], constant), expect!["Point Point_"]);
        check(names(["_1", "v_1"], variable), expect!["v_1 v_1_"]);
    }

    #[test]
    fn packages_that_ruby_would_not_find_are_refused() {
        for name in ["json", "set", "größe", "1st", "kernel", "string", "_"] {
            assert!(checked_module(name).is_err(), "{name}");
        }
        assert_eq!(checked_module("near-duplicates").as_deref(), Ok("NearDuplicates"));
    }
}
