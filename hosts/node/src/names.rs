//! Rust names as JavaScript's: the only way by which a user's identifier gets into generated JavaScript or TypeScript.
//!
//! In: the interface. Out: an identifier for each function, parameter, field and type, which neither collides with
//! another nor means something else where it stands.
//!
//! Names become camelCase, by the rules of [`camel_case`]; what is reserved gets a `_` behind it.
//! Functions and fields are properties, for which any word will do: `images.delete(…)` is JavaScript like any other.
//! Rust identifiers are valid in JavaScript: both follow Unicode's UAX 31, and JavaScript allows more.

mod reserved;

use tierup_codegen::camel_case::{self, assign, camel};
use tierup_model::{Case, Definition, DefinitionKind, Function, Interface, Payload};

use self::reserved::{BUILT_IN_MODULES, EXPORTS, INHERITED, RESERVED, TYPES};

/// The names of everything in an interface, each list in the interface's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Names {
    pub(crate) functions: Vec<FunctionNames>,
    pub(crate) definitions: Vec<DefinitionNames>,
}

/// How JavaScript names a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FunctionNames {
    /// The property of the package that returns a Promise.
    pub(crate) property: String,
    /// The property that answers at once.
    pub(crate) sync: String,
    /// Identifiers.
    pub(crate) parameters: Vec<String>,
}

/// How TypeScript names a type, and JavaScript its properties.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DefinitionNames {
    /// The type of what comes out.
    pub(crate) output: String,
    /// The type of what goes in, where that may take more forms.
    pub(crate) input: String,
    /// A record's properties; empty for an enum.
    pub(crate) fields: Vec<String>,
    /// An enum's cases; empty for a record.
    pub(crate) cases: Vec<CaseNames>,
}

/// How JavaScript names a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CaseNames {
    /// The string that tells it: its Rust name. Any string will do, so it needs a [`literal`] around it and no more.
    pub(crate) tag: String,
    /// The properties of its named fields; else empty.
    pub(crate) fields: Vec<String>,
}

impl Names {
    pub(crate) fn of(interface: &Interface) -> Names {
        let functions = interface.functions.iter().zip(functions(&interface.functions));
        let definitions = interface.definitions.iter().zip(types(&interface.definitions));
        Names {
            functions: functions
                .map(|(function, property)| FunctionNames {
                    sync: format!("{property}Sync"),
                    property,
                    parameters: parameters(function),
                })
                .collect(),
            definitions: definitions.map(|(definition, output)| definition_names(definition, output)).collect(),
        }
    }
}

fn definition_names(definition: &Definition, output: String) -> DefinitionNames {
    let (fields, cases) = match &definition.kind {
        DefinitionKind::Record(fields) => (camel_case::fields(fields), vec![]),
        DefinitionKind::Enum(cases) => (vec![], cases.iter().map(case_names).collect()),
    };
    DefinitionNames { input: format!("{output}Input"), output, fields, cases }
}

fn case_names(case: &Case) -> CaseNames {
    let fields = match &case.payload {
        Payload::Named(fields) => camel_case::fields(fields),
        Payload::None | Payload::Tuple(_) => vec![],
    };
    CaseNames { tag: case.name.clone(), fields }
}

/// The functions' properties. For each, `<name>Sync` is free, too.
fn functions(functions: &[Function]) -> Vec<String> {
    let rust = functions.iter().map(|function| function.name.as_str());
    assign(rust.collect(), camel, "Sync", |name| EXPORTS.contains(&name))
}

fn parameters(function: &Function) -> Vec<String> {
    let rust = function.parameters.iter().map(|parameter| parameter.name.as_str());
    assign(rust.collect(), camel, "", |name| RESERVED.contains(&name))
}

/// The types that records and enums become. For each, `<name>Input` is free, too.
fn types(definitions: &[Definition]) -> Vec<String> {
    let rust = definitions.iter().map(|definition| definition.name.as_str());
    assign(rust.collect(), str::to_owned, "Input", |name| RESERVED.contains(&name) || TYPES.contains(&name))
}

/// A property's name in an object literal or a TypeScript interface, where a few words mean something else.
pub(crate) fn key(property: &str) -> String {
    let is_special = RESERVED.contains(&property) || matches!(property, "constructor" | "readonly" | "declare");
    if is_special { literal(property) } else { property.to_owned() }
}

/// Whether every object has a property of this name.
pub(crate) fn is_inherited(property: &str) -> bool {
    INHERITED.contains(&property)
}

/// Whether Node has a module of this name: `require` would return that one rather than the package.
pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN_MODULES.contains(&name)
}

/// The npm package's name: the cargo package's.
///
/// # Errors
/// Where npm or Node would not take it.
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
            // Control characters and JavaScript's own two line ends.
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

    fn function_names(names: &[&str]) -> String {
        let output = tierup_model::Output { ty: None, rust: "()".into(), fallible: false };
        let functions: Vec<_> = names
            .iter()
            .map(|name| Function {
                name: (*name).into(),
                path: format!("::x::{name}"),
                docs: String::new(),
                parameters: vec![],
                output: output.clone(),
            })
            .collect();
        super::functions(&functions).join(" ")
    }

    fn parameter_names(names: &[&str]) -> String {
        let parameters = names
            .iter()
            .map(|name| tierup_model::Parameter {
                name: (*name).into(),
                ty: tierup_model::Type::Bool,
                rust: "bool".into(),
                passing: tierup_model::Passing::Value,
            })
            .collect();
        let output = tierup_model::Output { ty: None, rust: "()".into(), fallible: false };
        let path = String::new();
        super::parameters(&Function { name: "f".into(), path, docs: String::new(), parameters, output }).join(" ")
    }

    fn property_names(names: &[&str]) -> String {
        let field = |name: &&str| tierup_model::Field {
            name: (*name).into(),
            docs: String::new(),
            ty: tierup_model::Type::Bool,
            rust: "bool".into(),
        };
        camel_case::fields(&names.iter().map(field).collect::<Vec<_>>()).join(" ")
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
    fn names_that_would_collide_keep_their_rust_spelling() {
        check(function_names(&["get_url", "get_URL", "getUrl", "other"]), expect!["get_url get_URL getUrl other"]);
        check(property_names(&["get_url", "getUrl"]), expect!["get_url getUrl"]);
        check(function_names(&["draw", "draw_sync", "drawSync"]), expect!["draw draw_sync drawSync_"]);
    }

    #[test]
    fn what_the_package_exports_itself_gets_an_underscore() {
        check(
            function_names(&["class", "type", "constructor", "__proto__", "then", "with", "tier", "close", "close_"]),
            expect!["class type constructor proto then_ with_ tier_ close_ close__"],
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
