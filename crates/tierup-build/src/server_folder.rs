//! A server's folder on disk, as hosts look at it.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tierup_codegen::{HostSettings, ServerFolder};

/// The folder of a server, before `tierup.toml` says how it is started.
pub struct OnDisk<'a>(pub &'a Path);

/// The folder of a server that `tierup.toml` describes.
pub struct Described<'a>(pub &'a HostSettings);

impl ServerFolder for Described<'_> {
    fn read(&self, name: &str) -> Option<String> {
        OnDisk(&self.0.folder).read(name)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        OnDisk(&self.0.folder).names(folder)
    }

    fn exists(&self, name: &str) -> bool {
        OnDisk(&self.0.folder).exists(name)
    }

    fn start(&self) -> &[String] {
        &self.0.start
    }
}

impl ServerFolder for OnDisk<'_> {
    /// What cannot be read is told by whoever needs it: here it only decides between tools.
    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.0.join(name)).ok()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// A link counts, whether or not what it leads to is built yet.
    fn exists(&self, name: &str) -> bool {
        self.0.join(name).symlink_metadata().is_ok()
    }
}

/// Whether a file of the server's own names this: its source, or a manifest. Folders of other people's code are left out.
pub(crate) fn mentions(folder: &Path, text: &str) -> bool {
    const OTHERS: &[&str] = &["node_modules", "vendor", "target", "dist", "build", "__pycache__"];
    /// Of one file, and of all: a server's source is far less.
    const MOST_BYTES: u64 = 1 << 20;
    const MOST_FILES: usize = 5000;

    let mut folders = vec![folder.to_owned()];
    let mut files: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !name.starts_with('.') && !OTHERS.contains(&&*name) => {
                    folders.push(entry.path());
                }
                Ok(kind) if kind.is_file() && files.len() < MOST_FILES => files.push(entry.path()),
                _ => {}
            }
        }
    }
    let is_small = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() <= MOST_BYTES);
    files.into_iter().filter(is_small).any(|file| fs::read_to_string(file).is_ok_and(|content| content.contains(text)))
}
