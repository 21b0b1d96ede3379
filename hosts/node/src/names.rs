//! Rust names as JavaScript's: the only way by which a user's identifier gets into generated JavaScript or TypeScript.
//!
//! In: the interface. Out: an identifier for each function, parameter, field and type, which neither collides with
//! another nor means something else where it stands.
//!
//! Names become camelCase. Those that would then be the same all keep their Rust spelling, so that adding a function
//! changes the name of no other by a number at its end; what still collides, or is reserved, gets a `_` behind it.
//! Rust identifiers are valid in JavaScript: both follow Unicode's UAX 31, and JavaScript allows more.

use std::collections::{HashMap, HashSet};

use heck::ToLowerCamelCase;
use tierup_model::{Definition, Field, Function, Parameter};

/// Words that cannot name a function or parameter of a module: reserved, or with a meaning of their own there.
const RESERVED: &[&str] = &[
    "arguments", "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
    "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "from", "function", "get",
    "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "of", "package", "private",
    "protected", "public", "require", "return", "set", "static", "super", "switch", "this", "throw", "true", "try",
    "typeof", "undefined", "var", "void", "while", "with", "yield", "NaN", "Infinity", "globalThis",
];

/// What the package exports itself, and what other code looks for on a module: a `then` would make it a promise.
const EXPORTS: &[&str] = &[
    "CallError", "PanicError", "TransportError", "__esModule", "__proto__", "checkHealth", "close", "exports",
    "module", "ready", "then", "tier", "with",
];

/// Types that the declarations refer to, and those that TypeScript has.
const TYPES: &[&str] = &[
    "ArrayBufferView", "Baseline", "Binding", "Buffer", "CallError", "Error", "Functions", "Map", "NodeJS", "Options",
    "PanicError", "Promise", "ReadonlyMap", "TransportError", "Uint8Array", "any", "asserts", "bigint", "boolean",
    "declare", "infer", "is", "keyof", "namespace", "never", "number", "object", "readonly", "string", "symbol",
    "type", "unique", "unknown",
];

/// What every object inherits: a property of such a name is there even where the object has none.
const INHERITED: &[&str] = &[
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
    "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
];

/// Names of modules that Node has itself: `require` would give those rather than the package.
const BUILT_IN_MODULES: &[&str] = &[
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
    "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net",
    "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream",
    "string_decoder", "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi",
    "worker_threads", "zlib", "node_modules",
];

/// The functions' names, in order. `<name>Sync` is free for each, too.
pub(crate) fn functions(functions: &[Function]) -> Vec<String> {
    let rust: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let claims = |name: &str| vec![name.to_owned(), format!("{name}Sync")];
    assign(&rust, camel, claims, |name| is_any(name, &[RESERVED, EXPORTS]) || name.starts_with("tierup_"))
}

/// The names of a function's parameters, in order.
pub(crate) fn parameters(parameters: &[Parameter]) -> Vec<String> {
    let rust: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    assign(&rust, camel, itself, |name| is_any(name, &[RESERVED]))
}

/// The properties that a record's fields become, in order. Any word can name a property but `__proto__`.
pub(crate) fn properties(fields: &[Field]) -> Vec<String> {
    let rust: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assign(&rust, camel, itself, |name| name == "__proto__")
}

/// The names of the types that records and enums become, in order. For each, `<name>Input` is free, too.
pub(crate) fn types(definitions: &[Definition]) -> Vec<String> {
    let rust: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    let claims = |name: &str| vec![name.to_owned(), format!("{name}Input")];
    assign(&rust, str::to_owned, claims, |name| is_any(name, &[RESERVED, TYPES]))
}

/// Whether every object has a property of this name.
pub(crate) fn is_inherited(property: &str) -> bool {
    INHERITED.contains(&property)
}

