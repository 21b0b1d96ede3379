//! A text with the name of its file, and problems that point into it.

use std::ops::Range;

use tierup_diagnostic::{Diagnostic, Place};

/// How much of a line is shown. Of longer lines, such as a body of megabytes, only the part around the problem is
/// shown.
const SHOWN_BEFORE: usize = 100;
const SHOWN_BEHIND: usize = 300;

#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) text: String,
    /// Where each line starts.
    lines: Vec<usize>,
}

impl Source {
    /// Removes a byte order mark, as it is not part of the text.
    pub(crate) fn new(file: &str, text: &str) -> Source {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(newline, _)| newline + 1)).collect();
        Source { file: file.to_owned(), text: text.to_owned(), lines }
    }

    /// A problem at a byte range of the text.
    pub(crate) fn problem(&self, message: impl Into<String>, range: &Range<usize>) -> Diagnostic {
        Diagnostic::new(message).at(self.place(range))
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, offset: usize) -> usize {
        self.lines.partition_point(|start| *start <= offset)
    }

    /// The byte at a line and a column in bytes, both from 1, or the nearest one that exists.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let start = self.lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        self.text.floor_char_boundary(start.saturating_add(column.saturating_sub(1)))
    }

    fn place(&self, range: &Range<usize>) -> Place {
        let text = self.text.as_str();
        let line_start = self.lines[self.line(range.start) - 1];
        let line_end = text[range.start..].find('\n').map_or(text.len(), |newline| range.start + newline);
        let shown_start = text.ceil_char_boundary(line_start.max(range.start.saturating_sub(SHOWN_BEFORE)));
        let shown_end = text.floor_char_boundary(line_end.min(range.start + SHOWN_BEHIND));
        let shown = &text[shown_start..shown_end];
        let mut place = Place::new(&self.file, shown, range.start - shown_start..range.end - shown_start);
        place.line = self.line(line_start);
        place.column = text[line_start..range.start].chars().count() + 1;
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_shown_around_the_problem() {
        let text = format!("first\n{}here{}\nlast", "é".repeat(5000), "x".repeat(5000));
        let start = text.find("here").unwrap();
        let problem = Source::new("a.http", &text).problem("wrong", &(start..start + 4));
        let place = problem.place.unwrap();
        assert_eq!((place.line, place.column, place.length), (2, 5001, 4));
        assert_eq!(&place.source_line[place.range.clone()], "here");
        assert!(place.source_line.len() <= SHOWN_BEFORE + SHOWN_BEHIND);
    }

    #[test]
    fn a_byte_order_mark_does_not_shift_columns() {
        let problem = Source::new("a.http", "\u{feff}GET").problem("wrong", &(0..3));
        assert_eq!(problem.place.unwrap().column, 1);
    }
}
