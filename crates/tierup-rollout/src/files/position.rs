//! How far an evidence file was read. In: the file's bytes from there on, whatever a proxy or a full disk left there.
//! Out: the new lines.

use serde::{Deserialize, Serialize};

use crate::evidence::Line;

/// Longer lines are skipped, as no proxy writes them.
const LONGEST: usize = 1 << 20;

/// How far a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    /// The offset of the first byte that was not taken in.
    pub offset: u64,
    /// The number of the last line that was taken in, counted from 1.
    pub number: u64,
    /// The number of lines that could not be read.
    pub broken: u64,
    /// The number of line numbers that are missing: lines that the proxy could not write, and broken lines.
    pub lost: u64,
    /// Whether the rest of an overlong line is being skipped.
    pub skipping: bool,
}

impl Position {
    /// Takes in all or some of the bytes that follow [`Position::offset`]. It leaves a last line without a line break
    /// for later, and skips lines whose numbers were taken in before.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (text, after) = (&rest[..end], &rest[end + 1..]);
            rest = after;
            self.offset = self.offset.saturating_add(end as u64 + 1);
            if std::mem::take(&mut self.skipping) || text.is_empty() {
                continue;
            }
            let line = std::str::from_utf8(text).ok().filter(|text| text.len() <= LONGEST).map(Line::parse);
            match line {
                Some(Ok(line)) if line.number > self.number => {
                    self.lost = self.lost.saturating_add(line.number - self.number - 1);
                    self.number = line.number;
                    lines.push(line);
                }
                // The line was taken in before.
                Some(Ok(_)) => {}
                _ => self.broken = self.broken.saturating_add(1),
            }
        }
        if rest.len() > LONGEST {
            self.broken += u64::from(!self.skipping);
            self.offset += rest.len() as u64;
            self.skipping = true;
        }
        lines
    }

    /// Lines that the proxy could not write. The number of a broken line is unknown, so `lost` counts it too.
    pub fn missing(&self) -> u64 {
        self.lost.saturating_sub(self.broken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Entry, Event};

    fn line(number: u64) -> String {
        Line { number, at: 0, entry: Entry::Event(Event::Ended) }.to_text().expect("JSON")
    }

    #[test]
    fn broken_and_missing_lines_are_counted_and_skipped() {
        let (mut position, mut file) = (Position::default(), String::new());
        let mut read = |text: &str| {
            file += text;
            let lines = position.take(&file.as_bytes()[position.offset as usize..]);
            (lines.iter().map(|line| line.number).collect::<Vec<_>>(), position.broken, position.missing())
        };
        let two = format!("{}{{\"number\":2,\"at\"{}\u{0}\n{}", line(1), line(3), line(7));
        assert_eq!(read(&two), (vec![1, 7], 2, 3));
        assert_eq!(read(&line(7)), (vec![], 2, 3), "it was taken in before");
        // The line is too long, and is read in several pieces.
        assert_eq!(read(&"x".repeat(LONGEST + 1)), (vec![], 3, 2));
        assert_eq!(read(&"y".repeat(LONGEST + 1)), (vec![], 3, 2));
        assert_eq!(read(&("z\n".to_owned() + &line(8))), (vec![8], 3, 2));
        // The last line is still being written, so it waits for its line break.
        let next = line(9);
        assert!(read(&next[..20]).0.is_empty());
        assert_eq!(read(&next[20..]).0, [9]);
    }
}
