//! Splits a profile of collapsed stacks by process. In: stacks with a frame that names their process. Out: those of each.

use std::collections::BTreeMap;

/// The lines of each process. A stack begins with frames of `mark`, an id and a command, mostly quoted: the last of them is its process.
/// An empty profile gives one empty entry without a process.
pub(super) fn by_process(profile: &[u8], mark: &str) -> BTreeMap<Option<u32>, Vec<u8>> {
    let mut parts: BTreeMap<Option<u32>, Vec<u8>> = BTreeMap::new();
    for line in profile.split_inclusive(|byte| *byte == b'\n') {
        let (mut process, mut tidy, mut rest) = (None, Vec::with_capacity(line.len()), line);
        while let Some(of_frame) = rest.strip_prefix(mark.as_bytes()).and_then(id) {
            process = Some(of_frame);
            let (frame, below) = rest.split_at(end(rest));
            // A command may have the sign between frames in it.
            tidy.extend(frame.iter().map(|byte| if *byte == b';' { b'_' } else { *byte }));
            let (sign, below) = below.split_at(below.len().min(1));
            tidy.extend_from_slice(sign);
            rest = below;
        }
        tidy.extend_from_slice(rest);
        parts.entry(process).or_default().append(&mut tidy);
    }
    if parts.is_empty() {
        parts.insert(None, Vec::new());
    }
    parts
}

/// Where a process's frame ends that a stack begins with.
fn end(stack: &[u8]) -> usize {
    let quoted = stack.windows(2).position(|two| two == b"\";").map(|quote| quote + 1);
    // It may have no child.
    let last = || stack.iter().rposition(|byte| *byte == b'"').map(|quote| quote + 1);
    let quoted = quoted.or_else(last);
    quoted.or_else(|| stack.iter().position(|byte| *byte == b';')).unwrap_or(stack.len())
}

/// The number that a text begins with.
fn id(text: &[u8]) -> Option<u32> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_process_has_the_stack() {
        let text =
            "process 7:\"server; py\";main 3\nprocess 7:\"x\";process 12:\"x\";work 2\nprocess 7:\"x\";other 1\nlost 4";
        let parts = by_process(text.as_bytes(), "process ");
        let text = |process| String::from_utf8(parts[&process].clone()).unwrap();
        // Otherwise the end of the command would be a function.
        assert_eq!(text(Some(7)), "process 7:\"server_ py\";main 3\nprocess 7:\"x\";other 1\n");
        assert_eq!(text(Some(12)), "process 7:\"x\";process 12:\"x\";work 2\n");
        assert_eq!(text(None), "lost 4");
        let alone = by_process(b"process 9:\"python -c \"a; b\" --fork\" 1\n", "process ");
        assert_eq!(String::from_utf8(alone[&Some(9)].clone()).unwrap(), "process 9:\"python -c \"a_ b\" --fork\" 1\n");
        assert_eq!(by_process(b"", "process ").len(), 1);
        let unquoted = by_process(b"process 7:server;main;process 8 3\n", "process ");
        assert_eq!(unquoted[&Some(7)], b"process 7:server;main;process 8 3\n");
    }
}
