//! JavaScript's names for Rust names: the only way for a user's identifier into generated JavaScript and TypeScript.
//!
//! In: the interface. Out: an identifier for each function, parameter, field and type, which neither collides with
//! another one nor has another meaning at its place.
//!
//! Names become camelCase, by the rules of [`camel_case`]; a reserved name gets a `_` at its end.
//! Functions and fields are properties, so no keyword is reserved for them: `images.delete(…)` is valid JavaScript.
//! Rust identifiers are valid in JavaScript: both follow Unicode's UAX 31, and JavaScript allows more.

mod reserved;

use tierup_codegen::camel_case::{self, assign, camel};
use tierup_codegen::named::{Named, NamedCase, NamedValue, Naming, TypeNames};
use tierup_model::{Definition, DefinitionKind, Field, Interface, Parameter, Payload, Type};

use self::reserved::{BUILT_IN_MODULES, EXPORTS, INHERITED, RESERVED, TYPES};

/// The interface with JavaScript's names. The name of a function is the property that returns a Promise; the name of a
/// case is the string that identifies it.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &JavaScript)
}

struct JavaScript;

impl Naming for JavaScript {
    /// The [`input`] of each type's name must be free, too. Cases keep their Rust names, as they are strings.
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let rust = definitions.iter().map(|definition| definition.name.as_str());
        let is_reserved = |name: &str| RESERVED.contains(&name) || TYPES.contains(&name);
        let names = assign(rust.collect(), str::to_owned, INPUT, is_reserved);
        let cases = |definition: &Definition| match &definition.kind {
            DefinitionKind::Record(_) => vec![],
            DefinitionKind::Enum(cases) => cases.iter().map(|case| case.name.clone()).collect(),
        };
        definitions.iter().zip(names).map(|(definition, name)| TypeNames { name, cases: cases(definition) }).collect()
    }

    /// The [`sync`] of each function's name must be free, too.
    fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
        let rust = interface.functions.iter().map(|function| function.name.as_str());
        assign(rust.collect(), camel, SYNC, |name| EXPORTS.contains(&name))
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        let rust = parameters.iter().map(|parameter| parameter.name.as_str());
        assign(rust.collect(), camel, "", |name| RESERVED.contains(&name))
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        camel_case::fields(fields)
    }
}

const SYNC: &str = "Sync";
const INPUT: &str = "Input";

/// The property of a function that returns the value itself.
pub(crate) fn sync(function: &str) -> String {
    format!("{function}{SYNC}")
}

/// The type of arguments, if a type accepts more forms of a value than it returns.
pub(crate) fn input(name: &str) -> String {
    format!("{name}{INPUT}")
}

