//! A server's folder in memory, for hosts' own tests of what they find in one.
//!
//! In: names and texts of files. Out: the folder. The tests include this file as a module.

use std::collections::BTreeMap;

use tierup_codegen::ServerFolder;

pub(crate) fn test_folder(files: &[(&str, &str)]) -> impl ServerFolder + use<> {
    struct InMemory(BTreeMap<String, String>);

    impl ServerFolder for InMemory {
        fn read(&self, name: &str) -> Option<String> {
            self.0.get(name).cloned()
        }
        fn names(&self, folder: &str) -> Vec<String> {
            let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let mut names: Vec<_> =
                self.0.keys().filter_map(|name| name.strip_prefix(&below)?.split('/').next()).collect();
            names.dedup();
            names.into_iter().map(str::to_owned).collect()
        }
        fn exists(&self, name: &str) -> bool {
            self.0.keys().any(|there| there == name || there.starts_with(&format!("{name}/")))
        }
    }

    InMemory(files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
}
