//! Names in WIT for names in Rust: words of lower-case letters and digits, each starting with a letter, with `-`
//! between them. Rust names that differ only in case or underscores collide in WIT, so later ones get a number.

use std::collections::BTreeSet;

use heck::ToKebabCase;
use tierup_model::{DefinitionKind, Interface, Payload};

/// The WIT names of an interface, in the order of its lists. A keyword has no `%` here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The package's name after its namespace, e.g. `near-words` in `tierup:near-words`.
    pub package: String,
    pub functions: Vec<FunctionNames>,
    pub definitions: Vec<DefinitionNames>,
}

/// The names of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionNames {
    pub name: String,
    pub parameters: Vec<String>,
}

/// The names of a record or an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionNames {
    pub name: String,
    /// Fields of a record, cases of an enum.
    pub members: Vec<MemberNames>,
}

/// The name of a field or a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberNames {
    pub name: String,
    /// For a case with named fields: the record that carries them, which WIT wants to have a name.
    pub payload: Option<DefinitionNames>,
}

impl Names {
    pub fn new(interface: &Interface) -> Names {
        // Functions, types and the records of payloads share one namespace. Functions come first, because callers know
        // the interface by their names.
        let functions = interface.functions.iter().map(|function| function.name.clone());
        let definitions = interface.definitions.iter().map(|definition| definition.name.clone());
        let payloads = interface.definitions.iter().flat_map(|definition| {
            named_cases(&definition.kind).map(|case| format!("{}_{case}", definition.name)).collect::<Vec<_>>()
        });
        let mut shared = distinct(functions.chain(definitions).chain(payloads).collect()).into_iter();
        let mut next = || shared.next().unwrap_or_default();

        let functions = interface.functions.iter().map(|function| FunctionNames {
            name: next(),
            parameters: distinct(function.parameters.iter().map(|parameter| parameter.name.clone()).collect()),
        });
        let functions = functions.collect();
        let own: Vec<String> = interface.definitions.iter().map(|_| next()).collect();
        let definitions = interface
            .definitions
            .iter()
            .zip(own)
            .map(|(definition, name)| DefinitionNames { name, members: members(&definition.kind, &mut next) });
        Names { package: kebab(&interface.package), functions, definitions: definitions.collect() }
    }
}

fn named_cases(kind: &DefinitionKind) -> impl Iterator<Item = &str> {
    let cases = match kind {
        DefinitionKind::Enum(cases) => cases.as_slice(),
        DefinitionKind::Record(_) => &[],
    };
    cases.iter().filter(|case| matches!(case.payload, Payload::Named(_))).map(|case| case.name.as_str())
}

fn members(kind: &DefinitionKind, next: &mut impl FnMut() -> String) -> Vec<MemberNames> {
    let cases = match kind {
        DefinitionKind::Record(fields) => return plain(fields.iter().map(|field| field.name.clone())),
        DefinitionKind::Enum(cases) => cases,
    };
    let mut members = plain(cases.iter().map(|case| case.name.clone()));
    for (member, case) in members.iter_mut().zip(cases) {
        if let Payload::Named(fields) = &case.payload {
            let fields = plain(fields.iter().map(|field| field.name.clone()));
            member.payload = Some(DefinitionNames { name: next(), members: fields });
        }
    }
    members
}

fn plain(names: impl Iterator<Item = String>) -> Vec<MemberNames> {
    distinct(names.collect()).into_iter().map(|name| MemberNames { name, payload: None }).collect()
}

/// WIT allows these, but Rust code that wit-bindgen writes for them does not compile: it uses the traits `From` and
/// `Into` by these names, and no type or case can be called `Self`.
const TAKEN: [&str; 3] = ["from", "into", "self"];

/// A WIT name for each Rust name; all are different. The first of those that collide keeps the plain name.
fn distinct(names: Vec<String>) -> Vec<String> {
    let plain: Vec<String> = names.iter().map(|name| kebab(name)).collect();
    // A numbered name must not equal a name that another item already has.
    let reserved: BTreeSet<&str> = plain.iter().map(String::as_str).chain(TAKEN).collect();
    let mut used: BTreeSet<String> = TAKEN.map(str::to_owned).into();
    let mut choose = |name: &String| {
        let numbered = (2..).map(|number| format!("{name}-n{number}")).filter(|name| !reserved.contains(name.as_str()));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !used.contains(name)).unwrap_or_default();
        used.insert(free.clone());
        free
    };
    plain.iter().map(&mut choose).collect()
}

/// A Rust name as WIT would spell it: `HTTPServer` is `http-server`, `a_1` is `a1`, `_` is `n`, `größe` is
/// `gru246u223e`.
fn kebab(name: &str) -> String {
    // WIT only allows ASCII letters.
    let spell = |char: char| if char.is_ascii() { char.to_string() } else { format!("u{}", u32::from(char)) };
    let ascii: String = name.chars().map(spell).collect();
    let mut kebab = String::new();
    for word in ascii.to_kebab_case().split('-').filter(|word| !word.is_empty()) {
        match (kebab.is_empty(), word.starts_with(|first: char| first.is_ascii_digit())) {
            (true, true) => kebab.push('n'),
            (true, false) | (false, true) => {}
            (false, false) => kebab.push('-'),
        }
        kebab.push_str(word);
    }
    if kebab.is_empty() { "n".to_owned() } else { kebab }
}
