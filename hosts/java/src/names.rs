//! Java names for Rust names. No identifier of the user's gets into generated Java without passing here.
//!
//! In: the interface. Out: an identifier for each function, parameter, field, type and constant. It collides with no
//! other, and has no other meaning in its scope.
//!
//! Types are files, so their names are ASCII and differ in more than case: some file systems ignore case. Names that
//! collide or are reserved get a `_` at the end.

mod reserved;

use std::collections::HashSet;

use heck::{ToShoutySnakeCase as _, ToUpperCamelCase as _};
use tierup_codegen::camel_case;
use tierup_codegen::named::{Named, Naming, TypeNames};
use tierup_model::{Case, Definition, DefinitionKind, Field, Interface, Parameter};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use self::reserved::{KEYWORDS, LOCALS, METHODS, OBJECT, TYPES};

/// The interface as Java calls it.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &Java)
}

struct Java;

impl Naming for Java {
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let mut taken = Taken::default();
        let types: Vec<String> = definitions.iter().map(|definition| taken.name(type_name(&definition.name))).collect();
        let named = definitions.iter().zip(&types).map(|(definition, name)| {
            let cases = match &definition.kind {
                DefinitionKind::Record(_) => vec![],
                DefinitionKind::Enum(cases) if definition.is_plain_enum() => constants(cases),
                DefinitionKind::Enum(cases) => {
                    // Inside the enum's type, a case would shadow another type of the same name.
                    let mut taken = Taken(types.iter().map(|name| name.to_lowercase()).collect());
                    cases.iter().map(|case| taken.name(type_name(&case.name))).collect()
                }
            };
            TypeNames { name: name.clone(), cases }
        });
        named.collect()
    }

    fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
        assigned(interface.functions.iter().map(|function| &*function.name), |name| {
            is_word(name) || OBJECT.contains(&name) || METHODS.contains(&name)
        })
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        let rust = parameters.iter().map(|parameter| &*parameter.name);
        assigned(rust, |name| is_word(name) || LOCALS.contains(&name))
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        assigned(fields.iter().map(|field| &*field.name), |name| is_word(name) || OBJECT.contains(&name))
    }
}

/// The name of the class with the functions.
pub(crate) fn class(named: &Named<'_>) -> String {
    let mut taken = Taken(named.definitions.iter().map(|definition| definition.name.to_lowercase()).collect());
    let name = camel_of_package(&named.interface.package);
    if taken.has(&name) { taken.name(format!("Rust{name}")) } else { taken.name(name) }
}

/// Names of types. No file system may take two of them for the same file.
#[derive(Default)]
struct Taken(HashSet<String>);

impl Taken {
    fn has(&self, name: &str) -> bool {
        self.0.contains(&name.to_lowercase())
            || TYPES.iter().any(|taken| taken.eq_ignore_ascii_case(name))
            || name.to_lowercase().starts_with("tierup")
            || is_word(name)
    }

    fn name(&mut self, mut name: String) -> String {
        while self.has(&name) {
            name = if name.to_lowercase().starts_with("tierup") { format!("My{name}") } else { name + "_" };
        }
        self.0.insert(name.to_lowercase());
        name
    }
}

fn constants(cases: &[Case]) -> Vec<String> {
    let plain: Vec<String> = cases.iter().map(|case| plain(&case.name)).collect();
    camel_case::assign(plain.iter().map(String::as_str).collect(), constant, "", is_word)
}

fn constant(name: &str) -> String {
    let shouted = name.to_shouty_snake_case();
    if starts_well(&shouted) { shouted } else { name.to_owned() }
}

/// `camelCase`, if that is an identifier.
fn assigned<'n>(rust: impl Iterator<Item = &'n str>, is_reserved: impl Fn(&str) -> bool) -> Vec<String> {
    let plain: Vec<String> = rust.map(plain).collect();
    camel_case::assign(plain.iter().map(String::as_str).collect(), camel_case::camel, "", is_reserved)
}

