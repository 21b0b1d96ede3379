//! Where `rustc` looks for the file of `mod name;`
//! (<https://doc.rust-lang.org/reference/items/modules.html>, "Module source filenames").

/// The folders that are searched for the modules declared in one place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Folders {
    /// The folder of the file itself, which `#[path]` starts from.
    of_file: String,
    /// Where the files of modules declared here are.
    of_modules: String,
    /// Whether this place is inside `mod name { … }`.
    is_inline: bool,
}

/// A file that may hold a module, and the folders for the modules declared in it.
pub(crate) struct Candidate {
    pub(crate) file: String,
    pub(crate) folders: Folders,
}

impl Folders {
    /// For a file whose modules are beside it: the crate's root, a `mod.rs`, or a file named by `#[path]`.
    pub(crate) fn beside(file: &str) -> Folders {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder).to_string();
        Folders { of_file: folder.clone(), of_modules: folder, is_inline: false }
    }

    /// For the modules inside `mod name { … }`.
    pub(crate) fn inside(&self, name: &str, path: Option<&str>) -> Folders {
        let of_modules = match path {
            Some(path) => join(self.base_of_path(), path),
            None => join(&self.of_modules, name),
        };
        Folders { of_file: self.of_file.clone(), of_modules, is_inline: true }
    }

    /// Where `mod name;` may be, in the order to look.
    pub(crate) fn candidates(&self, name: &str, path: Option<&str>) -> Vec<Candidate> {
        if let Some(path) = path {
            let file = join(self.base_of_path(), path);
            return vec![Candidate { folders: Folders::beside(&file), file }];
        }
        let own = join(&self.of_modules, name);
        let beside = Folders { of_file: self.of_modules.clone(), of_modules: own.clone(), is_inline: false };
        let inside = Folders { of_file: own.clone(), of_modules: own.clone(), is_inline: false };
        vec![
            Candidate { file: format!("{own}.rs"), folders: beside },
            Candidate { file: format!("{own}/mod.rs"), folders: inside },
        ]
    }

    fn base_of_path(&self) -> &str {
        if self.is_inline { &self.of_modules } else { &self.of_file }
    }
}

/// `src/shapes` and `../other.rs` make `src/other.rs`.
fn join(folder: &str, path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folders: &Folders, name: &str, path: Option<&str>) -> String {
        folders.candidates(name, path).iter().map(|candidate| candidate.file.clone()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn modules_are_found_where_the_reference_says() {
        let root = Folders::beside("src/lib.rs");
        assert_eq!(files(&root, "a", None), "src/a.rs src/a/mod.rs");
        assert_eq!(files(&root, "a", Some("x/y.rs")), "src/x/y.rs");
        assert_eq!(files(&root.inside("inline", None), "b", None), "src/inline/b.rs src/inline/b/mod.rs");
        assert_eq!(files(&root.inside("inline", None), "b", Some("x.rs")), "src/inline/x.rs");
        assert_eq!(files(&root.inside("inline", Some("other")), "b", None), "src/other/b.rs src/other/b/mod.rs");

        let [beside, inside] = root.candidates("a", None).try_into().ok().unwrap();
        assert_eq!(files(&beside.folders, "b", None), "src/a/b.rs src/a/b/mod.rs");
        assert_eq!(files(&beside.folders, "b", Some("c.rs")), "src/c.rs");
        assert_eq!(files(&beside.folders.inside("inline", None), "b", Some("c.rs")), "src/a/inline/c.rs");
        assert_eq!(files(&inside.folders, "b", Some("../c.rs")), "src/c.rs");
        assert_eq!(files(&root, "b", Some("../../c.rs")), "../c.rs");
        assert_eq!(files(&Folders::beside("lib.rs"), "b", None), "b.rs b/mod.rs");
    }
}
