//! Which texts several clients sent, such as a word in a path. Texts of fewer clients may be secrets.
//!
//! In: texts, each with the client that sent it. Out: whether several clients sent it. Texts are known by hashes, in
//! bounded memory: if there are too many, those of few clients are forgotten, and counted anew.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher as _, RandomState},
};

/// This many clients count as several.
pub(crate) const SEVERAL: usize = 3;
/// The most texts that are remembered, of either kind.
const MOST: usize = 10_000;

#[derive(Debug, Clone, Default)]
pub(crate) struct Several {
    of_few: HashMap<u64, Vec<u64>>,
    of_several: HashSet<u64>,
    key: RandomState,
}

impl Several {
    /// Notes that `client` sent this text.
    pub(crate) fn note(&mut self, text: &str, client: u64) {
        let text = self.key.hash_one(text);
        if self.of_several.contains(&text) || self.of_several.len() >= MOST {
            return;
        }
        if self.of_few.len() >= MOST {
            self.of_few.clear();
        }
        let clients = self.of_few.entry(text).or_default();
        if !clients.contains(&client) {
            clients.push(client);
        }
        if clients.len() >= SEVERAL {
            self.of_few.remove(&text);
            self.of_several.insert(text);
        }
    }

    /// Whether several clients sent this text.
    pub(crate) fn sent(&self, text: &str) -> bool {
        self.of_several.contains(&self.key.hash_one(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_counts_once_and_memory_is_bounded() {
        let mut several = Several::default();
        [1, 1, 1, 2].iter().for_each(|client| several.note("a", *client));
        assert!(!several.sent("a"));
        several.note("a", 3);
        assert!(several.sent("a") && !several.sent("b"));
        for number in 0..3 * MOST {
            several.note(&format!("few {number}"), 1);
            [1, 2, 3].iter().for_each(|client| several.note(&number.to_string(), *client));
        }
        assert!(several.of_few.len() <= MOST && several.of_several.len() <= MOST);
        assert!(several.sent("a"));
    }
}
