//! The body of a request as written, and the lines that may follow it.

use std::ops::Range;

use crate::blocks::{is_comment, looks_like_request};
use crate::problems::Problems;
use crate::problems::shortened;
use crate::request_line::trim;
use crate::source::Source;
use crate::text::Text;

#[derive(Debug, Clone)]
pub(crate) enum BodyPart {
    /// Lines, with `\n` between them.
    Text(Text),
    /// `< path`, or `<@ path` for a file whose variables are replaced.
    File { path: Text, replaced: bool, range: Range<usize> },
}

/// Reads the lines after the headers. Blank lines around the body, and all comments, are left out, as in both editors.
pub(crate) fn read(source: &Source, mut lines: &[Range<usize>], problems: &mut Problems) -> Vec<BodyPart> {
    let mut parts: Vec<BodyPart> = Vec::new();
    let mut blank_lines = 0;
    while let Some((line, rest)) = lines.split_first() {
        let text = &source.text[line.clone()];
        let trimmed = text.trim();
        if starts_script(trimmed) {
            lines = skip_script(source, lines, problems);
            continue;
        }
        lines = rest;
        if is_comment(text) || is_reference(trimmed) {
            continue;
        }
        if trimmed.is_empty() {
            blank_lines += 1;
            continue;
        }
        if parts.is_empty() {
            if looks_like_request(trimmed) {
                let problem = source.problem("a second request in one block", &trim(source, line));
                problems.push(problem.hint("put a line `###` between two requests"));
                return parts;
            }
        } else {
            push_ends(&mut parts, blank_lines + 1);
        }
        blank_lines = 0;
        match file(source, line, problems) {
            Some(file) => parts.push(file),
            None => last_text(&mut parts).push_line(source, line.clone(), problems),
        }
    }
    parts
}

/// Whether a trimmed line starts a script of JetBrains': `> {% … %}`, `< {% … %}`.
pub(crate) fn starts_script(line: &str) -> bool {
    let script = line.strip_prefix('>').or_else(|| line.strip_prefix('<'));
    script.is_some_and(|script| script.trim_start().starts_with("{%"))
}

/// Whether a trimmed line names a file for the response: `<> earlier.json`, `>> save.json`, `>>! save.json`,
/// `> handler.js`.
pub(crate) fn is_reference(line: &str) -> bool {
    let file = |start| line.strip_prefix(start).is_some_and(|rest: &str| rest.starts_with([' ', '\t']));
    file("<>") || file(">>") || file(">>!") || file(">") && line.ends_with(".js")
}

/// The lines after a script. The script ends at the line with `%}`; a script given as a file name takes one line.
pub(crate) fn skip_script<'a>(
    source: &Source,
    lines: &'a [Range<usize>],
    problems: &mut Problems,
) -> &'a [Range<usize>] {
    let Some(first) = lines.first() else { return lines };
    if !starts_script(source.text[first.clone()].trim()) {
        return &lines[1..];
    }
    match lines.iter().position(|line| source.text[line.clone()].contains("%}")) {
        Some(end) => &lines[end + 1..],
        None => {
            problems.push(source.problem("this script has no end", &trim(source, first)).hint("end it with `%}`"));
            &[]
        }
    }
}

fn push_ends(parts: &mut Vec<BodyPart>, count: usize) {
    last_text(parts).push_literal(&"\n".repeat(count));
}

fn last_text(parts: &mut Vec<BodyPart>) -> &mut Text {
    if !matches!(parts.last(), Some(BodyPart::Text(_))) {
        parts.push(BodyPart::Text(Text::default()));
    }
    match parts.last_mut() {
        Some(BodyPart::Text(text)) => text,
        _ => unreachable!("a text was just pushed"),
    }
}

/// `< path`, `<@ path`, `<@utf8 path`
fn file(source: &Source, line: &Range<usize>, problems: &mut Problems) -> Option<BodyPart> {
    let text = &source.text[line.clone()];
    let path = text.strip_prefix('<')?;
    let space = path.find([' ', '\t'])?;
    let (replaced, encoding) = match path[..space].strip_prefix('@') {
        Some(encoding) => (true, encoding),
        None if space == 0 => (false, ""),
        None => return None,
    };
    let path = trim(source, &(line.start + 1 + space..line.end));
    if path.is_empty() || !encoding.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
        return None;
    }
    let range = trim(source, line);
    if !["", "utf8", "utf-8"].contains(&encoding.to_ascii_lowercase().as_str()) {
        let problem = source.problem(format!("the encoding `{}` is not supported", shortened(encoding)), &range);
        problems.push(problem.hint("save the file as UTF-8, and write `<@ path`"));
    }
    Some(BodyPart::File { path: Text::parse(source, path, problems), replaced, range })
}
