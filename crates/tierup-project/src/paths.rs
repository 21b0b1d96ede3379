//! Paths as manifests, commands and people have them.

use std::path::Path;

/// The path from one folder to another, with `/` between its parts, as manifests have it.
pub fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..].iter().map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A path relative to the current folder where it lies below it.
pub fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let inside = path.strip_prefix(&here).unwrap_or(path);
    if inside.as_os_str().is_empty() { ".".into() } else { inside.display().to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_goes_up_and_then_down() {
        let way = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(way("/a/app/server", "/a/app"), "..");
        assert_eq!(way("/a/app/crates/server", "/a/app/hot"), "../../hot");
        assert_eq!(way("/a/shop", "/a/shop/.tierup/node"), ".tierup/node");
    }
}
