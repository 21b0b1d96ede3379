//! Extracts the evidence from a failed program's output: the lines that name a failed test, with a few that follow;
//! else its last lines. The report repeats them at its end, for readers who have only the end of the output.

use std::collections::VecDeque;

/// Maximum number of lines to keep per program.
const MOST: usize = 40;
/// Number of last lines to keep if no line names a failed test.
const LAST: usize = 12;
/// Number of lines to keep after a failed test's name: the place and the message.
const FOLLOWING: usize = 5;
/// A longer line is cut.
const LONGEST: usize = 300;

#[derive(Default)]
pub(crate) struct Evidence {
    naming: Vec<String>,
    following: usize,
    last: VecDeque<String>,
}

impl Evidence {
    pub(crate) fn read(&mut self, line: &str) {
        let line: String = line.trim_end().chars().take(LONGEST).collect();
        if line.is_empty() {
            return;
        }
        if names_a_failure(&line) {
            self.following = FOLLOWING + 1;
        }
        if self.following > 0 && self.naming.len() < MOST {
            self.following -= 1;
            self.naming.push(line.clone());
        }
        self.last.push_back(line);
        if self.last.len() > LAST {
            self.last.pop_front();
        }
    }

    pub(crate) fn lines(self) -> Vec<String> {
        if self.naming.is_empty() { self.last.into() } else { self.naming }
    }
}

/// The markers of cargo and rustc, Go, pytest, Node, ExUnit, Minitest and Maven.
fn names_a_failure(line: &str) -> bool {
    let text = line.trim_start();
    let numbered = text.split_once(") ").is_some_and(|(number, rest)| {
        number.parse::<u32>().is_ok() && ["test ", "Failure:", "Error:"].iter().any(|word| rest.starts_with(word))
    });
    let begins = ["error", "FAILED ", "--- FAIL", "not ok ", "✖ ", "[ERROR]"].iter().any(|word| text.starts_with(word));
    numbered || begins || text.ends_with("... FAILED") || (text.starts_with("thread '") && text.contains("panicked at"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut evidence = Evidence::default();
        text.lines().for_each(|line| evidence.read(line));
        evidence.lines()
    }

    #[test]
    fn the_failed_test_and_its_message_are_kept() {
        let passed = "test a::fine ... ok\n".repeat(30);
        let panic = "thread 'a::b' (7) panicked at src/a.rs:3:5:\nassertion failed: left == right";
        let cargo = format!("{passed}test a::b ... FAILED\n{passed}\n{panic}\n{passed}test result: FAILED. 1 failed");
        let kept = of(&cargo);
        assert!(kept.contains(&"test a::b ... FAILED".to_owned()), "{kept:?}");
        assert!(kept.contains(&"assertion failed: left == right".to_owned()), "{kept:?}");
        assert!(kept.len() < MOST, "{kept:?}");
        for line in [
            "  1) test a call of one name (Own.ValuesTest)",
            "  2) Failure:",
            "--- FAIL: TestCalls (0.00s)",
            "✖ a call of one name (3.1ms)",
            "FAILED tests/test_calls.py::test_one - AssertionError",
            "[ERROR] CallsTest.one:14 expected: <1> but was: <2>",
            "error[E0308]: mismatched types",
        ] {
            assert_eq!(of(&format!("{passed}{line}\n")), [line]);
        }
    }

    #[test]
    fn without_a_failed_test_the_last_lines_are_kept() {
        let lines: String = (0..100).map(|number| format!("line {number}\n")).collect();
        let kept = of(&lines);
        assert_eq!((kept.len(), kept.last().map(String::as_str)), (LAST, Some("line 99")));
    }

    #[test]
    fn evidence_of_endless_output_is_bounded() {
        let kept = of(&"error: and more\n".repeat(10_000));
        assert_eq!(kept.len(), MOST);
        assert!(of(&"x".repeat(1_000_000))[0].len() <= LONGEST);
    }
}