/// The Java name of a function that collides with no other.
pub(crate) fn function(name: &str) -> String {
    assigned(std::iter::once(name), is_word).remove(0)
}

/// Whether the word is reserved in Java.
fn is_word(name: &str) -> bool {
    KEYWORDS.contains(&name)
}

fn starts_well(name: &str) -> bool {
    name.starts_with(|c: char| is_letter(c) || c == '_')
}

/// The name without characters that Java does not allow. Their number replaces all but letters, marks and digits.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| {
            let takes = c == '_' || is_letter(c) || is_inside(c);
            if takes { c.to_string() } else { format!("u{:04x}", c as u32) }
        })
        .collect()
}

fn is_letter(c: char) -> bool {
    use GeneralCategory::*;
    let category = c.general_category();
    matches!(
        category,
        UppercaseLetter | LowercaseLetter | TitlecaseLetter | ModifierLetter | OtherLetter | LetterNumber
    )
}

fn is_inside(c: char) -> bool {
    use GeneralCategory::*;
    matches!(c.general_category(), DecimalNumber | SpacingMark | NonspacingMark | ConnectorPunctuation)
}

/// A type as Rust spells it, with a capital letter in front, and in ASCII, as it is a file's name.
fn type_name(name: &str) -> String {
    let ascii: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c.to_string() } else { format!("U{:04X}", c as u32) })
        .collect();
    let mut chars = ascii.chars();
    let first = chars.next().unwrap_or('X').to_ascii_uppercase();
    if first.is_ascii_uppercase() { format!("{first}{}", chars.as_str()) } else { format!("X{ascii}") }
}

fn camel_of_package(cargo: &str) -> String {
    type_name(&cargo.to_upper_camel_case())
}

/// The name of [`class`], unless a type of the crate has it.
pub(crate) fn facade(cargo: &str) -> String {
    Taken::default().name(camel_of_package(cargo))
}

/// The last part of the Java package's name. No two Cargo packages share it: on one class path, one would answer for
/// the other. It is a folder's name too, so it consists of lower-case letters, digits and `_`.
///
/// `-` becomes `_`, and `_` becomes `__`, inside the name before a lower-case letter or a digit. Elsewhere they become
/// `___1` and `___0`. A capital letter becomes `___` and its lower case. Keywords and leading digits are handled as the
/// language's specification advises: <https://docs.oracle.com/javase/specs/jls/se25/html/jls-6.html#jls-6.1>.
fn part(cargo: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let mut name = String::new();
    let mut chars = cargo.chars().peekable();
    while let Some(c) = chars.next() {
        let is_between = !name.is_empty() && chars.peek().is_some_and(is_plain);
        match c {
            '-' if is_between => name.push('_'),
            '_' if is_between => name.push_str("__"),
            '-' => name.push_str("___1"),
            '_' => name.push_str("___0"),
            _ if c.is_ascii_uppercase() => name.extend(["___", c.to_ascii_lowercase().encode_utf8(&mut [0])]),
            _ => name.push(c),
        }
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        format!("_{name}")
    } else if is_word(&name) {
        name + "_"
    } else {
        name
    }
}

/// The Java package.
pub(crate) fn package(cargo: &str) -> String {
    format!("{GROUP}.{}", part(cargo))
}

/// The Maven group of the artifacts. No registry has them, because nobody can own a domain in `.local`.
pub(crate) const GROUP: &str = "local.tierup";

/// The Cargo package's name, checked to be a Maven artifact's.
///
/// # Errors
/// If an artifact cannot have this name.
pub(crate) fn artifact(cargo: &str) -> Result<&str, String> {
    if !cargo.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
        return Err(format!(
            "Maven does not allow an artifact called `{cargo}`: use only ASCII letters, digits, `-` and `_` in the crate's name"
        ));
    }
    Ok(cargo)
}

/// The Java package's name as it is spelled in the names of JNI functions.
pub(crate) fn symbol(cargo: &str) -> String {
    package(cargo).replace('_', "_1").replace('.', "_")
}

#[cfg(test)]
mod tests;
