//! Generated files, in memory: a name and its bytes.

use std::collections::BTreeMap;

/// Files to be written below one folder. Names are relative, with `/` between folders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    ///
    /// # Panics
    /// If the name is absolute, leaves the folder or is taken: a conflict between generators, never the user's fault.
    pub fn add(&mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) {
        let name = name.into();
        let inside = !name.is_empty() && name.split('/').all(|part| !matches!(part, "" | "." | ".."));
        assert!(inside, "generated file name `{name}` is not a plain relative path");
        let taken = self.0.insert(name.clone(), content.into());
        assert!(taken.is_none(), "two generated files are called `{name}`");
    }

    /// [`Files::add`], as an expression.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        self.add(name, content);
        self
    }

    /// The same files, with another content for one of them.
    ///
    /// # Panics
    /// There is no such file: a mistake of the generator.
    #[must_use]
    pub fn with_other(mut self, name: &str, content: impl Into<Vec<u8>>) -> Self {
        let Some(place) = self.0.get_mut(name) else { panic!("no generated file is called `{name}`") };
        *place = content.into();
        self
    }

    /// Adds all of `other` below the folder `prefix`.
    pub fn extend_below(&mut self, prefix: &str, other: Files) {
        for (name, content) in other.0 {
            self.add(format!("{prefix}/{name}"), content);
        }
    }

    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.get(name).map(Vec::as_slice)
    }

    /// The files, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, content)| (name.as_str(), content.as_slice()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
