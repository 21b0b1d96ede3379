//! Splits a profile of collapsed stacks by process. In: stacks whose frames name their process. Out: stacks by process.

use std::collections::BTreeMap;

/// The lines of each process. A stack begins with frames of `mark`, an id and a command, which is usually quoted. The
/// last of these frames names its process. An empty profile gives one empty entry without a process.
pub(super) fn by_process(profile: &[u8], mark: &str) -> BTreeMap<Option<u32>, Vec<u8>> {
    let mut parts: BTreeMap<Option<u32>, Vec<u8>> = BTreeMap::new();
    for line in profile.split_inclusive(|byte| *byte == b'\n') {
        let (mut process, mut tidy, mut rest) = (None, Vec::with_capacity(line.len()), line);
        while let Some(of_frame) = rest.strip_prefix(mark.as_bytes()).and_then(id) {
            process = Some(of_frame);
            let (frame, below) = rest.split_at(end(rest));
            // A command may contain `;`, which separates frames.
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

/// The length of the process's frame at the beginning of a stack.
fn end(stack: &[u8]) -> usize {
    let quoted = stack.windows(2).position(|two| two == b"\";").map(|quote| quote + 1);
    // The frame is the last one if the process has no other frames.
    let last = || stack.iter().rposition(|byte| *byte == b'"').map(|quote| quote + 1);
    let quoted = quoted.or_else(last);
    quoted.or_else(|| stack.iter().position(|byte| *byte == b';')).unwrap_or(stack.len())
}

/// The number at the beginning of a text.
fn id(text: &[u8]) -> Option<u32> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&text[..digits]).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_belongs_to_its_innermost_process() {
        let text =
            "process 7:\"server; py\";main 3\nprocess 7:\"x\";process 12:\"x\";work 2\nprocess 7:\"x\";other 1\nlost 4";
        let parts = by_process(text.as_bytes(), "process ");
        let text = |process| String::from_utf8(parts[&process].clone()).unwrap();
        // An unreplaced `;` would make the end of the command a function.
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
