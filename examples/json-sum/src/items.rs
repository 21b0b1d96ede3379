//! The items of a body, added up one by one.

use std::fmt;

use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::{
    SumError,
    member::Member,
    number::{is_safe, safe_integer},
};

/// The doubled values of `items`, which is JSON of whatever shape.
pub(crate) fn sum(items: &RawValue) -> Result<i64, SumError> {
    let mut adding = Adding::default();
    match items.deserialize_seq(&mut adding) {
        Ok(()) => Ok(adding.sum),
        // It did not come to a first item.
        Err(_) => Err(adding.problem.unwrap_or(SumError::ItemsAreNoArray)),
    }
}

#[derive(Default)]
struct Adding {
    sum: i64,
    item: usize,
    /// Kept here, because an error of serde's would bring it down to text.
    problem: Option<SumError>,
}

impl Adding {
    fn add(&mut self, value: Option<&RawValue>) -> Result<(), SumError> {
        let item = self.item;
        let value = value.and_then(|value| safe_integer(value.get())).ok_or(SumError::NoSafeInteger { item })?;
        // Neither step can leave an i64: what is added is below 2^54, and so far the sum is safe.
        self.sum += value * 2;
        self.item += 1;
        if is_safe(self.sum) { Ok(()) } else { Err(SumError::Overflow { item }) }
    }
}

impl<'de> Visitor<'de> for &mut Adding {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        loop {
            let added = match items.next_element_seed(Member("value")) {
                Ok(Some(value)) => self.add(value),
                Ok(None) => return Ok(()),
                Err(_) => Err(SumError::ItemIsNoObject { item: self.item }),
            };
            if let Err(problem) = added {
                self.problem = Some(problem);
                return Err(A::Error::custom("a problem that is kept elsewhere"));
            }
        }
    }
}
