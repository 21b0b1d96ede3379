//! Rust names as camelCase, for the hosts that write it and for JSON in their manner: one naming, so that what a host
//! calls a field is what a server calls it.
//!
//! Names that would become the same all keep their Rust spelling, so that adding one changes no other by a number at its
//! end; what still collides, or is reserved, gets a `_` behind it.

use std::collections::{HashMap, HashSet};

use heck::ToLowerCamelCase;
use tierup_model::Field;

/// The names of a record's fields, in order. Any word will do but `__proto__`, which JavaScript takes for another thing.
pub fn fields(fields: &[Field]) -> Vec<String> {
    assign(fields.iter().map(|field| field.name.as_str()).collect(), camel, "", |name| name == "__proto__")
}

/// `camelCase`, where that is an identifier: without its leading `_`, a name may start with a digit or be empty.
pub fn camel(name: &str) -> String {
    let camel = name.to_lower_camel_case();
    let starts_well =
        if name.starts_with('_') { camel.starts_with(|c: char| c.is_ascii_alphabetic()) } else { !camel.is_empty() };
    if starts_well { camel } else { name.to_owned() }
}

/// A name for each Rust name. Each lays claim to itself and to itself with `suffix`; no two claim the same.
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
    // Those that collide with nothing choose first: none of the others may take their names.
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
