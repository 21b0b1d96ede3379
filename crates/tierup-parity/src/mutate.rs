//! Changes real arguments in a few places. Random generation alone seldom finds input that a parser accepts.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tierup_codegen::abi::Value;

/// Pieces that often break parsers.
const ODD: [&[u8]; 24] = [
    b"\"", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"-", b".", b"e", b"0", b"9", b"null", b"true", b"\n", b" ",
    b"\0", b"%", b"&", b"=", b"<", b"\xc3\xa9", b"\xf0\x9f\x98\x80",
];

/// One of these lists, which must not be empty, with the `case`th change of `seed`; the same on every machine.
pub fn mutated_arguments(lists: &[Vec<Value>], seed: u64, case: u64) -> Vec<Value> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // These streams are separate, so that no list uses the same random numbers as one of `random_arguments`.
    random.set_stream(case | 1 << 63);
    let mut arguments = lists[random.random_range(0..lists.len())].clone();
    for _ in 0..random.random_range(1..=3) {
        let count: usize = arguments.iter().map(leaves).sum();
        if count > 0 {
            let mut at = random.random_range(0..count);
            arguments.iter_mut().for_each(|value| change(value, &mut at, &mut random));
        }
    }
    arguments
}

/// How many values inside this one can be changed.
fn leaves(value: &Value) -> usize {
    match value {
        Value::Optional(inner) => inner.as_deref().map_or(0, leaves),
        Value::List(values) | Value::Record(values) | Value::Enum(_, values) => values.iter().map(leaves).sum(),
        Value::Map(values) => values.values().map(leaves).sum(),
        _ => 1,
    }
}

/// Changes leaf number `at`, if it is in this value; otherwise subtracts this value's leaves from `at`.
fn change(value: &mut Value, at: &mut usize, random: &mut impl Rng) {
    let mut each = |values: &mut dyn Iterator<Item = &mut Value>| values.for_each(|value| change(value, at, random));
    match value {
        Value::Optional(inner) => return each(&mut inner.as_deref_mut().into_iter()),
        Value::List(values) | Value::Record(values) | Value::Enum(_, values) => return each(&mut values.iter_mut()),
        Value::Map(values) => return each(&mut values.values_mut()),
        _ => {}
    }
    let is_it = *at == 0;
    *at = at.wrapping_sub(1);
    if !is_it {
        return;
    }
    match value {
        Value::Bool(value) => *value = !*value,
        // A number between 0 and the value is within the type. `random_arguments` covers the rest of the range.
        Value::Integer(value) if *value > 0 => *value = random.random_range(0..=*value as u64) as i128,
        Value::Integer(_) => {}
        Value::F32(value) => *value = -*value,
        Value::F64(value) => *value = [-*value, value.trunc(), *value / 3.0][random.random_range(0..3)],
        Value::Text(text) => {
            let bytes = changed(text.as_bytes(), random);
            // U+FFFD replaces characters that were cut.
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        Value::Bytes(bytes) => *bytes = changed(bytes, random),
        Value::Optional(_) | Value::List(_) | Value::Map(_) | Value::Record(_) | Value::Enum(..) => {}
    }
}

/// One cut, insertion, replacement or repetition.
fn changed(bytes: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut place = || random.random_range(0..=bytes.len());
    let (one, other) = (place(), place());
    let (start, end) = (one.min(other), one.max(other));
    // Most changes are short, so that most of the valid text stays.
    let end = end.min(start + 1 + random.random_range(0..16));
    let end = end.min(bytes.len());
    let odd = ODD[random.random_range(0..ODD.len())];
    let middle: Vec<u8> = match random.random_range(0..6) {
        0 => Vec::new(),
        1 => odd.to_vec(),
        2 => [&bytes[start..end], odd].concat(),
        3 => [&bytes[start..end], &bytes[start..end]].concat(),
        4 => vec![random.random()],
        _ => return bytes[..start].to_vec(),
    };
    [&bytes[..start], &middle, &bytes[end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_the_same_everywhere_and_differ_from_case_to_case() {
        let list = vec![
            Value::Bytes(b"{\"a\":[1,2,3]}".to_vec()),
            Value::List(vec![Value::Text("é".into()), Value::Bool(true), Value::Integer(7), Value::F64(1.5)]),
            Value::Optional(None),
        ];
        let lists = [list];
        let made: Vec<_> = (0..200).map(|case| mutated_arguments(&lists, 1, case)).collect();
        assert_eq!(made[7], mutated_arguments(&lists, 1, 7));
        let different = made.iter().filter(|one| **one != lists[0]).count();
        assert!(different > 150, "only {different} of 200 were changed");
        assert!(made.iter().all(|one| one.len() == 3 && one[2] == Value::Optional(None)));
        assert!(made.iter().any(|one| one[0] == lists[0][0]) && made.iter().any(|one| one[0] != lists[0][0]));
    }
}
