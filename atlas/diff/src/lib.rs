//! Two versions of a text in, the size of their difference out.

use similar::{
    DiffOp,
    algorithms::{Capture, myers},
};

/// How many lines a minimal difference of two texts removes and adds, together.
///
/// A line ends with `\n`, which is part of it; what comes after the last `\n` is a line, too.
pub fn changed_lines(before: &str, after: &str) -> u32 {
    let [before, after] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let mut difference = Capture::new();
    // `raw`, as the usual entry point stops early on difficult texts, with a difference that is not minimal.
    let Ok(()) = myers::diff_deadline_raw(&mut difference, &before, 0..before.len(), &after, 0..after.len(), None);
    difference.into_ops().iter().map(changed).sum()
}

fn changed(operation: &DiffOp) -> u32 {
    match operation {
        DiffOp::Equal { .. } => 0,
        other => (other.old_range().len() + other.new_range().len()) as u32,
    }
}
