//! A server's folder on disk, in the form in which hosts inspect it.

use std::{env, fs, path::Path};

use tierup_codegen::{ByPath, Host, HostSettings, ServerFolder};

use crate::stub;

/// The folder of a server whose start command is not known yet.
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
    /// A file that cannot be read counts as absent, as it only decides between tools.
    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.0.join(name)).ok()
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    /// A link counts even if its target is not built yet.
    fn exists(&self, name: &str) -> bool {
        self.0.join(name).symlink_metadata().is_ok()
    }
}

/// Folders with other people's code, or with build output.
pub const OTHERS: [&str; 7] = ["node_modules", "vendor", "target", "dist", "build", "deps", "__pycache__"];

/// Whether one of these files, at any depth, names the package by `path`. This skips folders with other people's code,
/// and the committed package, which names the built one itself.
pub(crate) fn names_path(folder: &Path, path: &str, files: ByPath) -> bool {
    /// Larger files are skipped, and the search ends after so many files: a server's source is far smaller.
    const MOST_BYTES: u64 = 1 << 20;
    const MOST_FILES: usize = 5000;

    let mut folders = vec![folder.to_owned()];
    let mut found = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let Ok(kind) = entry.file_type() else { continue };
            let is_searched = || !name.starts_with('.') && !OTHERS.contains(&&*name) && !stub::is_ours(&entry.path());
            if kind.is_dir() && is_searched() {
                folders.push(entry.path());
            }
            let is_one = |patterns: &[&str]| kind.is_file() && patterns.iter().any(|pattern| fits(&name, pattern));
            let (quoted, plain) = (is_one(files.quoted), is_one(files.plain));
            if !quoted && !plain || entry.metadata().is_ok_and(|file| file.len() > MOST_BYTES) {
                continue;
            }
            found += 1;
            if found > MOST_FILES {
                return false;
            }
            let text = fs::read_to_string(entry.path()).unwrap_or_default();
            if quoted && text.lines().any(|line| quotes(line, path))
                || plain && text.lines().any(|line| says(line, path))
            {
                return true;
            }
        }
    }
    false
}

/// Whether a name fits a pattern with at most one `*`.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end),
        None => name == pattern,
    }
}

/// Whether a line has the path in a string literal, without a space between the quote and the path.
fn quotes(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(start, _)| {
        let before = line[..start].chars().rev().find(|c| c.is_whitespace() || matches!(c, '"' | '\'' | '`'));
        before.is_some_and(|c| !c.is_whitespace())
    })
}

/// Whether a line contains the path and is not a comment.
fn says(line: &str, path: &str) -> bool {
    const COMMENTS: [&str; 3] = ["#", "//", "<!--"];
    line.contains(path) && !COMMENTS.iter().any(|comment| line.trim_start().starts_with(comment))
}

/// The server's `PATH`, if its host's installation has programs that must come first.
pub(crate) fn programs(host: &dyn Host, settings: &HostSettings) -> Option<String> {
    let folders = host.programs(&Described(settings));
    let own: Vec<_> = folders.iter().map(|name| settings.folder.join(name)).filter(|path| path.is_dir()).collect();
    if own.is_empty() {
        return None;
    }
    let others = env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(env::split_paths(&others));
    // `PATH` cannot contain a folder with `:` in its name.
    Some(env::join_paths(all).ok()?.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_counts_in_a_string_literal() {
        let quotes = |line| quotes(line, ".tierup/node");
        for line in [
            "const rust = require('../.tierup/node');",
            "import rust from \"../../.tierup/node/index.js\";",
            r#"    "hot": "file:../.tierup/node","#,
            "await import(`${here}/../.tierup/node/index.js`)",
        ] {
            assert!(quotes(line), "{line}");
        }
        for line in [
            "// built into ../.tierup/node",
            r#"    "build": "tierup build && ls ../.tierup/node","#,
            "it's in ../.tierup/node",
            "no path at all",
        ] {
            assert!(!quotes(line), "{line}");
        }
    }

    #[test]
    fn a_comment_does_not_count() {
        assert!(says("-e ../.tierup/python[wasm]", ".tierup/python"));
        assert!(says("    <systemPath>../.tierup/java/a.jar</systemPath>", ".tierup/java"));
        assert!(!says("  # -e ../.tierup/python", ".tierup/python"));
        assert!(!says("// use ../.tierup/go", ".tierup/go"));
    }

    #[test]
    fn a_pattern_has_one_star() {
        for (name, pattern) in [("a.js", "*.js"), ("requirements-dev.txt", "requirements*.txt"), ("go.mod", "go.mod")] {
            assert!(fits(name, pattern), "{name}");
        }
        for (name, pattern) in [("a.json", "*.js"), ("requirements", "requirements*.txt"), ("a.b", "a.b*.b")] {
            assert!(!fits(name, pattern), "{name}");
        }
    }
}