/// The property `value` of a case.
pub(crate) enum Carried<'c, 'a> {
    Nothing,
    One(&'a Type),
    /// Several values without names: an array.
    Several(Vec<&'a Type>),
    /// An object.
    Record(&'c [NamedValue<'a>]),
}

pub(crate) fn carried<'c, 'a>(case: &'c NamedCase<'a>) -> Carried<'c, 'a> {
    match (case.payload, case.fields.as_slice()) {
        (Payload::None, _) => Carried::Nothing,
        (Payload::Tuple(_), [only]) => Carried::One(only.ty),
        (Payload::Tuple(_), several) => Carried::Several(several.iter().map(|value| value.ty).collect()),
        (Payload::Named(_), fields) => Carried::Record(fields),
    }
}

/// The cases, for an error: `"Red", "Green" or "Blue"`.
pub(crate) fn one_of(cases: &[NamedCase<'_>]) -> String {
    let names: Vec<_> = cases.iter().map(|case| format!("{:?}", case.name)).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// A property's name in an object literal or a TypeScript interface, in which a few words have another meaning.
pub(crate) fn key(property: &str) -> String {
    let is_special = RESERVED.contains(&property) || matches!(property, "constructor" | "readonly" | "declare");
    if is_special { literal(property) } else { property.to_owned() }
}

/// Whether every object has a property with this name.
pub(crate) fn is_inherited(property: &str) -> bool {
    INHERITED.contains(&property)
}

/// Whether Node has a module with this name, which `require` would return instead of the package.
pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN_MODULES.contains(&name)
}

/// The npm package's name, which is the cargo package's name.
///
/// # Errors
/// npm or Node would not accept the name.
pub(crate) fn package(name: &str) -> Result<&str, String> {
    if is_built_in(name) {
        return Err(format!("`{name}` is a module of Node itself: rename the cargo package"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.starts_with('_') || !name.chars().all(plain) {
        return Err(format!(
            "npm does not allow a package called `{name}`: use only ASCII letters, digits, `-` and `_`"
        ));
    }
    Ok(name)
}

/// A string literal, in single quotes.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", escaped(text, '\''))
}

/// A string of JSON.
pub(crate) fn json(text: &str) -> String {
    format!("\"{}\"", escaped(text, '"'))
}

fn escaped(text: &str, quote: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            _ if c == quote => escaped.extend(['\\', c]),
            // These are control characters and JavaScript's two special line ends.
            '\0'..='\x1f' | '\x7f' | '\u{2028}' | '\u{2029}' => escaped.push_str(&format!("\\u{:04x}", c as u32)),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixtures::{field, function, functions, interface};

    fn function_names(names: &[&str]) -> String {
        let names = named(interface("x", functions(names), vec![])).functions.into_iter().map(|function| function.name);
        names.collect::<Vec<_>>().join(" ")
    }

    fn parameter_names(names: &[&str]) -> String {
        named(interface("x", vec![function("f", names)], vec![])).functions[0].arguments().join(" ")
    }

    fn property_names(names: &[&str]) -> String {
        camel_case::fields(&names.iter().map(|name| field(name)).collect::<Vec<_>>()).join(" ")
    }

    #[track_caller]
    fn check(actual: String, expected: Expect) {
        expected.assert_eq(&actual);
    }

    #[test]
    fn names_become_camel_case() {
        check(
            function_names(&["render_as_png", "x", "utf8_length", "größe_in_m"]),
            expect!["renderAsPng x utf8Length größeInM"],
        );
    }

    #[test]
    fn colliding_names_keep_their_rust_spelling() {
        check(function_names(&["get_url", "get_URL", "getUrl", "other"]), expect!["get_url get_URL getUrl other"]);
        check(property_names(&["get_url", "getUrl"]), expect!["get_url getUrl"]);
        check(function_names(&["draw", "draw_sync", "drawSync"]), expect!["draw draw_sync drawSync_"]);
    }

    #[test]
    fn names_of_the_packages_own_exports_get_an_underscore() {
        check(
            function_names(&[
                "class", "type", "constructor", "__proto__", "then", "with", "tier", "close", "close_", "metrics",
            ]),
            expect!["class type constructor proto then_ with_ tier_ close_ close__ metrics_"],
        );
    }

    #[test]
    fn words_that_cannot_name_a_parameter_get_an_underscore() {
        check(
            parameter_names(&["class", "type", "arguments", "this", "new", "constructor", "eval"]),
            expect!["class_ type arguments_ this_ new_ constructor eval_"],
        );
    }

    #[test]
    fn a_name_stays_an_identifier() {
        check(function_names(&["__", "_1st", "_private", "_\u{345}x"]), expect!["__ _1st private _ͅx"]);
    }

    #[test]
    fn any_word_names_a_property() {
        check(
            property_names(&["class", "type", "constructor", "proto", "__proto__", "then"]),
            expect!["class type constructor proto __proto___ then"],
        );
    }

    #[test]
    fn literals_cannot_be_left() {
        check(literal("a'b\\c\n\u{2028}</script>"), expect![[r#"'a\'b\\c\n\u2028</script>'"#]]);
        check(json("a\"b\\c\n\u{1}"), expect![[r#""a\"b\\c\n\u0001""#]]);
    }

    #[test]
    fn packages_that_node_or_npm_would_not_find_are_refused() {
        for name in ["crypto", "_private", "größe", "node_modules"] {
            assert!(package(name).is_err(), "{name}");
        }
        assert_eq!(package("near-words"), Ok("near-words"));
    }
}
