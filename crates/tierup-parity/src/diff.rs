//! Shows two answers as a diff, for people.

use similar::TextDiff;

use crate::comparator::Comparator;
use crate::json;

/// How many lines are shown around a difference.
const CONTEXT: usize = 3;
/// How many lines of a body are compared, from shortly before the first difference.
const MOST_LINES: usize = 400;
/// How many characters of a line are shown.
const LONGEST_LINE: usize = 200;
/// How many bytes of a binary body are shown on a line.
const BYTES_A_LINE: usize = 16;

/// A unified diff, the control's lines with `-` and the candidate's with `+`; empty if no difference can be shown. For
/// [`Comparator::Json`], JSON is first laid out with sorted keys, so that neither key order nor space shows. Bodies
/// that are not text are shown in hexadecimal.
pub fn diff(control: &[u8], candidate: &[u8], comparator: &Comparator) -> String {
    let [control, candidate] = laid_out(control, candidate, comparator).map(|text| lines(&text));
    let same = control.iter().zip(&candidate).take_while(|(one, other)| one == other).count();
    let from = same.saturating_sub(CONTEXT);
    let [mine, theirs] = [&control, &candidate].map(|lines| {
        let shown: Vec<&str> = lines.iter().skip(from).take(MOST_LINES).map(String::as_str).collect();
        shown
    });
    let diff = TextDiff::from_slices(&mine, &theirs);
    let mut out = String::new();
    for group in diff.grouped_ops(CONTEXT) {
        let line = group.first().map_or(0, |operation| operation.old_range().start) + from + 1;
        out.push_str(&format!("line {line}\n"));
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            out.push_str(&format!("{}{}\n", change.tag(), change.value()));
        }
    }
    let longer = control.len().max(candidate.len()) - from;
    if longer > MOST_LINES {
        out.push_str(&format!("{} more lines are not shown\n", longer - MOST_LINES));
    }
    out
}

fn laid_out(control: &[u8], candidate: &[u8], comparator: &Comparator) -> [String; 2] {
    if matches!(comparator, Comparator::Json(_))
        && let (Ok(control), Ok(candidate)) = (json::read(control), json::read(candidate))
    {
        return [control.pretty() + "\n", candidate.pretty() + "\n"];
    }
    match (std::str::from_utf8(control), std::str::from_utf8(candidate)) {
        (Ok(control), Ok(candidate)) => [control.to_owned(), candidate.to_owned()],
        _ => [hexadecimal(control), hexadecimal(candidate)],
    }
}

/// Lines without their ends, cut to [`LONGEST_LINE`], with control characters visible.
fn lines(text: &str) -> Vec<String> {
    let visible = |c: char| if c.is_control() && c != '\t' { c.escape_default().collect() } else { c.to_string() };
    let line = |line: &str| {
        let shown: String = line.chars().take(LONGEST_LINE).map(visible).collect();
        if line.chars().nth(LONGEST_LINE).is_some() { format!("{shown}…") } else { shown }
    };
    let mut lines: Vec<String> = text.split('\n').map(line).collect();
    if text.ends_with('\n') {
        lines.pop();
    } else if !text.is_empty() {
        lines.push("(no line end)".to_owned());
    }
    lines
}

fn hexadecimal(bytes: &[u8]) -> String {
    let line = |(number, chunk): (usize, &[u8])| {
        let numbers: Vec<String> = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
        let shown = |byte: &u8| if byte.is_ascii_graphic() { char::from(*byte) } else { '.' };
        let texts: String = chunk.iter().map(shown).collect();
        format!("{:08x}  {:47}  {texts}\n", number * BYTES_A_LINE, numbers.join(" "))
    };
    bytes.chunks(BYTES_A_LINE).enumerate().map(line).collect()
}
