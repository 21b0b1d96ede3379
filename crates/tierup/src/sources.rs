//! What a host reads in the sources of a server, which may lie in other packages of its repository. In: the host, the server's folder, and
//! the absolute path of a file. Out: what it declares, and the files that it runs as.

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

    /// A file's path from the server's folder. Nothing for files outside of the repository.
    pub(crate) fn within(&self, file: &Path) -> Option<String> {
        file.starts_with(&self.root).then(|| relative(&self.folder, file))
    }

    /// What a file declares of a function: [`Declared::file`] is a path from the server's folder.
    pub(crate) fn declared(&self, file: &Path, name: &str) -> Option<Result<Declared, String>> {
        let file = file.strip_prefix(&self.root).ok()?.display().to_string();
        let declared = self.host.declared(&OnDisk(&self.root), &file, name)?;
        let from_server = |file: String| relative(&self.folder, &self.root.join(file));
        Some(declared.map(|declared| Declared { file: declared.file.map(from_server), ..declared }))
    }

    /// The files that a source may run as.
    pub(crate) fn compiled(&self, source: &Path) -> Vec<PathBuf> {
        let Ok(source) = source.strip_prefix(&self.root) else { return Vec::new() };
        let compiled = self.host.compiled(&OnDisk(&self.root), &source.display().to_string());
        compiled.into_iter().map(|file| self.root.join(file)).collect()
    }

    /// Why a function without a name, on this line of a file, is a framework's.
    pub(crate) fn handles(&self, file: &Path, line: u32) -> Option<String> {
        let file = file.strip_prefix(&self.root).ok()?.display().to_string();
        self.host.handles(&OnDisk(&self.root), &file, line)
    }
}
