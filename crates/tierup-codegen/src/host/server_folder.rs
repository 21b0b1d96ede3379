//! A server's folder, as hosts look at it: on disk, or in a test.

/// A server's folder, as hosts look at it. Names are relative to it and may lead upwards: `../pnpm-lock.yaml`.
pub trait ServerFolder {
    /// The text of a file.
    fn read(&self, name: &str) -> Option<String>;
    /// The names of a folder's entries; `""` is the server's own folder.
    fn names(&self, folder: &str) -> Vec<String>;
    fn exists(&self, name: &str) -> bool;
    /// [`HostSettings::start`]; empty while the start command is not known.
    fn start(&self) -> &[String] {
        &[]
    }

    /// The texts of the files of this name in the folder and in those above it.
    fn read_above(&self, name: &str) -> Vec<String> {
        const MOST_UP: usize = 16;
        (0..=MOST_UP).filter_map(|up| self.read(&format!("{}{name}", "../".repeat(up)))).collect()
    }
}

/// A server's folder with nothing in it.
#[derive(Debug, Clone, Copy)]
pub struct EmptyFolder;

impl ServerFolder for EmptyFolder {
    fn read(&self, _: &str) -> Option<String> {
        None
    }

    fn names(&self, _: &str) -> Vec<String> {
        Vec::new()
    }

    fn exists(&self, _: &str) -> bool {
        false
    }
}
