//! Rust names in Elixir: the only way for a user's identifier into generated Elixir.
//!
//! In: the interface. Out: a function for each function (and one with `!`), an atom for each field and each case, a module
//! below the package's own for each record and enum.
//!
//! Functions and fields keep their Rust spelling, which is also Elixir's; cases become `:snake_case`. Reserved names get a
//! `_` at the end.

mod reserved;

use heck::{ToSnakeCase as _, ToUpperCamelCase as _};
use tierup_codegen::camel_case::{assign, assign_valid};
use tierup_codegen::named::{Named, Naming, TypeNames};
use tierup_model::{Definition, DefinitionKind, Field, Interface, Parameter};

use self::reserved::{APPLICATIONS, FUNCTIONS, KEYWORDS, MODULES, TYPES};

/// The interface with Elixir's names.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &Elixir)
}

struct Elixir;

impl Naming for Elixir {
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let names = definitions.iter().map(|definition| &*definition.name);
        let modules = assign_valid(names, upper, |name| TYPES.contains(&name));
        let cases = |definition: &Definition| match &definition.kind {
            DefinitionKind::Record(_) => vec![],
            DefinitionKind::Enum(cases) => {
                let rust = cases.iter().map(|case| case.name.as_str()).collect();
                // A case called `nil` would look like an absent value.
                assign(rust, |name| name.to_snake_case(), "", |name| matches!(name, "" | "nil" | "true" | "false"))
            }
        };
        let named = definitions.iter().zip(modules);
        named.map(|(definition, name)| TypeNames { name, cases: cases(definition) }).collect()
    }

    fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
        let names = interface.functions.iter().map(|function| &*function.name);
        assign_valid(names, lower, |name| is_keyword(name) || FUNCTIONS.contains(&name))
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        assign_valid(parameters.iter().map(|parameter| &*parameter.name), variable, is_keyword)
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        let rust = fields.iter().map(|field| field.name.as_str()).collect();
        assign(rust, str::to_owned, "", |name| name == "__struct__" || name == "__exception__")
    }
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

/// The name of a function or variable. With a capital letter, it would name a module.
fn lower(name: &str) -> String {
    if name.starts_with(char::is_uppercase) { name.to_snake_case() } else { name.to_owned() }
}

/// The name of a variable. Elixir warns if one with a leading `_` is used. The rest may be empty, or begin with a
/// digit.
fn variable(name: &str) -> String {
    match name.trim_start_matches('_') {
        rest if rest.starts_with(char::is_alphabetic) => lower(rest),
        _ => format!("v{name}"),
    }
}

/// The last part of a module's name, which must be ASCII and begin with a capital letter.
fn upper(name: &str) -> String {
    if name.starts_with(|c: char| c.is_ascii_uppercase()) { name.to_owned() } else { name.to_upper_camel_case() }
}

/// The application's name: that of the cargo package, with `_` for `-`.
pub(crate) fn application(package: &str) -> String {
    package.replace('-', "_")
}

/// The name of the module that a server calls: `NearWords` for `near-words`.
pub(crate) fn module(package: &str) -> String {
    package.to_upper_camel_case()
}

/// The name as in [`module`], if the BEAM can load such a module.
///
/// # Errors
/// The BEAM would load another module, or none.
pub(crate) fn checked(package: &str) -> Result<String, String> {
    let (application, module) = (application(package), module(package));
    let plain = |c: char| c.is_ascii_alphanumeric();
    if !application.starts_with(|c: char| c.is_ascii_lowercase()) || !module.chars().all(plain) {
        return Err(format!(
            "Elixir has no application called `{package}`: use only ASCII letters, digits, `-` and `_`, and start with \
             a lower-case letter"
        ));
    }
    if APPLICATIONS.contains(&application.as_str()) || MODULES.contains(&module.as_str()) {
        return Err(format!(
            "`{package}` is already an application of Erlang or a module of Elixir: rename the cargo package"
        ));
    }
    Ok(module)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use tierup_model::Payload;

    use super::*;
    use crate::fixtures::{self, case, check, definition, field};

    fn named_interface(functions: &[&str], definitions: Vec<Definition>) -> Named<'static> {
        named(fixtures::interface("x", fixtures::functions(functions), definitions))
    }

    #[test]
    fn functions_keep_their_names_unless_elixir_needs_them() {
        let names = |names: &[&str]| named_interface(names, vec![]).functions.into_iter().map(|function| function.name);
        check(
            names(&["near_words", "getUrl", "get_URL", "größe", "length", "type", "Point"]),
            expect!["near_words getUrl get_URL größe length type point"],
        );
        check(
            names(&["with", "end", "def", "nil", "bind", "metrics", "tier", "__info__"]),
            expect!["with_ end_ def_ nil_ bind_ metrics_ tier_ __info___"],
        );
    }

    #[test]
    fn cases_are_atoms_and_records_are_modules() {
        let cases = ["DarkBlue", "Nil", "True", "V1"].map(|name| case(name, Payload::None)).into();
        let named = named_interface(
            &[],
            vec![
                definition("Color", DefinitionKind::Enum(cases)),
                definition("Tierup", DefinitionKind::Record(vec![field("end"), field("__struct__")])),
            ],
        );
        check(named.definitions.iter().map(|definition| definition.name.clone()), expect!["Color Tierup_"]);
        check(named.definitions[0].cases().iter().map(|case| case.name.clone()), expect!["dark_blue nil_ true_ v1"]);
        check(named.definitions[1].fields().iter().map(|field| field.name.clone()), expect!["end __struct___"]);
    }

    #[test]
    fn names_that_become_the_same_stay_valid() {
        let names =
            |names: &[&str], spelling: fn(&str) -> String| assign_valid(names.iter().copied(), spelling, is_keyword);
        check(names(&["http_server", "HTTPServer", "HttpServer"], upper), expect!["HttpServer HTTPServer HttpServer_"]);
        check(names(&["point", "Point"], lower), expect!["point point_"]);
        check(names(&["_1", "__", "_x", "x", "_end", "N"], variable), expect!["v_1 v__ x x_ end_ n"]);
    }

    #[test]
    fn packages_that_would_hide_others_are_refused() {
        for name in ["kernel", "string", "größe", "1st", "_x", "mix", "crypto"] {
            assert!(checked(name).is_err(), "{name}");
        }
        assert_eq!(checked("near-words").as_deref(), Ok("NearWords"));
    }
}
