//! PHP names for Rust names. No identifier of the user's gets into generated PHP without passing here.
//!
//! In: the interface. Out: a method for each function, a property for each field, a class for each type. Methods,
//! parameters and properties are camelCase (PSR-1). Rust identifiers are valid in PHP, which allows any character
//! beyond ASCII in names.
//!
//! PHP ignores case in names of classes and methods, but not in those of properties and constants.

use std::collections::{HashMap, HashSet};

use heck::{ToKebabCase as _, ToUpperCamelCase as _};
use tierup_codegen::camel_case::{assign, camel};
use tierup_codegen::named::{Named, Naming, TypeNames};
use tierup_model::{Definition, DefinitionKind, Field, Interface, Parameter};

/// The interface as PHP calls it.
pub(crate) fn named(interface: &Interface) -> Named<'_> {
    Named::new(interface, &Php)
}

/// Words that cannot name a class, in lower case: <https://www.php.net/manual/en/reserved.php>.
const KEYWORDS: &str = "__halt_compiler abstract and array as break callable case catch class clone const continue declare \
    default die do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile enum eval exit extends \
    final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface \
    isset list match namespace new or print private protected public readonly require require_once return static switch \
    throw trait try unset use var while xor yield self parent int float bool string true false null void iterable object \
    mixed never resource numeric __class__ __dir__ __file__ __function__ __line__ __method__ __namespace__ __trait__";

/// The classes of every package, in lower case.
const CLASSES: &str = "rust pool rustexception callexception panicexception transportexception calltimeoutexception \
    unavailableexception healthexception";

/// The methods of every binding and PHP's magic methods, in lower case.
const METHODS: &str = "with tier ready checkhealth metrics close tierupcalls tierupfailed __construct __destruct __call __callstatic __get __set __isset \
    __unset __sleep __wakeup __serialize __unserialize __tostring __invoke __set_state __clone __debuginfo";

/// Names that PHP does not allow for parameters, and so not for properties that a constructor sets.
const VARIABLES: &str = "this GLOBALS _COOKIE _ENV _FILES _GET _POST _REQUEST _SERVER _SESSION";

struct Php;

impl Naming for Php {
    fn types(&self, definitions: &[Definition]) -> Vec<TypeNames> {
        let mut wished = Vec::new();
        for definition in definitions {
            wished.push(definition.name.clone());
            wished.extend(cases(definition).into_iter().map(|case| format!("{}{case}", definition.name)));
        }
        let wished = wished.iter().map(String::as_str).collect();
        let is_reserved = |name: &str| is_one_of(KEYWORDS, name) || is_one_of(CLASSES, name);
        let mut classes = assign_in_any_case(wished, str::to_owned, is_reserved).into_iter();
        let named = definitions.iter().map(|definition| {
            let name = classes.next().unwrap_or_default();
            let count = cases(definition).len();
            let cases = match &definition.kind {
                DefinitionKind::Enum(cases) if definition.is_plain_enum() => {
                    let rust = cases.iter().map(|case| case.name.as_str()).collect();
                    // `Color::class` is the class's name.
                    assign(rust, str::to_owned, "", |name| name.eq_ignore_ascii_case("class"))
                }
                _ => classes.by_ref().take(count).collect(),
            };
            TypeNames { name, cases }
        });
        named.collect()
    }

    fn functions(&self, interface: &Interface, _: &[TypeNames]) -> Vec<String> {
        let rust = interface.functions.iter().map(|function| function.name.as_str()).collect();
        // PHP reserves names that begin with `__`. Names that keep them to stay unique are at least not magic methods.
        assign_in_any_case(
            rust,
            |name| camel(name).trim_start_matches("__").to_owned(),
            |name| is_one_of(METHODS, name),
        )
    }

    fn parameters(&self, parameters: &[Parameter]) -> Vec<String> {
        let rust = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
        assign(rust, camel, "", |name| is_one_of(VARIABLES, name))
    }

    fn fields(&self, fields: &[Field]) -> Vec<String> {
        let rust = fields.iter().map(|field| field.name.as_str()).collect();
        assign(rust, camel, "", |name| is_one_of(VARIABLES, name))
    }
}

/// The cases that become classes.
fn cases(definition: &Definition) -> Vec<&str> {
    match &definition.kind {
        DefinitionKind::Enum(cases) if !definition.is_plain_enum() => {
            cases.iter().map(|case| case.name.as_str()).collect()
        }
        _ => vec![],
    }
}

fn is_one_of(words: &str, name: &str) -> bool {
    words.split_ascii_whitespace().any(|word| word == name)
}

/// Assigns a name to each Rust name. No two differ only in case. All names that would become the same keep their Rust
/// spelling, so that adding a name does not renumber others. `is_reserved` gets lower case.
fn assign_in_any_case(
    rust: Vec<&str>,
    convert: impl Fn(&str) -> String,
    is_reserved: impl Fn(&str) -> bool,
) -> Vec<String> {
    let wished: Vec<String> = rust.iter().map(|name| convert(name)).collect();
    let mut claimants: HashMap<String, usize> = HashMap::new();
    for name in &wished {
        *claimants.entry(name.to_ascii_lowercase()).or_default() += 1;
    }
    let is_alone = |place: &usize| claimants[&wished[*place].to_ascii_lowercase()] == 1;
    let (alone, colliding): (Vec<usize>, Vec<usize>) = (0..rust.len()).partition(is_alone);
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); rust.len()];
    for place in alone.iter().chain(&colliding).copied() {
        let mut name = if is_alone(&place) { wished[place].clone() } else { rust[place].to_owned() };
        while is_reserved(&name.to_ascii_lowercase()) || taken.contains(&name.to_ascii_lowercase()) {
            name.push('_');
        }
        taken.insert(name.to_ascii_lowercase());
        names[place] = name;
    }
    names
}

/// The namespace of the package: `NearWords` for `near-words`.
pub(crate) fn namespace(package: &str) -> String {
    package.to_upper_camel_case()
}

/// The package's name for Composer: `tierup/near-words`.
pub(crate) fn composer(package: &str) -> String {
    format!("tierup/{}", package.to_kebab_case())
}

/// A string literal.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// A literal of bytes.
pub(crate) fn bytes(content: &[u8]) -> String {
    let escaped = content.iter().map(|byte| match byte {
        b'\\' | b'"' | b'$' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_stay_apart() {
        let all = vec!["get_url", "get_URL", "getUrl", "make_code", "with", "check_health"];
        let names = assign_in_any_case(all, camel, |name| is_one_of(METHODS, name));
        assert_eq!(names, ["get_url", "get_URL_", "getUrl", "makeCode", "with_", "checkHealth_"]);
    }

    #[test]
    fn magic_methods_and_predefined_variables_are_reserved() {
        let names = assign_in_any_case(vec!["call", "__call"], |_| "call".to_owned(), |name| is_one_of(METHODS, name));
        assert_eq!(names, ["call", "__call_"]);
        let names = assign(vec!["this", "_GET", "get", "GLOBALS"], camel, "", |name| is_one_of(VARIABLES, name));
        assert_eq!(names, ["this_", "_GET_", "get", "globals"]);
    }

    #[test]
    fn packages_have_a_namespace_and_a_name() {
        assert_eq!(namespace("near-words_2"), "NearWords2");
        assert_eq!(composer("Near_words"), "tierup/near-words");
    }

    #[test]
    fn literals_cannot_be_left() {
        assert_eq!(literal(r"it's \"), r"'it\'s \\'");
        assert_eq!(bytes(b"a\"$\\\n\xff"), r#""a\"\$\\\x0a\xff""#);
    }
}
