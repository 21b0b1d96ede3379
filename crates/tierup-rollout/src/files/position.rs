//! How far an evidence file was read. In: the file's bytes from there on, whatever a proxy or a full disk left there. Out: the
//! lines that are new.

use crate::evidence::Line;

/// A line that is longer is skipped: no proxy writes such a line.
const LONGEST: usize = 1 << 20;

/// How far a file was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Position {
    /// Of the first byte that was not taken in.
    pub offset: u64,
    /// Of the last line that was taken in; lines are numbered from 1.
    pub number: u64,
    /// Lines that could not be read.
    pub broken: u64,
    /// Numbers that did not come: of lines that the proxy could not write, and of broken ones.
    pub lost: u64,
    /// The rest of a line that is too long is being skipped.
    pub skipping: bool,
}

impl Position {
    /// Takes in what follows [`Position::offset`] in the file, or the beginning of it. A last line without its end is not taken
    /// in; nor is one whose number was taken in before.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (text, after) = (&rest[..end], &rest[end + 1..]);
            rest = after;
            self.offset += end as u64 + 1;
            if std::mem::take(&mut self.skipping) || text.is_empty() {
                continue;
            }
            let line = std::str::from_utf8(text).ok().filter(|text| text.len() <= LONGEST).map(Line::parse);
            match line {
                Some(Ok(line)) if line.number > self.number => {
                    self.lost += line.number - self.number - 1;
                    self.number = line.number;
                    lines.push(line);
                }
                // Taken in before.
                Some(Ok(_)) => {}
                _ => self.broken += 1,
            }
        }
        if rest.len() > LONGEST {
            self.broken += u64::from(!self.skipping);
            self.offset += rest.len() as u64;
            self.skipping = true;
        }
        lines
    }

    /// Lines that the proxy could not write. A broken line has a number, too, which is not known.
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
        // Too long, over several readings.
        assert_eq!(read(&"x".repeat(LONGEST + 1)), (vec![], 3, 2));
        assert_eq!(read(&"y".repeat(LONGEST + 1)), (vec![], 3, 2));
        assert_eq!(read(&("z\n".to_owned() + &line(8))), (vec![8], 3, 2));
        // A line that is being written waits for its end.
        let next = line(9);
        assert!(read(&next[..20]).0.is_empty());
        assert_eq!(read(&next[20..]).0, [9]);
    }
}
