//! The package that a server's owner commits, so that clones work before anything is built.

use crate::Files;

/// The committed files, and the names of those that a build adds.
#[derive(Debug, Clone)]
pub struct Stub {
    pub files: Files,
    /// Files of `.tierup/<host>/`, and folders (ending with `/`), that `tierup build` copies beside the committed ones;
    /// git ignores them. If there are none, the committed package finds the built one itself.
    pub added: Vec<String>,
}

impl Stub {
    /// A package that finds the built one when it is loaded.
    pub fn that_finds_what_is_built(files: Files) -> Stub {
        Stub { files, added: Vec::new() }
    }

    /// The part of a package that runs the server's own functions. `added` is the rest of it, for compilers and tools
    /// that take all files of a package from one folder.
    pub fn part_of(package: &Files, added: impl IntoIterator<Item = impl Into<String>>) -> Stub {
        let added: Vec<String> = added.into_iter().map(Into::into).collect();
        let is_added =
            |name: &str| added.iter().any(|path| name == path || path.ends_with('/') && name.starts_with(path));
        // All hosts share one README for the committed package.
        let kept = package.iter().filter(|(name, _)| *name != "README.md" && !is_added(name));
        let files = kept.fold(Files::new(), |files, (name, content)| files.with(name, content));
        Stub { files, added }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_leaves_out_the_added_files() {
        let names = ["README.md", "go.mod", "internal/pool/pool.go", "internal/pools.go", "built.go"];
        let package = names.into_iter().fold(Files::new(), |files, name| files.with(name, ""));
        let stub = Stub::part_of(&package, ["internal/pool/", "built.go"]);
        let left: Vec<_> = stub.files.iter().map(|(name, _)| name).collect();
        assert_eq!(left, ["go.mod", "internal/pools.go"]);
    }
}
