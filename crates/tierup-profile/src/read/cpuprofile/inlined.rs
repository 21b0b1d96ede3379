//! The time of functions that V8 has inlined. In: the nodes of a profile, with the functions that tierup's own sensor found
//! by the lines that were hit. Out: the stacks that share a node's time.
//!
//! V8 counts an inlined innermost function to its caller, and keeps only the line that was hit.

use std::collections::HashMap;

use super::{
    file::{CallFrame, File, Inlined},
    framed,
};
use crate::{
    naming::Naming,
    profile::{Profile, StackId},
};

/// The most inlined functions of one node. The time of further ones stays with the node.
const MOST: usize = 64;

/// For each node with inlined functions, the stacks that share its time, and their parts, which sum to one.
pub(super) fn shared(
    profile: &mut Profile,
    file: &File,
    stacks: &HashMap<u64, Option<StackId>>,
    naming: Naming<'_>,
) -> HashMap<u64, Vec<(StackId, f64)>> {
    let mut shared = HashMap::new();
    for node in file.nodes.0.iter().filter(|node| !node.inlined.is_empty()) {
        let Some(stack) = stacks.get(&node.id).copied().flatten() else { continue };
        let inlined = &node.inlined[..node.inlined.len().min(MOST)];
        let hits = inlined.iter().fold(0_u64, |sum, one| sum.saturating_add(one.ticks));
        let whole = hits.max(node.hit_count).max(1) as f64;
        let mut parts = vec![(stack, 1.0 - hits as f64 / whole)];
        for Inlined { function_name, line_number, column_number, ticks } in inlined {
            let frame = CallFrame {
                function_name: function_name.clone(),
                url: node.call_frame.url.clone(),
                line_number: *line_number,
                column_number: *column_number,
            };
            let frame = profile.frame(framed(&frame, file, naming));
            parts.push((profile.stack(Some(stack), frame), *ticks as f64 / whole));
        }
        shared.insert(node.id, parts);
    }
    shared
}
