//! Shrinks arguments that show a difference, until no smaller ones show it.

use std::collections::BTreeMap;

use tierup_codegen::abi::Value;
use tierup_model::{Case, DefinitionKind, Function, Integer, Interface, Type};

/// The smallest arguments found that still show a difference, starting from a list that does. `differs` is called at
/// most `most` times, as it calls every compared variant each time.
pub fn smallest(
    arguments: &[Value],
    function: &Function,
    interface: &Interface,
    most: usize,
    mut differs: impl FnMut(&[Value]) -> bool,
) -> Vec<Value> {
    let mut smallest = arguments.to_vec();
    let mut left = most;
    loop {
        let smaller = smaller_arguments(&smallest, function, interface);
        let mut asked = smaller.into_iter().take(left).inspect(|_| left -= 1);
        match asked.find(|arguments| differs(arguments)) {
            Some(found) => smallest = found,
            None => return smallest,
        }
    }
}

/// Lists of arguments that are smaller in one place, the smallest first. Repeated shrinking always terminates.
pub fn smaller_arguments(arguments: &[Value], function: &Function, interface: &Interface) -> Vec<Vec<Value>> {
    let types: Vec<&Type> = function.parameters.iter().map(|parameter| &parameter.ty).collect();
    smaller_fields(arguments, &types, interface)
}

/// Values of the same type that are smaller, the smallest first.
pub fn smaller(value: &Value, ty: &Type, interface: &Interface) -> Vec<Value> {
    match (value, ty) {
        (Value::Bool(true), _) => vec![Value::Bool(false)],
        (Value::Integer(number), Type::Integer(kind)) => {
            smaller_integers(*number, *kind).into_iter().map(Value::Integer).collect()
        }
        (Value::F32(number), _) => {
            let floats = smaller_floats(f64::from(*number)).into_iter();
            floats.map(|smaller| Value::F32(smaller as f32)).filter(|smaller| smaller != value).collect()
        }
        (Value::F64(number), _) => smaller_floats(*number).into_iter().map(Value::F64).collect(),
        (Value::Text(text), _) => smaller_texts(text).into_iter().map(Value::Text).collect(),
        (Value::Bytes(bytes), _) => {
            let zeroed = changed_one(bytes, |byte| if *byte == 0 { vec![] } else { vec![0] });
            shorter(bytes).into_iter().chain(zeroed).map(Value::Bytes).collect()
        }
        (Value::Optional(Some(inner)), Type::Optional(ty)) => {
            let some = smaller(inner, ty, interface).into_iter().map(|value| Value::Optional(Some(Box::new(value))));
            [Value::Optional(None)].into_iter().chain(some).collect()
        }
        (Value::List(items), Type::List(ty)) => {
            let changed = changed_one(items, |item| smaller(item, ty, interface));
            shorter(items).into_iter().chain(changed).map(Value::List).collect()
        }
        (Value::Map(entries), Type::Map(ty)) => smaller_maps(entries, ty, interface),
        (Value::Record(values), Type::Defined(index)) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => {
                let types: Vec<&Type> = fields.iter().map(|field| &field.ty).collect();
                smaller_fields(values, &types, interface).into_iter().map(Value::Record).collect()
            }
            DefinitionKind::Enum(_) => Vec::new(),
        },
        (Value::Enum(number, values), Type::Defined(index)) => match &interface.definitions[*index].kind {
            DefinitionKind::Enum(cases) => smaller_cases(*number, values, cases, interface),
            DefinitionKind::Record(_) => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Towards 0, positive before negative.
fn smaller_integers(number: i128, kind: Integer) -> Vec<i128> {
    // The least number of a signed type has no positive counterpart.
    let most = (1i128 << (kind.bits() - u32::from(kind.is_signed()))) - 1;
    let mut all = vec![0, -number, number / 2, number - number.signum()];
    all.dedup();
    all.retain(|other| *other <= most && (other.unsigned_abs(), *other < 0) < (number.unsigned_abs(), number < 0));
    all
}

fn smaller_texts(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let plainer = changed_one(&characters, |c| if *c == 'a' { vec![] } else { vec!['a'] });
    shorter(&characters).into_iter().chain(plainer).map(|characters| characters.into_iter().collect()).collect()
}

/// With fewer entries, shorter keys or smaller values.
fn smaller_maps(entries: &BTreeMap<String, Value>, ty: &Type, interface: &Interface) -> Vec<Value> {
    let list: Vec<(String, Value)> = entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
    let changed = changed_one(&list, |(key, value)| {
        let keys = smaller_texts(key).into_iter().filter(|key| !entries.contains_key(key));
        let values = smaller(value, ty, interface).into_iter().map(|value| (key.clone(), value));
        keys.map(|key| (key, value.clone())).chain(values).collect()
    });
    shorter(&list).into_iter().chain(changed).map(|list| Value::Map(list.into_iter().collect())).collect()
}

/// The cases declared before this one, with their smallest values; then this case with smaller values.
fn smaller_cases(number: u8, values: &[Value], cases: &[Case], interface: &Interface) -> Vec<Value> {
    let earlier = (0..number).zip(cases);
    let smallest = |case: &Case| case.payload.types().into_iter().map(|ty| smallest_value(ty, interface)).collect();
    let mut all: Vec<Value> = earlier.map(|(number, case)| Value::Enum(number, smallest(case))).collect();
    let types = cases.get(usize::from(number)).map(|case| case.payload.types()).unwrap_or_default();
    all.extend(smaller_fields(values, &types, interface).into_iter().map(|values| Value::Enum(number, values)));
    all
}

/// With one of the values smaller.
fn smaller_fields(values: &[Value], types: &[&Type], interface: &Interface) -> Vec<Vec<Value>> {
    let places = values.iter().zip(types).enumerate();
    let at = |(place, (value, ty)): (usize, (&Value, &&Type))| {
        let replaced = move |smaller| {
            let mut list = values.to_vec();
            list[place] = smaller;
            list
        };
        smaller(value, ty, interface).into_iter().map(replaced).collect::<Vec<_>>()
    };
    places.flat_map(at).collect()
}

fn smallest_value(ty: &Type, interface: &Interface) -> Value {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Integer(_) => Value::Integer(0),
        Type::F32 => Value::F32(0.0),
        Type::F64 => Value::F64(0.0),
        Type::Text => Value::Text(String::new()),
        Type::Bytes => Value::Bytes(Vec::new()),
        Type::Optional(_) => Value::Optional(None),
        Type::List(_) => Value::List(Vec::new()),
        Type::Map(_) => Value::Map(BTreeMap::new()),
        Type::Defined(index) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(fields) => {
                Value::Record(fields.iter().map(|field| smallest_value(&field.ty, interface)).collect())
            }
            DefinitionKind::Enum(cases) => {
                let types = cases.first().map(|case| case.payload.types()).unwrap_or_default();
                Value::Enum(0, types.into_iter().map(|ty| smallest_value(ty, interface)).collect())
            }
        },
    }
}

