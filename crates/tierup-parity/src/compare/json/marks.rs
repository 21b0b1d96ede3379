//! Hashes values so that alike values have equal hashes, called marks. Tolerances are ignored, as being within a
//! tolerance is not transitive.
//!
//! A mark has 128 bits and is keyed by this process, so nobody can choose different values with the same mark. It takes
//! less memory than a canonical text.

use std::hash::{BuildHasher as _, Hash, RandomState};

use super::{by_key, is_one_of};
use crate::comparator::{DuplicateKeys, JsonRules, Numbers};
use crate::json::{Decimal, Json, Kind};
use crate::location::{Location, Step};

/// `Option<[u64; 2]>` takes 24 bytes, `Option<u128>` 32.
pub(super) type Mark = [u64; 2];

/// Makes marks that can be compared with each other.
pub(super) struct Marks<'r> {
    rules: &'r JsonRules,
    keys: [RandomState; 2],
}

impl Marks<'_> {
    pub(super) fn new(rules: &JsonRules) -> Marks<'_> {
        Marks { rules, keys: [RandomState::new(), RandomState::new()] }
    }

    /// The mark of a value at `location`: two values have the same mark exactly if they are alike, tolerances aside.
    /// `None` if a duplicate key makes the value unlike any other.
    pub(super) fn of(&self, value: &Json<'_>, location: &mut Location) -> Option<Mark> {
        Some(match &value.kind {
            Kind::Number(number) => match Decimal::parse(number).filter(|_| self.rules.numbers == Numbers::Value) {
                Some(decimal) => self.mark((1, decimal)),
                None => self.mark((2, number)),
            },
            Kind::Array(items) => {
                let mut marks = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    marks.extend(self.below(Step::Index(index), item, location)?);
                }
                if is_one_of(&self.rules.unordered, location) {
                    marks.sort_unstable();
                }
                self.mark((3, marks))
            }
            Kind::Object(members) => {
                let mut marks = Vec::with_capacity(members.len());
                for group in by_key(members).chunk_by(|one, other| one.key == other.key) {
                    let [earlier @ .., last] = group else { continue };
                    let is_refused = !earlier.is_empty() && self.rules.duplicate_keys == DuplicateKeys::Refuse;
                    match self.below(Step::key(&last.key), &last.value, location)? {
                        Some(_) if is_refused => return None,
                        Some(mark) => marks.push(self.mark((&last.key, mark))),
                        None => {}
                    }
                }
                self.mark((4, marks))
            }
            Kind::Text(text) => self.mark((5, text)),
            Kind::Bool(value) => self.mark((6, value)),
            Kind::Null => self.mark(7),
        })
    }

    /// The mark of the value one step further down; `Some(None)` if that value is ignored.
    fn below(&self, step: Step, value: &Json<'_>, location: &mut Location) -> Option<Option<Mark>> {
        location.0.push(step);
        let is_ignored = is_one_of(&self.rules.ignore, location);
        let mark = if is_ignored { Some(None) } else { self.of(value, location).map(Some) };
        location.0.pop();
        mark
    }

    fn mark(&self, value: impl Hash) -> Mark {
        self.keys.each_ref().map(|key| key.hash_one(&value))
    }
}
