//! The witness of Go servers: counters in watched functions. In: the functions. Out: copies of their files that count
//! calls or note them, and a file in each of their packages that reports them.
//!
//! The build reads these files instead of the user's (`overlay.rs`), as for the sensor. The witness notes no types, as
//! the source declares them.

mod counting;
pub(crate) mod name;
mod noting;

use std::{collections::BTreeMap, path::Path};

use tierup_codegen::{Files, HostSettings, SOCKET, ServerFolder, Watch, Witness, source::fill};

use self::{
    counting::{Counter, Counting, counting},
    name::declared_name,
};
use crate::overlay::{Build, HINT, OVERLAY, overlay, quoted};

/// The name of the added file in each package. It must be unused there.
const ADDED: &str = "tierup_profile_witness.go";

/// # Errors
/// If tierup cannot add files to the server's build, or if no function can be counted.
pub(crate) fn witness(
    settings: &HostSettings,
    folder: &dyn ServerFolder,
    watch: &Watch<'_>,
) -> Result<Witness, String> {
    let build = Build::read(settings, folder)?;
    let mut of_files: BTreeMap<&Path, Vec<(usize, String)>> = BTreeMap::new();
    for (number, function) in watch.functions.iter().enumerate() {
        let Some(name) = declared_name(&function.qualified_name) else { continue };
        let path = Path::new(&function.file);
        let path = path.strip_prefix(&settings.folder).unwrap_or(path);
        of_files.entry(path).or_default().push((number, name));
    }
    let mut witness = Added { private: watch.private, files: Files::new(), replaced: Vec::new() };
    let mut of_packages: BTreeMap<&Path, (String, Vec<Counter>)> = BTreeMap::new();
    for (path, functions) in of_files.into_iter().filter(|(path, _)| is_own(path)) {
        let text = path.to_str().and_then(|path| folder.read(path));
        let Some(Counting { text, package, counters }) = text.and_then(|text| counting(&text, &functions, watch.calls))
        else {
            continue;
        };
        witness.add(path, "counted", text);
        let (_, all) = of_packages.entry(path.parent().unwrap_or(path)).or_insert_with(|| (package, Vec::new()));
        all.extend(counters);
    }
    if of_packages.is_empty() {
        return Err("none of them is a function with a name whose file Go alone compiles".to_owned());
    }
    for (number, (folder, (package, counters))) in of_packages.into_iter().enumerate() {
        let agent = agent(watch, number, &package, &counters);
        witness.add(&folder.join(ADDED), "reporting", agent);
    }
    Ok(Witness {
        files: witness.files.with(OVERLAY, overlay(&witness.replaced)),
        preparation: Vec::new(),
        environment: vec![build.variable(watch.private)?],
        in_the_build: true,
        types: None,
        calls: watch.calls,
        hint: HINT.to_owned(),
    })
}

/// Whether a file is the user's own, not a dependency's.
fn is_own(path: &Path) -> bool {
    let path = format!("/{}", path.display());
    !path.contains("/vendor/") && !path.contains("/pkg/mod/")
}

/// Files of the private folder that replace others.
struct Added<'a> {
    private: &'a Path,
    files: Files,
    replaced: Vec<(String, String)>,
}

impl Added<'_> {
    fn add(&mut self, path: &Path, kind: &str, text: String) {
        let name = format!("{kind}-{}.go", self.replaced.len());
        self.replaced.push((path.display().to_string(), self.private.join(&name).display().to_string()));
        self.files = std::mem::take(&mut self.files).with(&name, text);
    }
}

