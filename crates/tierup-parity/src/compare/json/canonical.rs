//! One text for all values that are alike. This needs an equivalence relation, which tolerances are not: they are left out.

use super::{by_key, is_one_of};
use crate::comparator::{DuplicateKeys, JsonRules, Numbers};
use crate::json::{Decimal, Json, Kind};
use crate::location::{Location, Step};

/// The text of a value at `location`: two values have the same text exactly if they are alike, tolerances aside.
/// `None` if a duplicate key makes the value unlike any other.
pub(super) fn canonical(value: &Json<'_>, location: &Location, rules: &JsonRules) -> Option<String> {
    let mut location = location.clone();
    write(value, &mut location, rules)
}

fn write(value: &Json<'_>, location: &mut Location, rules: &JsonRules) -> Option<String> {
    Some(match &value.kind {
        Kind::Number(number) => match Decimal::parse(number).filter(|_| rules.numbers == Numbers::Value) {
            Some(decimal) => format!("{decimal:?}"),
            None => (*number).to_owned(),
        },
        Kind::Array(items) => {
            let mut texts = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                texts.extend(down(Step::Index(index), item, location, rules)?);
            }
            if is_one_of(&rules.unordered, location) {
                texts.sort_unstable();
            }
            format!("[{}]", texts.join(","))
        }
        Kind::Object(members) => {
            let mut texts = Vec::with_capacity(members.len());
            for (key, values) in by_key(members) {
                let [earlier @ .., last] = values.as_slice() else { continue };
                let is_refused = !earlier.is_empty() && rules.duplicate_keys == DuplicateKeys::Refuse;
                match down(Step::key(key), last, location, rules)? {
                    Some(_) if is_refused => return None,
                    Some(text) => texts.push(format!("{key:?}:{text}")),
                    None => {}
                }
            }
            format!("{{{}}}", texts.join(","))
        }
        _ => value.compact(),
    })
}

/// The text of the value one step further down; `Some(None)` if that value is ignored.
fn down(step: Step, value: &Json<'_>, location: &mut Location, rules: &JsonRules) -> Option<Option<String>> {
    location.0.push(step);
    let is_ignored = is_one_of(&rules.ignore, location);
    let text = if is_ignored { Some(None) } else { write(value, location, rules).map(Some) };
    location.0.pop();
    text
}
