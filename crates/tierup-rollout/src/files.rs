//! Evidence files are named `<run>-<number>.jsonl`: the run belongs to one proxy, and numbers start at 1.
//!
//! In: names, ages and sizes. Out: the order in which files were written, and which files to delete. Every file begins
//! with [`Began`](crate::evidence::Event::Began), so a reader needs no earlier file.

mod position;

use std::time::Duration;

pub use position::Position;

/// The ending of each file's name.
pub const ENDING: &str = ".jsonl";
/// A file that has not grown for this long belongs to no running proxy: proxies write every few seconds.
const LEFT_ALONE: Duration = Duration::from_secs(3600);

/// What is kept of old evidence.
#[derive(Debug, Clone, Copy)]
pub struct Keeping {
    pub age: Duration,
    /// The most bytes that all files may have together.
    pub bytes: u64,
}

impl Default for Keeping {
    fn default() -> Keeping {
        Keeping { age: Duration::from_secs(14 * 24 * 3600), bytes: 1 << 30 }
    }
}

/// A file, as listed from its folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    /// The time since the last line was added.
    pub age: Duration,
    pub bytes: u64,
}

/// Splits a file's name into the proxy's run and the file's number. Sorted by both, files are in the order of writing.
pub fn run_and_number(name: &str) -> (&str, u64) {
    let name = name.strip_suffix(ENDING).unwrap_or(name);
    let parts = name.rsplit_once('-').filter(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()));
    parts.and_then(|(run, number)| Some((run, number.parse().ok()?))).unwrap_or((name, 0))
}

impl Keeping {
    /// The files to delete: those that are too old, and the oldest ones if all files together are too large. It never
    /// returns a file to which a proxy still writes. `taken` is the number of bytes that other files need.
    pub fn old(&self, mut files: Vec<Listed>, taken: u64) -> Vec<String> {
        // The youngest come first, as they are kept.
        files.sort_by(|one, other| (one.age, &one.name).cmp(&(other.age, &other.name)));
        let mut total = taken;
        files.retain(|file| {
            total = total.saturating_add(file.bytes);
            file.age >= LEFT_ALONE && (file.age > self.age || total > self.bytes)
        });
        files.into_iter().map(|file| file.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tenth_file_of_a_run_follows_the_ninth() {
        let mut names = ["5-1-b-1.jsonl", "5-1-a-10.jsonl", "5-1-a-9.jsonl", "other.jsonl"];
        names.sort_by_key(|name| run_and_number(name));
        assert_eq!(names, ["5-1-a-9.jsonl", "5-1-a-10.jsonl", "5-1-b-1.jsonl", "other.jsonl"]);
        assert_eq!(run_and_number("run-x.jsonl"), ("run-x", 0));
        assert_eq!(run_and_number("run-.jsonl"), ("run-", 0));
    }

    #[test]
    fn old_files_are_deleted_unless_they_still_grow() {
        let day = Duration::from_secs(24 * 3600);
        let files = || {
            let files =
                [("ancient", 20 * day, 10), ("older", 3 * day, 600), ("old", 2 * day, 600), ("now", day / 48, 5_000)];
            files.map(|(name, age, bytes)| Listed { name: name.to_owned(), age, bytes }).to_vec()
        };
        let old = |bytes, taken| Keeping { bytes, ..Keeping::default() }.old(files(), taken);
        assert_eq!(old(10_000, 0), ["ancient"]);
        assert_eq!(old(6_000, 0), ["older", "ancient"]);
        assert_eq!(old(10_000, 4_200), ["older", "ancient"]);
        assert_eq!(old(0, 0), ["old", "older", "ancient"]);
    }
}
