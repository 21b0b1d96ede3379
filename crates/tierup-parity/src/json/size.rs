//! Computes how much memory a JSON document takes as a tree. In: its text. Out: the number of values in each array and
//! object, so that the reader allocates exactly that; and the memory that reading and comparing take.
//!
//! A tree takes many times the memory of its text: 24 times for `[0,0,…]`. So this scans the bytes once, without a
//! tree.

use super::{DEEPEST, Json, Member};

/// Bytes per item for comparing two unordered arrays: its place, its mark, and its entry in the list of unmatched
/// items.
const OF_MATCHING: usize = 64;
/// Bytes per member for sorting an object, and for the member's mark.
const OF_SORTING: usize = 24;
/// Bytes per array or object for the allocator, and for its number of values.
const OF_CONTAINER: usize = 40;
/// Bytes per byte of a string with escapes: it is copied into an allocation that doubles while the previous one exists.
const OF_ESCAPED: usize = 3;
/// Arrays of at most this many items may be compared by tolerance, each item with each. The tables for that are counted
/// for both texts, which is enough for two nested levels.
const MOST_MATCHED: u32 = 500;

/// The result of scanning a text once.
#[derive(Default)]
pub(super) struct Size {
    /// The number of values of each array and object, in the order in which they begin. For a text that is not JSON it
    /// may be too large.
    pub(super) values: Vec<u32>,
    bytes: usize,
}

/// An upper bound, in bytes, on the memory to [read](super::read) this text and compare it with another, without the
/// text.
pub fn memory(text: &[u8]) -> usize {
    size(text).bytes
}

pub(super) fn size(text: &[u8]) -> Size {
    let mut size = Size::default();
    let mut open: Vec<(usize, bool)> = Vec::new();
    // The last byte that is not space.
    let mut last = 0;
    let (mut at, mut most) = (0, 0);
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' => continue,
            b'"' => {
                let (end, is_escaped) = string(text, at);
                size.bytes += if is_escaped { OF_CONTAINER + OF_ESCAPED * (end - at) } else { 0 };
                at = end;
            }
            // The reader goes no deeper, and it reads nothing after the first value.
            b'[' | b'{' if open.len() == DEEPEST || (open.is_empty() && last != 0) => break,
            b'[' | b'{' => {
                open.push((size.values.len(), byte == b'{'));
                size.values.push(0);
                size.bytes += OF_CONTAINER;
            }
            b',' | b']' | b'}' => {
                let Some((container, is_object)) = open.last().copied() else { break };
                let is_end = byte != b',';
                if !(is_end && matches!(last, b'[' | b'{')) {
                    size.values[container] = size.values[container].saturating_add(1);
                    size.bytes += if is_object {
                        size_of::<Member<'_>>() + OF_SORTING
                    } else {
                        size_of::<Json<'_>>() + OF_MATCHING
                    };
                }
                if is_end {
                    open.pop();
                    let items = size.values[container];
                    most = if is_object || items > MOST_MATCHED { most } else { most.max(items as usize) };
                }
            }
            _ if open.is_empty() => break,
            _ => {}
        }
        last = byte;
    }
    size.bytes += most * most * size_of::<usize>();
    size
}

/// The end of the string whose content begins at `from`, and whether it has escapes.
fn string(text: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut is_escaped = false;
    loop {
        match text.get(at) {
            None => return (text.len(), is_escaped),
            Some(b'"') => return (at + 1, is_escaped),
            Some(b'\\') => {
                is_escaped = true;
                at += 2;
            }
            Some(_) => at += 1,
        }
    }
}
