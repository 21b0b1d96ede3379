//! Go names for Rust names. No identifier of the user's gets into generated Go without passing here.
//!
//! In: the interface. Out: an identifier for each function, parameter, field, type and constant. It collides with no
//! other, and has no other meaning in its scope.
//!
//! Names that would become the same keep their Rust spelling, with a capital letter in front. Names that still collide
//! or are reserved get a `_` at the end.

mod reserved;
mod words;

use std::collections::HashMap;

use tierup_codegen::camel_case;
use tierup_codegen::named::{Named, Naming, TypeNames};
use tierup_model::{Definition, DefinitionKind, Field, Interface, Parameter};

use self::reserved::{EXPORTS, KEYWORDS, LOCALS, METHODS, NO_PACKAGES, NO_PATHS, PREDECLARED};

/// The interface as Go calls it.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &Go)
}

struct Go;

impl Naming for Go {
    /// Types, cases and constants share the package's scope.
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let mut wished = Vec::new();
        for definition in definitions {
            wished.push(definition.name.clone());
            wished.extend(cases(definition).map(|case| format!("{}_{case}", definition.name)));
        }
        let mut names = exported(wished.into_iter(), EXPORTS).into_iter();
        let named = definitions.iter().map(|definition| {
            let name = names.next().unwrap_or_default();
            TypeNames { name, cases: names.by_ref().take(cases(definition).count()).collect() }
        });
        named.collect()
    }

    fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
        exported(interface.functions.iter().map(|function| function.name.clone()), METHODS)
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        let plain: Vec<String> = parameters.iter().map(|parameter| words::plain(&parameter.name)).collect();
        camel_case::assign(plain.iter().map(String::as_str).collect(), words::local, "", |name| {
            // Go cannot read the value of a parameter called `_`.
            is_word(name)
                || LOCALS.contains(&name)
                || (name.starts_with("tierup") && !name.ends_with("__"))
                || name == "_"
        })
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        exported(fields.iter().map(|field| field.name.clone()), &[])
    }

    fn unnamed(&self) -> &'static str {
        "Value"
    }
}

fn cases(definition: &Definition) -> impl Iterator<Item = &str> {
    let cases = match &definition.kind {
        DefinitionKind::Record(_) => &[],
        DefinitionKind::Enum(cases) => cases.as_slice(),
    };
    cases.iter().map(|case| case.name.as_str())
}

fn exported(names: impl Iterator<Item = String>, reserved: &[&str]) -> Vec<String> {
    let names: Vec<String> = names.collect();
    let spelled: Vec<String> = names.iter().map(|name| words::spelled(name)).collect();
    let wished: HashMap<&str, String> =
        spelled.iter().zip(&names).map(|(spelled, name)| (spelled.as_str(), words::exported(name))).collect();
    let rust = spelled.iter().map(String::as_str).collect();
    camel_case::assign(rust, |spelled| wished[spelled].clone(), "", |name| reserved.contains(&name))
}

/// The Go name of a function that collides with no other.
pub(crate) fn function(name: &str) -> String {
    words::exported(name)
}

/// Whether the word is a keyword or predeclared in Go.
fn is_word(name: &str) -> bool {
    KEYWORDS.contains(&name) || PREDECLARED.contains(&name)
}

/// The package's name in Go: the letters and digits of the Cargo package's name, in lower case, as is usual in Go.
pub(crate) fn package(cargo: &str) -> String {
    let name: String = cargo.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if !starts_well || is_word(&name) || NO_PACKAGES.contains(&name.as_str()) { format!("rust{name}") } else { name }
}

/// The module's path, by which a server imports the package. No registry has it: `go.mod` maps it to a folder.
pub(crate) fn module(cargo: &str) -> String {
    format!("tierup.local/{cargo}")
}

/// The module's path, if Go accepts it.
///
/// # Errors
/// If Go has no import path with this name.
pub(crate) fn checked_module(cargo: &str) -> Result<String, String> {
    if !cargo.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Err(format!(
            "Go cannot import a package called `{cargo}`: use only ASCII letters, digits, `-` and `_`"
        ));
    }
    let is_version = cargo.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()));
    if NO_PATHS.contains(&&*cargo.to_ascii_lowercase()) || is_version {
        return Err(format!(
            "Go cannot import a package called `{cargo}`, which means something else in an import path: name the crate otherwise"
        ));
    }
    Ok(module(cargo))
}

/// A prefix of C names that is unique to this package: all packages of a program share one namespace in C.
pub(crate) fn symbol(cargo: &str) -> String {
    cargo.chars().map(|c| if c == '_' { "__".to_owned() } else { c.to_string() }).collect::<String>().replace('-', "_d")
}

#[cfg(test)]
mod tests;
