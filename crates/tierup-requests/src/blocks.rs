//! A requests file cut at its `###` lines.

use std::ops::Range;

use crate::source::Source;

/// The part between two `###`.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The text after `###`, if any.
    pub(crate) title: Option<String>,
    /// The lines, without their ends.
    pub(crate) lines: Vec<Range<usize>>,
}

pub(crate) fn blocks(source: &Source) -> Vec<Block> {
    let mut blocks = vec![Block::default()];
    let mut start = 0;
    for line in source.text.split_inclusive('\n') {
        let written = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        if written.starts_with("###") {
            let title = written.trim_start_matches('#').trim();
            let title = (!title.is_empty()).then(|| title.to_owned());
            blocks.push(Block { title, lines: Vec::new() });
        } else if let Some(block) = blocks.last_mut() {
            block.lines.push(start..start + written.len());
        }
        start += line.len();
    }
    blocks
}