/// The npm package's name: the cargo package's.
///
/// # Errors
/// Where npm or Node would not take it.
pub(crate) fn package(name: &str) -> Result<&str, String> {
    if BUILT_IN_MODULES.contains(&name) {
        return Err(format!("`require('{name}')` is Node's own: give the cargo package another name"));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.starts_with('_') || !name.chars().all(plain) {
        return Err(format!("npm takes no package called `{name}`: give it ASCII letters, digits, `-` and `_`"));
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

/// `camelCase`, where that is an identifier: without its leading `_`, a name may start with a digit or be empty.
fn camel(name: &str) -> String {
    let camel = name.to_lower_camel_case();
    let starts_well = if name.starts_with('_') {
        camel.starts_with(|c: char| c.is_ascii_alphabetic())
    } else {
        !camel.is_empty()
    };
    if starts_well { camel } else { name.to_owned() }
}

fn itself(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

fn is_any(name: &str, lists: &[&[&str]]) -> bool {
    lists.iter().any(|list| list.contains(&name))
}

/// A name for each Rust name, such that no two claim the same.
fn assign(
    rust: &[&str],
    convert: impl Fn(&str) -> String,
    claims: impl Fn(&str) -> Vec<String>,
    is_reserved: impl Fn(&str) -> bool,
) -> Vec<String> {
    let mut claimants: HashMap<String, usize> = HashMap::new();
    for claim in rust.iter().flat_map(|name| claims(&convert(name))) {
        *claimants.entry(claim).or_default() += 1;
    }
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); rust.len()];
    // Those that collide with nothing choose first: none of the others may take their names.
    let (alone, colliding): (Vec<usize>, Vec<usize>) = (0..rust.len())
        .partition(|&place| claims(&convert(rust[place])).iter().all(|claim| claimants[claim] == 1));
    for place in alone.iter().chain(&colliding).copied() {
        let is_alone = alone.contains(&place);
        let mut name = if is_alone { convert(rust[place]) } else { rust[place].to_owned() };
        while is_reserved(&name) || claims(&name).iter().any(|claim| taken.contains(claim)) {
            name.push('_');
        }
        taken.extend(claims(&name));
        names[place] = name;
    }
    names
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

    fn property_names(names: &[&str]) -> String {
        let field = |name: &&str| Field {
            name: (*name).into(),
            docs: String::new(),
            ty: tierup_model::Type::Bool,
            rust: "bool".into(),
        };
        properties(&names.iter().map(field).collect::<Vec<_>>()).join(" ")
    }

    #[track_caller]
    fn check(actual: String, expected: Expect) {
        expected.assert_eq(&actual);
    }

    #[test]
    fn names_become_camel_case() {
        check(function_names(&["generate_qr_code", "x", "utf8_length", "größe_in_m"]), expect![""]);
    }

    #[test]
    fn names_that_would_collide_keep_their_rust_spelling() {
        check(function_names(&["get_url", "get_URL", "getUrl", "other"]), expect![""]);
        check(property_names(&["get_url", "getUrl"]), expect![""]);
        check(function_names(&["draw", "draw_sync", "drawSync"]), expect![""]);
    }

    #[test]
    fn reserved_words_and_own_exports_get_an_underscore() {
        check(
            function_names(&["class", "type", "constructor", "__proto__", "then", "with", "tier", "close", "ready"]),
            expect![""],
        );
        check(function_names(&["delete", "delete_", "arguments", "eval", "undefined", "check_health"]), expect![""]);
    }

    #[test]
    fn a_name_stays_an_identifier() {
        check(function_names(&["__", "_1st", "_private", "_\u{345}x"]), expect![""]);
    }

    #[test]
    fn any_word_names_a_property() {
        check(property_names(&["class", "type", "constructor", "proto", "__proto__", "then"]), expect![""]);
    }

    #[test]
    fn literals_cannot_be_left() {
        check(literal("a'b\\c\n\u{2028}</script>"), expect![""]);
        check(json("a\"b\\c\n\u{1}"), expect![""]);
    }

    #[test]
    fn packages_that_node_or_npm_would_not_find_are_refused() {
        for name in ["crypto", "_private", "größe", "node_modules"] {
            assert!(package(name).is_err(), "{name}");
        }
        assert_eq!(package("json-sum"), Ok("json-sum"));
    }
}
