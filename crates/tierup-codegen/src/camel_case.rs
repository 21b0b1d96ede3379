//! Rust names as camelCase, for the hosts that use it and for camelCase JSON. Both share one naming, so that a host and
//! a server use the same name for a field.
//!
//! Names that would become the same all keep their Rust spelling, so that adding a name does not renumber others. A
//! name that still collides, or is reserved, gets a `_` appended.

use std::collections::{HashMap, HashSet};

use heck::ToLowerCamelCase;
use tierup_model::Field;

/// The names of a record's fields, in order. Any word is allowed except `__proto__`, which has another meaning in
/// JavaScript.
pub fn fields(fields: &[Field]) -> Vec<String> {
    assign(fields.iter().map(|field| field.name.as_str()).collect(), camel, "", |name| name == "__proto__")
}

/// `camelCase` if that is an identifier, else the Rust name: without its leading `_`, a name may start with a digit or
/// be empty.
pub fn camel(name: &str) -> String {
    let camel = name.to_lower_camel_case();
    let starts_well =
        if name.starts_with('_') { camel.starts_with(|c: char| c.is_ascii_alphabetic()) } else { !camel.is_empty() };
    if starts_well { camel } else { name.to_owned() }
}

/// A name for each Rust name, where a Rust spelling may be invalid in the language. Names that collide get a `_`
/// appended.
pub fn assign_valid<'n>(
    rust: impl Iterator<Item = &'n str>,
    valid: impl Fn(&str) -> String,
    is_reserved: impl Fn(&str) -> bool,
) -> Vec<String> {
    let names: Vec<String> = rust.map(valid).collect();
    assign(names.iter().map(String::as_str).collect(), str::to_owned, "", is_reserved)
}

/// A name for each Rust name. Each name claims itself and itself with `suffix`; no two names claim the same text.
pub fn assign(
    rust: Vec<&str>,
    convert: impl Fn(&str) -> String,
    suffix: &str,
    is_reserved: impl Fn(&str) -> bool,
) -> Vec<String> {
    let claims = |name: &str| HashSet::from([name.to_owned(), format!("{name}{suffix}")]);
    let wished: Vec<String> = rust.iter().map(|name| convert(name)).collect();
    let mut claimants: HashMap<String, usize> = HashMap::new();
    for claim in wished.iter().flat_map(|name| claims(name)) {
        *claimants.entry(claim).or_default() += 1;
    }
    // Names without collisions are assigned first, so that no other name can take theirs.
    let is_alone = |place: &usize| claims(&wished[*place]).iter().all(|claim| claimants[claim] == 1);
    let (alone, colliding): (Vec<usize>, Vec<usize>) = (0..rust.len()).partition(is_alone);
    let mut taken = HashSet::new();
    let mut names = vec![String::new(); rust.len()];
    for place in alone.iter().chain(&colliding).copied() {
        let mut name = if is_alone(&place) { wished[place].clone() } else { rust[place].to_owned() };
        while is_reserved(&name) || claims(&name).iter().any(|claim| taken.contains(claim)) {
            name.push('_');
        }
        taken.extend(claims(&name));
        names[place] = name;
    }
    names
}