/// The file that reports the calls of one package's functions.
fn agent(watch: &Watch<'_>, number: usize, package: &str, counters: &[Counter]) -> String {
    let line = |function: usize| counters.iter().find(|counter| counter.function == function).map_or(0, |one| one.line);
    let lines: Vec<_> = (0..watch.functions.len()).map(|function| line(function).to_string()).collect();
    fill(
        include_str!("../templates/witness/reporting.go"),
        &[
            ("functions", &watch.functions.len().to_string()),
            ("key", &quoted(watch.key)),
            ("lines", &lines.join(", ")),
            ("number", &number.to_string()),
            ("package", package),
            ("socket", &quoted(&watch.private.join(SOCKET).display().to_string())),
        ],
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tierup_codegen::{InstallBy, Watched};

    use super::*;

    struct Folder(BTreeMap<&'static str, &'static str>);

    impl ServerFolder for Folder {
        fn read(&self, name: &str) -> Option<String> {
            self.0.get(name).map(|text| (*text).to_owned())
        }

        fn names(&self, _: &str) -> Vec<String> {
            vec!["main.go".to_owned()]
        }

        fn exists(&self, name: &str) -> bool {
            self.0.contains_key(name)
        }
    }

    fn watching(functions: &[(&str, &str)]) -> Result<Witness, String> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let settings = HostSettings {
            folder: "/srv/shop".into(),
            install: InstallBy::Nobody,
            prepare: words(&["go", "build", "-o", "server", "."]),
            start: words(&["./server"]),
            baselines: Vec::new(),
        };
        let folder = Folder(BTreeMap::from([
            ("main.go", "package main\n\nfunc main() {\n}\n\nfunc price() {\n}\n"),
            ("cart/cart.go", "package cart\n\nfunc Total() {\n}\n"),
            ("/srv/tax/tax.go", "package tax\n\nfunc Of() {\n}\n"),
            ("vendor/a/a.go", "package a\n\nfunc A() {\n}\n"),
        ]));
        let watched = |(file, qualified_name): &(&str, &str)| {
            let (file, qualified_name) = ((*file).to_owned(), (*qualified_name).to_owned());
            Watched { file, name: qualified_name.clone(), qualified_name, line: None, fields: Vec::new() }
        };
        let functions: Vec<_> = functions.iter().map(watched).collect();
        witness(&settings, &folder, &Watch { private: Path::new("/p"), key: "k", functions: &functions, calls: false })
    }

    #[test]
    fn each_package_counts_its_own() {
        let witness = watching(&[
            ("/srv/shop/main.go", "main.price"),
            ("/srv/shop/cart/cart.go", "a.b/shop/cart.Total"),
            ("/srv/tax/tax.go", "a.b/tax.Of"),
            ("/srv/shop/vendor/a/a.go", "a.b/a.A"),
        ])
        .unwrap();
        let file = |name: &str| String::from_utf8(witness.files.get(name).unwrap().to_vec()).unwrap();
        let list: Vec<String> = file(OVERLAY).split('"').map(str::to_owned).collect();
        let paths: Vec<&str> = list.iter().skip(3).step_by(2).map(String::as_str).collect();
        let replaced: BTreeMap<&str, &str> = paths.chunks(2).map(|pair| (pair[0], pair[1])).collect();
        assert_eq!(replaced["cart/cart.go"], "/p/counted-1.go");
        assert!(file("counted-1.go").contains("func Total() {tierupWitnessCalls[1].Add(1); \n"));
        let added: Vec<_> = replaced.keys().filter(|path| path.ends_with(ADDED)).copied().collect();
        let packages = ["/srv/tax/", "cart/", ""].map(|folder| format!("{folder}{ADDED}"));
        assert_eq!(added, packages);
        let agent = file(replaced[packages[1].as_str()].strip_prefix("/p/").unwrap());
        for part in ["package cart\n", "[4]tierupAtomic.Int64", "int{0, 3, 0, 0}", "\"/p/agents\"", "hello %d 2"] {
            assert!(agent.contains(part), "{part}: {agent}");
        }
        assert!(!agent.contains("{{") && witness.types.is_none() && witness.in_the_build);
    }

    #[test]
    fn without_a_function_to_count_nothing_is_built() {
        assert!(watching(&[("/srv/shop/main.go", "main.main.func1")]).unwrap_err().contains("with a name"));
        assert!(watching(&[]).is_err());
    }
}
