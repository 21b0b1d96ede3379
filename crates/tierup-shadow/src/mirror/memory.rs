//! What comparing takes of the memory that all copies share. In: a copy's [`Held`], and what is to be compared. Out: whether
//! there is room; it is taken before anything is decoded or read as JSON, as a few bytes may stand for any number of them.

use hyper::header::CONTENT_ENCODING;
use tierup_parity::{Answer, Observation, Seen, decode, decoding, memory_of};

use crate::{copy::Copied, shares::Held};

/// Why there is nothing to compare.
pub(super) const NO_MEMORY: &str = "comparing it would take more memory than copies may have";

/// Whether there is so much memory; then it is taken. Without a [`Held`] nobody counts.
pub(super) fn has_room(memory: Option<&Held>, bytes: usize) -> bool {
    memory.is_none_or(|memory| memory.grow(bytes))
}

/// Decodes both, if there is memory for that and for comparing them, or looking for secrets in them.
pub(super) fn prepare(memory: Option<&Held>, one: &mut Observation, other: &mut Observation) -> bool {
    let meanwhile = memory.map(Held::beside);
    if !has_room(meanwhile.as_ref(), decoding(one, other)) {
        return false;
    }
    decode(one, other);
    drop(meanwhile);
    has_room(memory, memory_of(one, other))
}

/// Whether there is memory to look for secrets in the request of a mismatch.
pub(super) fn may_show(memory: Option<&Held>, copied: &Copied) -> bool {
    if copied.body.is_empty() {
        return true;
    }
    if !has_room(memory, copied.body.len()) {
        return false;
    }
    let codings = copied.headers.get_all(CONTENT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    let headers = codings.map(|value| (CONTENT_ENCODING.to_string(), value.to_owned())).collect();
    let asked = Answer { headers, body: copied.body.to_vec(), ..Answer::default() };
    let nothing = &mut Observation::of(Seen::Skipped(String::new()));
    prepare(memory, &mut Observation::of(Seen::Answer(asked)), nothing)
}

/// What an answer takes that is kept.
pub(super) fn size(observation: &Observation) -> usize {
    match &observation.seen {
        Seen::Answer(answer) => answer.body.len(),
        _ => 0,
    }
}
