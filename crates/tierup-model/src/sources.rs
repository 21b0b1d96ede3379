//! Where source text comes from. This crate reads no files itself: the caller hands the texts over, from a disk, an
//! editor's buffers or a test's map.

use std::collections::{BTreeMap, HashMap};

/// The texts of one crate.
pub trait Sources {
    /// The text of a file; `path` is relative to the crate's folder with `/` between its parts, e.g. `src/lib.rs`
    /// (a `#[path]` attribute may lead outside: `../shared/shapes.rs`). `None` if the file does not exist.
    fn read(&self, path: &str) -> Option<String>;
}

impl Sources for HashMap<String, String> {
    fn read(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}

impl Sources for BTreeMap<String, String> {
    fn read(&self, path: &str) -> Option<String> {
        self.get(path).cloned()
    }
}

/// The crate whose interface is read, as cargo knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrateInfo {
    /// The name of the cargo package, e.g. `near-words`.
    pub package: String,
    /// The name that Rust code uses for its library, e.g. `near_words`.
    pub library: String,
    /// The version of the cargo package, e.g. `0.1.0`.
    pub version: String,
    /// The file that the library starts from, e.g. `src/lib.rs`.
    pub root: String,
}
