//! How large a document is as a tree. In: its text. Out: how many values each array and object has, so that the reader takes
//! exactly as much memory as it needs; and what reading and comparing take.
//!
//! A tree takes many times its text: 24 times for `[0,0,…]`. So this looks at each byte once and builds nothing.

use super::{DEEPEST, Json, Member};

/// What comparing two arrays in any order takes for an item: its place, its mark, and a list of those without a match.
const OF_MATCHING: usize = 64;
/// What sorting the members of an object takes for one, and its mark.
const OF_SORTING: usize = 24;
/// What an allocator adds to an array or object, and its number of values.
const OF_CONTAINER: usize = 40;
/// A text with escapes is a copy, in an allocation that grows to at most twice its size while the one before is still there.
const OF_ESCAPED: usize = 3;
/// Shorter arrays may be compared by tolerance, each item with each. Both texts count them, which is enough for two levels.
const MOST_MATCHED: u32 = 500;

/// What one look at a text tells.
#[derive(Default)]
pub(super) struct Size {
    /// The number of values of each array and object, in the order in which they begin. In a text that is not JSON it is
    /// that or more.
    pub(super) values: Vec<u32>,
    bytes: usize,
}

/// At most what it takes, in bytes, to [read](super::read) this text and compare it with another, beside the text itself.
pub fn memory(text: &[u8]) -> usize {
    size(text).bytes
}

pub(super) fn size(text: &[u8]) -> Size {
    let mut size = Size::default();
    let mut open: Vec<(usize, bool)> = Vec::new();
    // The last byte that is no space.
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
            // The reader goes no deeper, and it reads nothing behind the first value.
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

/// Where a string ends that begins here, and whether it has escapes.
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
