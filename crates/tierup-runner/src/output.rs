//! Reads what programs print, line by line, as it comes.

use std::{
    collections::VecDeque,
    io::{BufRead, BufReader, Read},
    thread,
};

/// The most lines that are kept for an error: enough for rustc's longest lists of errors, not for a runaway log.
pub(crate) const KEPT: usize = 2000;

/// Calls `each` with every line of `stream`, in a thread of its own, until the stream ends.
pub(crate) fn each_line(stream: impl Read + Send + 'static, mut each: impl FnMut(String) + Send + 'static) {
    thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut bytes = Vec::new();
        while stream.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
            each(readable(&bytes));
            bytes.clear();
        }
    });
}

/// A line as a terminal shows it: without terminal codes, and without the text that a progress bar wrote before its
/// last carriage return. Some programs (Maven) write these codes even into a pipe.
pub(crate) fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = console::strip_ansi_codes(&text);
    let text = text.trim_end_matches(['\n', '\r']);
    text.rsplit('\r').next().unwrap_or(text).to_owned()
}

/// All lines of a whole output.
pub(crate) fn lines(bytes: &[u8]) -> Vec<String> {
    bytes.split(|byte| *byte == b'\n').map(readable).filter(|line| !line.is_empty()).collect()
}

/// The last lines of an output.
#[derive(Debug, Default)]
pub(crate) struct Tail(VecDeque<String>);

impl Tail {
    pub(crate) fn push(&mut self, line: String) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(line);
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.iter().cloned().collect()
    }
}
