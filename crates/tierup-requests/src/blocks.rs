//! Cuts a requests file at its `###` lines.

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

/// Whether a line can only be the first line of a request.
pub(crate) fn looks_like_request(text: &str) -> bool {
    const LONGEST_METHOD: usize = 20;
    let Some(end) = text.bytes().take(LONGEST_METHOD).position(|byte| byte == b' ' || byte == b'\t') else {
        return false;
    };
    let url = text[end..].trim_start();
    let starts = ["/", "http://", "https://", "{{"];
    end > 2
        && text[..end].bytes().all(|byte| byte.is_ascii_uppercase())
        && starts.iter().any(|start| url.starts_with(start))
}

pub(crate) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}
