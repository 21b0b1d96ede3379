//! Paragraphs, lists and quotations as plain text, wrapped to a width. In: untrusted texts. Out: lines.

use super::{Colour, Style};
use crate::printable;

/// A text under construction.
pub struct Prose {
    style: Style,
    lines: Vec<String>,
}

/// ANSI's "select graphic rendition" (ECMA-48, 8.3.117).
const BOLD: &str = "\u{1b}[1m";
const FAINT: &str = "\u{1b}[2m";
const NORMAL: &str = "\u{1b}[0m";

/// The minimum width to wrap to, however narrow the terminal.
const NARROWEST: usize = 24;

impl Prose {
    /// An empty text.
    pub fn new(style: Style) -> Prose {
        Prose { style, lines: Vec::new() }
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.wrapped(text, "", "", "");
    }

    /// A paragraph in bold, e.g. a heading.
    pub fn strong(&mut self, text: &str) {
        self.wrapped(text, "", "", BOLD);
    }

    /// A paragraph of less importance.
    pub fn faint(&mut self, text: &str) {
        self.wrapped(text, "", "", FAINT);
    }

    /// A list item, after a sign of one character.
    pub fn item(&mut self, sign: &str, text: &str) {
        self.wrapped(text, &format!("{sign} "), "  ", "");
    }

    /// A conclusion, after an arrow.
    pub fn set_off(&mut self, text: &str) {
        self.wrapped(text, "=> ", "   ", BOLD);
    }

    /// Unwrapped lines, each after a bar.
    pub fn quote(&mut self, lines: &str) {
        self.lines.extend(lines.lines().map(|line| format!("  | {line}").trim_end().to_owned()));
    }

    /// Lines that are already laid out.
    pub fn block(&mut self, lines: &str) {
        self.lines.extend(lines.lines().map(|line| line.trim_end().to_owned()));
    }

    /// An empty line, unless the last one is empty.
    pub fn gap(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_empty()) {
            self.lines.push(String::new());
        }
    }

    /// The whole text, ending with one line feed.
    pub fn finish(mut self) -> String {
        while self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
        self.lines.join("\n") + "\n"
    }

    fn wrapped(&mut self, text: &str, first: &str, rest: &str, emphasis: &str) {
        let width = self.style.width.map_or(usize::MAX, |width| usize::from(width).max(NARROWEST));
        let mut line = first.to_owned();
        let mut starts = true;
        for word in printable::line(text).split(' ').filter(|word| !word.is_empty()) {
            let needed = line.chars().count() + word.chars().count() + usize::from(!starts);
            if !starts && needed > width {
                self.emphasized(&line, emphasis);
                line = rest.to_owned();
                starts = true;
            }
            if !starts {
                line.push(' ');
            }
            line += word;
            starts = false;
        }
        self.emphasized(&line, emphasis);
    }

    fn emphasized(&mut self, line: &str, emphasis: &str) {
        self.lines.push(match self.style.colour {
            Colour::Ansi if !emphasis.is_empty() => format!("{emphasis}{line}{NORMAL}"),
            _ => line.to_owned(),
        });
    }
}
