//! How much memory comparing takes, for callers that limit it. In: two observations. Out: bytes.
//!
//! Documents are compared as trees, which take many times the memory of their text: `docs/comparing.md` says what that
//! means for users.

use crate::{
    coding,
    difference::{MOST, MOST_OF_PLACES},
    json,
    observation::{Coding, Observation, Seen},
};

/// The bytes of a difference without its place: two shortened values and a note.
const OF_DIFFERENCE: usize = 2 << 10;

/// An upper bound, in bytes, on the memory that it takes to [compare](crate::compare) these two under any rules, beyond
/// their bytes as sent. A normalizer's input and output are not counted.
pub fn memory_of(one: &Observation, other: &Observation) -> usize {
    let calls = [one, other]
        .map(|observation| observation.downstream.iter().map(|call| of_text(&call.body)).max().unwrap_or_default());
    // Calls are compared after the answers, and their differences are kept together with those of the answers.
    let of_calls = if one.downstream == other.downstream { 0 } else { calls[0] + calls[1] };
    if coding::are_same_as_sent(one, other) {
        return of_calls;
    }
    let bodies = [one, other].map(|observation| match &observation.seen {
        Seen::Answer(answer) => {
            let is_decoded = answer.coding == Coding::Decoded;
            of_text(&answer.body) + if is_decoded { answer.body.len() } else { 0 }
        }
        _ => 0,
    });
    bodies[0] + bodies[1] + of_calls
}

/// The bytes for one body: its parsed tree, and half of the differences, as the other body counts the other half. There
/// are at most as many differences as values.
fn of_text(text: &[u8]) -> usize {
    let differences = MOST.min(1 + text.len()) * OF_DIFFERENCE / 2;
    json::memory(text) + differences + MOST_OF_PLACES.min(MOST * text.len()) / 2
}
