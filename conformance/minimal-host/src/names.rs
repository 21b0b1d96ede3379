//! Rust names as Perl's: the only way by which a user's identifier gets into generated Perl.
//!
//! In: the interface. Out: a method for each function, a hash key for each field, a string for each case.
//!
//! Everything keeps its Rust spelling, which is Perl's (perlstyle). Only methods can collide with anything: a hash key or
//! a string is any text.

use heck::ToUpperCamelCase as _;
use tierup_codegen::camel_case::assign;
use tierup_codegen::named::{Named, Naming, TypeNames};
use tierup_model::{Definition, DefinitionKind, Field, Interface, Parameter};

/// The interface as Perl calls it.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &Perl)
}

/// Methods that every object has, blocks that Perl runs itself, and the methods of `templates/package/Binding.pm`.
const RESERVED: &[&str] = &[
    "AUTOLOAD", "BEGIN", "CHECK", "CLONE", "CLONE_SKIP", "DESTROY", "DOES", "END", "INIT", "ISA", "UNITCHECK",
    "VERSION", "can", "import", "isa", "unimport", "call", "new", "ready", "tier",
];

struct Perl;

impl Naming for Perl {
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let cases = |definition: &Definition| match &definition.kind {
            DefinitionKind::Record(_) => vec![],
            DefinitionKind::Enum(cases) => cases.iter().map(|case| case.name.clone()).collect(),
        };
        let names = |definition: &Definition| TypeNames { name: definition.name.clone(), cases: cases(definition) };
        definitions.iter().map(names).collect()
    }

    fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
        let rust = interface.functions.iter().map(|function| function.name.as_str());
        assign(rust.collect(), str::to_owned, "", |name| RESERVED.contains(&name))
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        parameters.iter().map(|parameter| parameter.name.clone()).collect()
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        fields.iter().map(|field| field.name.clone()).collect()
    }
}

/// The module below `Tierup::`, where no other module can have its name: `NearWords` for `near-words`.
///
/// # Errors
/// The name would need a file whose name is not ASCII.
pub(crate) fn module(package: &str) -> Result<String, String> {
    let module = package.to_upper_camel_case();
    let plain =
        module.starts_with(|c: char| c.is_ascii_alphabetic()) && module.chars().all(|c| c.is_ascii_alphanumeric());
    if plain {
        Ok(module)
    } else {
        Err(format!("Perl cannot load a module for `{package}`: use ASCII letters and digits"))
    }
}

/// A string literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_named_after_packages() {
        assert_eq!(module("near-words_2").as_deref(), Ok("NearWords2"));
        assert!(module("größe").is_err());
    }

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(literal(r"it's \"), r"'it\'s \\'");
    }
}
