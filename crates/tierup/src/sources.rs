//! Reads a server's sources, which may be in other packages of its repository. In: the host, the server's folder, and a
//! file's absolute path. Out: its declarations, and the files that it is compiled to.

use std::path::{Path, PathBuf};

use tierup_codegen::{Declared, Host};
use tierup_project::relative;
use tierup_rows::OnDisk;

/// The sources of a server.
pub(crate) struct Sources {
    host: &'static dyn Host,
    folder: PathBuf,
    /// The repository's folder.
    root: PathBuf,
}

impl Sources {
    pub(crate) fn new(host: &'static dyn Host, folder: &Path) -> Sources {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let root = folder.ancestors().nth(host.repository(&OnDisk(&folder))).unwrap_or(&folder).to_owned();
        Sources { host, folder, root }
    }

    /// A file's path relative to the server's folder; `None` if it is outside the repository.
    pub(crate) fn within(&self, file: &Path) -> Option<String> {
        file.starts_with(&self.root).then(|| relative(&self.folder, file))
    }

    /// A function's declaration in a file. [`Declared::file`] is relative to the server's folder.
    pub(crate) fn declared(&self, file: &Path, name: &str) -> Option<Result<Declared, String>> {
        let file = file.strip_prefix(&self.root).ok()?.display().to_string();
        let declared = self.host.declared(&OnDisk(&self.root), &file, name)?;
        let from_server = |file: String| relative(&self.folder, &self.root.join(file));
        Some(declared.map(|declared| Declared { file: declared.file.map(from_server), ..declared }))
    }

    /// The files that a source may be compiled to.
    pub(crate) fn compiled(&self, source: &Path) -> Vec<PathBuf> {
        let Ok(source) = source.strip_prefix(&self.root) else { return Vec::new() };
        let compiled = self.host.compiled(&OnDisk(&self.root), &source.display().to_string());
        compiled.into_iter().map(|file| self.root.join(file)).collect()
    }

    /// Why a nameless function on this line is a framework's handler.
    pub(crate) fn handles(&self, file: &Path, line: u32) -> Option<String> {
        let file = file.strip_prefix(&self.root).ok()?.display().to_string();
        self.host.handles(&OnDisk(&self.root), &file, line)
    }
}
