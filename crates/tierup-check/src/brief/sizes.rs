//! The sizes of the arguments that were seen. In: the arguments of calls. Out: for each place in the signature, how often
//! it had a value, the least, median and largest of them, and the shapes that no call had.

use std::collections::{BTreeMap, BTreeSet};

use tierup_codegen::abi::Value;
use tierup_model::{DefinitionKind, Function, Interface, Type};
use tierup_parity::{places, shapes, shapes_of, visit_parts};

/// What was seen at one place of the signature.
pub(super) struct Place {
    pub(super) at: String,
    /// The type, in words.
    pub(super) what: &'static str,
    /// Number of values.
    pub(super) values: usize,
    /// The least, median and largest size; `None` if its type has no size.
    pub(super) sizes: Option<[String; 3]>,
    /// The shapes that no value had.
    pub(super) never: Vec<String>,
}

/// The unit of a size.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Bytes,
    Items,
    /// The value itself.
    Number,
}

/// All places, in the order of the signature. `hides` names the fields whose numbers must not be shown.
pub(super) fn sizes(
    calls: &[&[Value]],
    function: &Function,
    interface: &Interface,
    hides: impl Fn(&str) -> bool,
) -> Vec<Place> {
    let mut found: BTreeMap<String, (Vec<f64>, usize, Unit)> = BTreeMap::new();
    let mut reached = BTreeSet::new();
    for arguments in calls {
        reached.extend(shapes_of(arguments, function, interface));
        visit_parts(arguments, function, interface, &mut |at, value, _| {
            let (all, values, of) = found.entry(at.to_owned()).or_insert((Vec::new(), 0, Unit::Number));
            if let Some((size, unit)) = size(value) {
                all.push(size);
                *of = unit;
            }
            // The value of an option is visited once more.
            *values += usize::from(!matches!(value, Value::Optional(Some(_))));
        });
    }
    let all = shapes(function, interface);
    let mut list: Vec<Place> = Vec::new();
    for (at, ty) in places(function, interface) {
        if list.last().is_some_and(|last| last.at == at) {
            continue;
        }
        let (sizes, values, unit) = found.remove(&at).unwrap_or((Vec::new(), 0, Unit::Number));
        let is_hidden = unit == Unit::Number && at.split(['.', '[', '{']).any(&hides);
        let never = all.iter().filter(|shape| shape.at == at && !reached.contains(shape));
        let never = never.map(|shape| shape.shape.clone()).collect();
        let sizes = if is_hidden { None } else { quartiles(sizes, unit) };
        list.push(Place { what: words(&ty, interface), values, sizes, never, at });
    }
    list
}

fn size(value: &Value) -> Option<(f64, Unit)> {
    Some(match value {
        Value::Integer(number) => (*number as f64, Unit::Number),
        Value::F32(number) => (f64::from(*number), Unit::Number),
        Value::F64(number) => (*number, Unit::Number),
        Value::Text(text) => (text.len() as f64, Unit::Bytes),
        Value::Bytes(bytes) => (bytes.len() as f64, Unit::Bytes),
        Value::List(values) => (values.len() as f64, Unit::Items),
        Value::Map(entries) => (entries.len() as f64, Unit::Items),
        Value::Bool(_) | Value::Optional(_) | Value::Record(_) | Value::Enum(..) => return None,
    })
}

fn quartiles(mut sizes: Vec<f64>, unit: Unit) -> Option<[String; 3]> {
    sizes.sort_by(f64::total_cmp);
    let (least, most) = (*sizes.first()?, *sizes.last()?);
    let shown = |size: f64| match unit {
        Unit::Bytes => format!("{size} bytes"),
        Unit::Items => format!("{size} items"),
        Unit::Number => size.to_string(),
    };
    Some([least, sizes[sizes.len() / 2], most].map(shown))
}

fn words(ty: &Type, interface: &Interface) -> &'static str {
    match ty {
        Type::Bool => "true or false",
        Type::Integer(_) => "whole number",
        Type::F32 | Type::F64 => "number",
        Type::Text => "text",
        Type::Bytes => "bytes",
        Type::List(_) => "list",
        Type::Map(_) => "map",
        Type::Optional(_) => "optional",
        Type::Defined(index) => match &interface.definitions[*index].kind {
            DefinitionKind::Record(_) => "record",
            DefinitionKind::Enum(_) => "enum",
        },
    }
}
