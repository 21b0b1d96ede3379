//! Groups the values of one argument by the type that they fit, with the time of each. In: shapes and times. Out: the
//! shape of most values, and the other kinds.

use crate::shape::Shape;

/// Values of one argument or answer that fit one type, with their times in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kind {
    pub(crate) shape: Shape,
    pub(crate) times: Vec<f64>,
}

/// Adds values of one shape to the kind that they fit. Absent values are a kind of their own.
pub(crate) fn add(kinds: &mut Vec<Kind>, shape: Shape, times: Vec<f64>) {
    let together =
        |kind: &Kind| (is_absent(&kind.shape) == is_absent(&shape)).then(|| joined(&kind.shape, &shape)).flatten();
    match kinds.iter_mut().find_map(|kind| together(kind).map(|shape| (kind, shape))) {
        Some((kind, shape)) => {
            kind.shape = shape;
            kind.times.extend(times);
        }
        None => kinds.push(Kind { shape, times }),
    }
}

/// A shape that fits both; `None` if there is none.
fn joined(one: &Shape, other: &Shape) -> Option<Shape> {
    let merged = one.clone().merged(other.clone());
    let is_refused = |shape: &Shape| matches!(shape, Shape::Refused { .. });
    (is_refused(one) && one == other || !is_refused(&merged)).then_some(merged)
}

fn is_absent(shape: &Shape) -> bool {
    matches!(shape, Shape::Optional { .. })
}

/// The shape of most values, and the other kinds. `None` if there is only one kind, or if most values cannot cross.
pub(crate) fn split(kinds: &[Kind]) -> Option<(Shape, Vec<&Kind>)> {
    let (absent, mut kinds): (Vec<_>, Vec<_>) = kinds.iter().partition(|kind| is_absent(&kind.shape));
    // Kinds of equal frequency are sorted by name, so that the order of the requests does not matter.
    kinds.sort_by_key(|kind| (std::cmp::Reverse(kind.times.len()), kind.shape.words()));
    let (most, odd) = kinds.split_first()?;
    let is_known = !odd.is_empty() && odd.iter().all(|kind| !kind.times.is_empty());
    if !is_known || matches!(most.shape, Shape::Refused { .. }) {
        return None;
    }
    let shape = most.shape.clone();
    Some((if absent.is_empty() { shape } else { Shape::optional(shape) }, odd.to_vec()))
}
