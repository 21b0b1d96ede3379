//! The functions of the atlas. In: the `atlas.toml` in each folder of `atlas/`. Out: [`Function`]s, by their folders' names.

use std::{collections::BTreeMap, fmt, fs, path::Path};

use serde::Deserialize;

/// A function of the atlas.
pub(super) struct Function {
    /// The name of its folder.
    pub(super) name: String,
    pub(super) about: About,
}

/// What `atlas.toml` says of a function.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct About {
    pub(super) title: String,
    /// The crates that the function is made of.
    pub(super) rust: String,
    /// A sentence: in which way the answers of all libraries are the same.
    pub(super) answers: String,
    /// How many random calls `tierup check` makes; its own default if it is missing. 0 leaves out hostile requests, too.
    pub(super) cases: Option<u32>,
    /// The rows in Rust; one for each tier if they are missing.
    #[serde(default = "one_for_each_tier")]
    pub(super) tiers: Vec<String>,
    /// What the inputs of each size are.
    pub(super) sizes: BTreeMap<Size, String>,
    /// For each host, the libraries without Rust by their rows. In the order of the file.
    libraries: toml::Table,
}

/// How large the inputs are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Size {
    Small,
    Medium,
    Large,
}

impl Size {
    pub(super) const ALL: [Size; 3] = [Size::Small, Size::Medium, Size::Large];
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Size::Small => "small",
            Size::Medium => "medium",
            Size::Large => "large",
        })
    }
}

fn one_for_each_tier() -> Vec<String> {
    ["1", "2", "3"].map(str::to_owned).into()
}

impl About {
    fn read(text: &str) -> Result<About, String> {
        let about: About = toml::from_str(text).map_err(|error| error.to_string())?;
        match Size::ALL.iter().find(|size| !about.sizes.contains_key(size)) {
            Some(size) => Err(format!("[sizes] does not have `{size}`")),
            None => Ok(about),
        }
    }

    /// The hosts with a library to compare with.
    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.libraries.keys().map(String::as_str)
    }

    /// A host's rows without Rust, and the library of each.
    pub(super) fn libraries(&self, host: &str) -> Vec<(&str, &str)> {
        let table = self.libraries.get(host).and_then(toml::Value::as_table);
        table.into_iter().flatten().filter_map(|(row, library)| Some((row.as_str(), library.as_str()?))).collect()
    }
}

/// All functions, in the order of their names.
///
/// # Errors
/// A file is missing or wrong.
pub(super) fn all(repository: &Path) -> Result<Vec<Function>, String> {
    let atlas = repository.join("atlas");
    let entries = fs::read_dir(&atlas).map_err(|error| format!("{}: {error}", atlas.display()))?;
    let mut functions = Vec::new();
    for folder in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let file = folder.join("atlas.toml");
        let wrong = |error: String| format!("{}: {error}", file.display());
        let text = fs::read_to_string(&file).map_err(|error| wrong(error.to_string()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        functions.push(Function { name, about: About::read(&text).map_err(wrong)? });
    }
    functions.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(functions)
}

/// The hosts of all functions, each once.
pub(super) fn hosts(functions: &[Function]) -> Vec<&str> {
    let mut hosts = Vec::new();
    for host in functions.iter().flat_map(|function| function.about.hosts()) {
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABOUT: &str = "title = 'T'\nrust = 'r'\nanswers = 'A.'\n[sizes]\nsmall = 's'\nmedium = 'm'\nlarge = 'l'\n";

    #[test]
    fn hosts_and_libraries_keep_the_order_of_the_file() {
        let text = format!("{ABOUT}[libraries.node]\n0 = 'b'\n'0:x' = 'a'\n[libraries.go]\n0 = 'c'\n");
        let about = About::read(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(about.hosts().collect::<Vec<_>>(), ["node", "go"]);
        assert_eq!(about.libraries("node"), [("0", "b"), ("0:x", "a")]);
        assert_eq!(about.libraries("java"), []);
    }

    #[test]
    fn a_missing_size_is_named() {
        let error = About::read(&ABOUT.replace("large = 'l'\n", "[libraries]\n")).err();
        assert_eq!(error.as_deref(), Some("[sizes] does not have `large`"));
    }
}