/// Finite rather than not, then shorter to write, then nearer to 0, then positive.
fn smaller_floats(number: f64) -> Vec<f64> {
    let tenths = (number * 10.0).round() / 10.0;
    let mut all = vec![0.0, 1.0, -number, number.trunc(), (number / 2.0).trunc(), tenths, number - number.signum()];
    all.retain(|other| weight(*other) < weight(number));
    let mut distinct: Vec<f64> = Vec::new();
    for smaller in all {
        if !distinct.iter().any(|other| other.to_bits() == smaller.to_bits()) {
            distinct.push(smaller);
        }
    }
    distinct
}

/// How hard a float is to read. Except for NaNs, floats that are not equal have different weights.
fn weight(number: f64) -> (bool, usize, f64, bool) {
    let length = if number.is_finite() { number.abs().to_string().len() } else { 0 };
    (!number.is_finite(), length, if number.is_nan() { f64::INFINITY } else { number.abs() }, number.is_sign_negative())
}

/// In longer sequences, not every item is removed or changed alone: the halves are tried first and soon shorten them.
const MOST_SINGLE: usize = 32;

/// Shorter sequences, the shortest first: the empty one, either half, and all but one item.
fn shorter<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return Vec::new();
    }
    let mut all = vec![Vec::new()];
    if items.len() > 1 {
        let (first, second) = items.split_at(items.len() / 2);
        all.extend([first.to_vec(), second.to_vec()]);
    }
    let without = |place: usize| [&items[..place], &items[place + 1..]].concat();
    if items.len() > 2 {
        // From a long sequence, only the first or last item is removed: this finds parts that halving would cut apart.
        let places: Vec<usize> =
            if items.len() <= MOST_SINGLE { (0..items.len()).collect() } else { vec![0, items.len() - 1] };
        all.extend(places.into_iter().map(without));
    }
    all
}

/// Sequences of the same length, with one item replaced by each result of `change` for it.
fn changed_one<T: Clone>(items: &[T], change: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let replaced = |place: usize, item: T| {
        let mut list = items.to_vec();
        list[place] = item;
        list
    };
    let places = items.iter().enumerate().take(MOST_SINGLE);
    places.flat_map(|(place, item)| change(item).into_iter().map(move |item| replaced(place, item))).collect()
}
