//! Compares texts line by line.

use super::bytes;
use crate::comparator::{LineEnds, TextRules, TrailingSpace};
use crate::difference::{Difference, Differences, LONGEST, Place};
use crate::json::Text;

/// The most bytes of a line that are shown: a character has at most four.
const SHOWN: usize = 4 * LONGEST;

/// The first line that differs. Texts need not be UTF-8.
pub(crate) fn compare(control: &[u8], candidate: &[u8], rules: TextRules) -> Differences {
    let [mut mine, mut theirs] = [control, candidate].map(|text| lines(text, rules));
    let mut number = 0;
    let (mine, theirs) = loop {
        number += 1;
        match (mine.next(), theirs.next()) {
            (None, None) => return Differences::default(),
            (mine, theirs) if mine == theirs => {}
            different => break different,
        }
    };
    let is_cut =
        mine.as_ref().zip(theirs.as_ref()).is_some_and(|(mine, theirs)| mine.beginning() == theirs.beginning());
    let [mine, theirs] = [mine, theirs].map(|line| line.as_ref().map(Line::shown));
    if mine == theirs && !is_cut {
        // The lines differ only in bytes that are not valid text, so a byte comparison says more.
        return bytes::compare(control, candidate);
    }
    Difference::new(Place::Line(number), mine.as_deref(), theirs.as_deref()).into()
}

/// The parts of a line that are compared.
#[derive(PartialEq, Eq)]
struct Line<'a> {
    content: &'a [u8],
    /// `\n`, `\r\n`, or nothing if the text ends without one.
    end: &'static str,
}

impl Line<'_> {
    /// The part of the line that is shown.
    fn beginning(&self) -> &[u8] {
        &self.content[..self.content.len().min(SHOWN)]
    }

    fn shown(&self) -> String {
        let text = String::from_utf8_lossy(self.beginning()) + self.end;
        format!("{:?}", Text::from(&*text))
    }
}

/// An iterator, because a list would take many times the memory of a text with short lines.
fn lines(text: &[u8], rules: TextRules) -> impl Iterator<Item = Line<'_>> {
    let ignores_space = rules.trailing_space == TrailingSpace::Ignored;
    let text = if ignores_space { without_blank_lines(text) } else { text };
    let end = text.len();
    text.split_inclusive(|byte| *byte == b'\n').scan(0, move |at, line| {
        *at += line.len();
        let mut line = split(line);
        if rules.line_ends == LineEnds::Any && !line.end.is_empty() {
            line.end = "\n";
        }
        if ignores_space {
            line.content = trim(line.content);
            line.end = if *at == end { "" } else { line.end };
        }
        Some(line)
    })
}

/// A text without the blank lines at its end.
fn without_blank_lines(mut text: &[u8]) -> &[u8] {
    while let Some(last) = text.split_inclusive(|byte| *byte == b'\n').next_back()
        && trim(split(last).content).is_empty()
    {
        text = &text[..text.len() - last.len()];
    }
    text
}

fn split(line: &[u8]) -> Line<'_> {
    match line {
        [content @ .., b'\r', b'\n'] => Line { content, end: "\r\n" },
        [content @ .., b'\n'] => Line { content, end: "\n" },
        content => Line { content, end: "" },
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let end = line.iter().rposition(|byte| !matches!(byte, b' ' | b'\t')).map_or(0, |last| last + 1);
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(control: &str, candidate: &str, line_ends: LineEnds, trailing_space: TrailingSpace) -> bool {
        let rules = TextRules { line_ends, trailing_space };
        compare(control.as_bytes(), candidate.as_bytes(), rules).is_empty()
    }

    #[test]
    fn differences_that_count() {
        use LineEnds as Ends;
        use TrailingSpace as Space;
        // Control, candidate, and whether they are alike if: nothing counts, line ends count, trailing space counts.
        let cases = [
            ("a\nb\n", "a\nb\n", [true, true, true]),
            ("a\nb\n", "a\r\nb\r\n", [true, false, true]),
            ("a\nb\n", "a\nb", [true, true, false]),
            ("a\r\n", "a", [true, true, false]),
            ("a\nb", "a \t\nb  ", [true, true, false]),
            ("a\n", "a\n \n\n", [true, true, false]),
            ("a\n", "a\r", [false, false, false]),
            ("a", " a", [false, false, false]),
            ("a", "A", [false, false, false]),
            ("a\n\nb", "a\nb", [false, false, false]),
            ("\u{feff}a", "a", [false, false, false]),
            ("", "\n", [true, true, false]),
        ];
        for (control, candidate, expected) in cases {
            let found = [(Ends::Any, Space::Ignored), (Ends::Compared, Space::Ignored), (Ends::Any, Space::Compared)]
                .map(|(ends, space)| same(control, candidate, ends, space));
            assert_eq!(found, expected, "{control:?} {candidate:?}");
        }
    }

    #[test]
    fn the_line_is_named() {
        let differences = compare(b"a\nb\nc", b"a\nB\nc", TextRules::default());
        assert_eq!(differences.list[0].to_string(), r#"line 2: "B\n" instead of "b\n""#);
        let latin_1 = compare(b"caf\xe9", b"caf\xe8", TextRules::default());
        assert_eq!(latin_1.list[0].place, Place::Byte(3));
        let long = [0xe9, 0xe8].map(|byte| [b"caf".as_slice(), &[byte], &[b' '; 1000], b"!"].concat());
        assert_eq!(compare(&long[0], &long[1], TextRules::default()).list[0].place, Place::Byte(3));
        let behind = [b'a', b'b'].map(|byte| [[b' '; 1000].as_slice(), &[byte]].concat());
        assert_eq!(compare(&behind[0], &behind[1], TextRules::default()).list[0].place, Place::Line(1));
        assert!(compare(b"caf\xe9 \n", b"caf\xe9", TextRules::default()).is_empty());
    }
}
