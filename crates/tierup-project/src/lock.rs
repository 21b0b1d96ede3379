//! The dependencies of a crate, from cargo's lock file. In: the file's text, and the packages to start from. Out:
//! whether another package is among their dependencies.

use std::collections::HashMap;

use serde::Deserialize;

#[derive(Deserialize)]
struct Lock {
    #[serde(default, rename = "package")]
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    /// `name`, `name version` or `name version (source)`.
    #[serde(default)]
    dependencies: Vec<String>,
}

/// Whether one of these packages is `wanted` or depends on it. Versions are ignored and optional dependencies count, so
/// a yes may be wrong, but a no is not. Without a readable lock file, only these packages themselves count.
pub(super) fn reaches<'a>(lock: &str, start: impl Iterator<Item = &'a str>, wanted: &str) -> bool {
    let lock: Lock = toml::from_str(lock).unwrap_or(Lock { packages: Vec::new() });
    let mut needs: HashMap<&str, Vec<&str>> = HashMap::new();
    for package in &lock.packages {
        let names = package.dependencies.iter().filter_map(|dependency| dependency.split(' ').next());
        needs.entry(&package.name).or_default().extend(names);
    }
    let mut open: Vec<&str> = start.collect();
    while let Some(name) = open.pop() {
        if name == wanted {
            return true;
        }
        // Each package is followed once, since packages may depend on each other for their tests.
        open.extend(needs.remove(name).unwrap_or_default());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
        version = 4
        [[package]]
        name = "client"
        version = "1.0.0"
        dependencies = ["http 0.2.0", "client"]
        [[package]]
        name = "http"
        version = "0.2.0"
        dependencies = ["tokio 1.50.0 (registry+https://example.org)"]
        [[package]]
        name = "tokio"
        version = "1.50.0"
        [[package]]
        name = "image"
        version = "1.0.0"
        dependencies = ["png"]
    "#;

    #[test]
    fn indirect_dependencies_count() {
        assert!(reaches(LOCK, ["image", "client"].into_iter(), "tokio"));
        assert!(!reaches(LOCK, ["image", "png", "unknown"].into_iter(), "tokio"));
    }

    #[test]
    fn only_direct_dependencies_count_without_a_lock_file() {
        for lock in ["", "no lock = = file"] {
            assert!(reaches(lock, ["tokio"].into_iter(), "tokio"));
            assert!(!reaches(lock, ["client"].into_iter(), "tokio"));
        }
    }
}
