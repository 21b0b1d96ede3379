//! Random arguments, the same for the same seed on every machine.

use std::collections::BTreeMap;

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tierup_codegen::abi::Value;
use tierup_model::{DefinitionKind, Function, Integer, Interface, Payload, Type};

/// The longest text, bytes, list or map; nested ones are shorter.
const LONGEST: u64 = 64;

/// Arguments for a function: the `case`th list of `seed`. A list depends only on these two numbers, so a report names
/// just them. The first hundred cases grow from short values to long ones; later cases repeat these sizes.
pub fn random_arguments(function: &Function, interface: &Interface, seed: u64, case: u64) -> Vec<Value> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(case);
    let size = 1 + case % 100 * LONGEST / 100;
    function.parameters.iter().map(|parameter| value(&parameter.ty, interface, size, &mut random)).collect()
}

fn value(ty: &Type, interface: &Interface, size: u64, random: &mut impl Rng) -> Value {
    match ty {
        Type::Bool => Value::Bool(random.random()),
        Type::Integer(kind) => Value::Integer(integer(*kind, random)),
        Type::F32 => Value::F32(match random.random_range(0..4) {
            0 => f32::from_bits(random.random()),
            _ => float(random) as f32,
        }),
        Type::F64 => Value::F64(match random.random_range(0..4) {
            0 => f64::from_bits(random.random()),
            _ => float(random),
        }),
        Type::Text => Value::Text(text(size, random)),
        Type::Bytes => Value::Bytes((0..random.random_range(0..=size)).map(|_| random.random()).collect()),
        Type::Optional(inner) => {
            let some = random.random_range(0..4) > 0;
            Value::Optional(some.then(|| Box::new(value(inner, interface, size, random))))
        }
        Type::List(inner) => {
            let count = random.random_range(0..=size);
            Value::List((0..count).map(|_| value(inner, interface, size / 2, random)).collect())
        }
        Type::Map(inner) => {
            let count = random.random_range(0..=size);
            let entry = |_| (text(8, random), value(inner, interface, size / 2, random));
            Value::Map((0..count).map(entry).collect::<BTreeMap<_, _>>())
        }
        Type::Defined(index) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => {
                Value::Record(fields.iter().map(|field| value(&field.ty, interface, size, random)).collect())
            }
            DefinitionKind::Enum(cases) => {
                let number = random.random_range(0..cases.len().min(256));
                let values = match &cases[number].payload {
                    Payload::None => Vec::new(),
                    Payload::Tuple(types) => types.iter().map(|(ty, _)| value(ty, interface, size, random)).collect(),
                    Payload::Named(fields) => {
                        fields.iter().map(|field| value(&field.ty, interface, size, random)).collect()
                    }
                };
                Value::Enum(number as u8, values)
            }
        },
    }
}

/// An integer of a random bit width. Uniform 64-bit numbers would almost never have fewer than 50 bits.
fn integer(kind: Integer, random: &mut impl Rng) -> i128 {
    let is_negative = kind.is_signed() && random.random();
    let most = kind.bits() - u32::from(kind.is_signed());
    let magnitude = match random.random_range(0..=most) {
        0 => 0,
        width => i128::from(random.random::<u64>() >> (64 - width)),
    };
    if is_negative { -magnitude - 1 } else { magnitude }
}

/// Numbers as people write them: whole, or with a few decimals.
fn float(random: &mut impl Rng) -> f64 {
    let whole = random.random_range(-1_000_000..=1_000_000_i32);
    f64::from(whole) / [1.0, 10.0, 100.0, 1e6][random.random_range(0..4)]
}

/// Mostly letters; also characters that often break quoting, escaping, widths and normalization.
fn text(size: u64, random: &mut impl Rng) -> String {
    const ODD: [&str; 16] = [
        "\0", "\n", "\r\n", "\t", " ", "\"", "\\", "'", "<", "&", "%", "\u{7f}", "\u{301}", "\u{2028}", "\u{feff}",
        "👩‍👧",
    ];
    let kind = random.random_range(0..4);
    let count = random.random_range(0..=size);
    let piece = |_| match random.random_range(0..8) {
        0 if kind > 0 => ODD[random.random_range(0..ODD.len())].to_owned(),
        1 if kind > 1 => random.random_range('\u{80}'..='\u{7ff}').to_string(),
        2 if kind > 1 => random.random_range('\u{800}'..=char::MAX).to_string(),
        3 => random.random_range('0'..='9').to_string(),
        _ => random.random_range('a'..='z').to_string(),
    };
    (0..count).map(piece).collect()
}
