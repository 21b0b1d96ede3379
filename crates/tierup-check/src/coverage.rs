//! How much of a function's input shapes the compared calls reached. In: the calls and the control's answers. Out: each
//! shape of the signature with the number of calls that had it.

use std::collections::BTreeMap;

use serde::Serialize;
use tierup_model::Interface;
use tierup_parity::{Observation, Seen, Shape, shapes, shapes_of};

use crate::inputs::Input;

/// The input shapes of one function.
#[derive(Debug, Clone, Serialize)]
pub struct Coverage {
    pub function: String,
    /// Number of calls that the control answered.
    pub calls: usize,
    /// Number of shapes that at least one of these calls had.
    pub reached: usize,
    /// All shapes of the signature, in its order.
    pub shapes: Vec<ShapeCoverage>,
}

/// One shape.
#[derive(Debug, Clone, Serialize)]
pub struct ShapeCoverage {
    #[serde(flatten)]
    pub shape: Shape,
    /// Number of calls that had it.
    pub calls: usize,
    /// Number of those that come from the project's requests and corpus.
    pub seen: usize,
}

/// The coverage of each function. `control` has an answer for each input.
pub(crate) fn coverage(inputs: &[Input], control: &[Observation], interface: &Interface) -> Vec<Coverage> {
    let of = |(number, function): (usize, &tierup_model::Function)| {
        let mut found: BTreeMap<Shape, (usize, usize)> = BTreeMap::new();
        let mut calls = 0;
        for (input, answer) in inputs.iter().zip(control) {
            if input.function != number || matches!(answer.seen, Seen::Skipped(_) | Seen::Nothing(_)) {
                continue;
            }
            calls += 1;
            for shape in shapes_of(&input.arguments, function, interface) {
                let (calls, seen) = found.entry(shape).or_default();
                *calls += 1;
                *seen += usize::from(!input.origin.is_generated());
            }
        }
        let shapes: Vec<ShapeCoverage> = shapes(function, interface)
            .into_iter()
            .map(|shape| {
                let (calls, seen) = found.get(&shape).copied().unwrap_or_default();
                ShapeCoverage { shape, calls, seen }
            })
            .collect();
        let reached = shapes.iter().filter(|shape| shape.calls > 0).count();
        Coverage { function: function.name.clone(), calls, reached, shapes }
    };
    interface.functions.iter().enumerate().map(of).collect()
}
