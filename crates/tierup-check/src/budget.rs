//! How much of one row generated inputs may take. In: what calls took. Out: why the next one is left out.
//!
//! A function that takes a count, such as `text.repeat(count)`, gets counts of every size: its calls may take all time and
//! all memory that there is.

use std::{collections::BTreeMap, time::Duration};

/// Of the generated calls of one function at one row, together.
const MOST_TIME: Duration = Duration::from_secs(60);
/// Of their answers together. Those of all rows are kept, each more than once.
const MOST_BYTES: usize = 32 << 20;

/// What each function has taken at a row so far.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    spent: BTreeMap<usize, Spent>,
}

#[derive(Debug, Default)]
struct Spent {
    time: Duration,
    bytes: usize,
}

impl Budget {
    /// Why a call of this function is left out; `None` if it is not.
    pub(crate) fn over(&self, function: usize) -> Option<String> {
        let spent = self.spent.get(&function).filter(|spent| spent.time > MOST_TIME)?;
        let (most, took) = (MOST_TIME.as_secs(), spent.time.as_secs());
        Some(format!("the function's generated calls may take {most} s together, and those before took {took} s"))
    }

    /// Counts a call; answers why its answer is left out, `None` if it is kept.
    pub(crate) fn spend(&mut self, function: usize, time: Duration, bytes: usize) -> Option<String> {
        let spent = self.spent.entry(function).or_default();
        spent.time += time;
        if spent.bytes + bytes > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            return Some(format!("answers to the function's generated calls may have {most} MiB together"));
        }
        spent.bytes += bytes;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_has_its_own_time_and_room() {
        let mut budget = Budget::default();
        let second = Duration::from_secs(1);
        for _ in 0..60 {
            assert_eq!((budget.over(0), budget.spend(0, second, 1)), (None, None));
        }
        budget.spend(0, second, 1);
        let expected = "the function's generated calls may take 60 s together, and those before took 61 s";
        assert_eq!(budget.over(0).as_deref(), Some(expected));
        assert_eq!(budget.over(1), None);
        // A large answer is left out, the small ones behind it are not.
        assert!(budget.spend(1, second, 33 << 20).is_some_and(|why| why.contains("32 MiB")));
        assert_eq!(budget.spend(1, second, 32 << 20), None);
        assert!(budget.spend(1, second, 1).is_some());
    }
}
