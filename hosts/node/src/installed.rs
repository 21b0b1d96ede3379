//! The command that installs a server's dependencies, and whether the installed packages match the manifest and the
//! lock file, so that nothing has to be installed.
//!
//! In: the server's folder and its manager. Out: the manager's commands; yes, no, or a command that tells. A wrong `no`
//! only costs an installation. Optional and development dependencies may be missing, as an owner may leave them out.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use tierup_codegen::{Command, Install, IsThere, ServerFolder};

use crate::manager::{Found, MANIFEST, Manager, found, json};

/// How to install the dependencies of the server in `folder`.
pub(crate) fn install(folder: &dyn ServerFolder) -> Install {
    // Without a manifest, npm would use one of a folder above.
    if !folder.exists(MANIFEST) || !asks_for_any(folder) {
        return Install { decided_by: vec![MANIFEST.to_owned()], ..Install::default() };
    }
    let found = found(folder);
    let mut decided_by = vec![MANIFEST.to_owned()];
    decided_by.extend(found.lock_file.map(|name| format!("{}{name}", found.root)));
    let plug_and_play = format!("{}.pnp.cjs", found.root);
    let leaves = match folder.exists(&plug_and_play) {
        true => plug_and_play,
        false => format!("{}node_modules", found.root),
    };
    Install {
        commands: vec![found.manager.install(found.lock_file.is_some())],
        is_there: is_there(folder, &found),
        found_by: found.by,
        decided_by,
        leaves,
    }
}

/// Whether the manifest names any dependency, or belongs to a workspace.
fn asks_for_any(folder: &dyn ServerFolder) -> bool {
    let manifest = json(folder, MANIFEST);
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "workspaces"]
        .iter()
        .any(|key| manifest[key].as_object().is_some_and(|all| !all.is_empty()) || manifest[key].is_array())
}

pub(crate) fn is_there(folder: &dyn ServerFolder, found: &Found) -> IsThere {
    let root = &found.root;
    let read = |name: &str| folder.read(&format!("{root}{name}"));
    let yes = match (found.manager, found.lock_file) {
        (Manager::Npm, None) => {
            if !folder.exists("node_modules") {
                return IsThere::No;
            }
            return IsThere::Ask(Command::new("npm", ["ls", "--depth=0", "--omit=dev"]));
        }
        _ if wants_something(folder) && !has_something(folder, root) => false,
        (_, None) => false,
        (Manager::Npm, Some(lock_file)) => {
            let lock = json(folder, &format!("{root}{lock_file}"));
            let installed = json(folder, &format!("{root}node_modules/.package-lock.json"));
            npm(folder, root, &lock, &installed)
        }
        // pnpm keeps a copy of the lock file that it installed.
        (Manager::Pnpm, Some(lock_file)) => {
            read("node_modules/.pnpm/lock.yaml").is_some_and(|installed| Some(installed) == read(lock_file))
                && all_wanted(folder, |name, _| exists_in_any(folder, root, name))
        }
        (Manager::Bun, Some(lock_file)) => {
            // `bun.lockb` is not text, so only the presence of the packages can be checked.
            let lock = read(lock_file);
            all_wanted(folder, |name, _| match (&lock, version(folder, root, name)) {
                (Some(lock), Some(version)) => lock.contains(&format!("\"{name}@{version}\"")) || is_link(folder, name),
                (None, Some(_)) => true,
                (_, None) => exists_in_any(folder, root, name),
            })
        }
        (Manager::YarnClassic | Manager::Yarn, Some(lock_file)) => {
            let lock = locked(&read(lock_file).unwrap_or_default());
            let plug_and_play = read(".pnp.cjs");
            all_wanted(folder, |name, range| {
                let wanted = ["npm:", ""].iter().find_map(|kind| lock.get(&format!("{name}@{kind}{range}")));
                match (&plug_and_play, wanted) {
                    (Some(map), Some(version)) => maps(map, name, version),
                    (Some(map), None) => map.contains(&format!("\"{name}\"")),
                    (None, Some(wanted)) => version(folder, root, name).as_ref() == Some(wanted),
                    // The dependency is a link to one of the owner's folders.
                    (None, None) => is_path(range) && exists_in_any(folder, root, name),
                }
            }) && (plug_and_play.is_some() || is_classic_lock_installed(&read("node_modules/.yarn-integrity"), &lock))
        }
    };
    if yes { IsThere::Yes } else { IsThere::No }
}

/// npm keeps a lock file of the installed packages beside them.
fn npm(folder: &dyn ServerFolder, root: &str, lock: &Value, installed: &Value) -> bool {
    let Some(wanted) = lock["packages"].as_object() else { return false };
    let manifest = json(folder, MANIFEST);
    // npm itself reports a manifest that was changed by hand. In a workspace, the lock file lists members elsewhere.
    let own =
        |key: &str| root.is_empty() && objects(&manifest[key]) != objects(&wanted.get("").unwrap_or(&Value::Null)[key]);
    if ["dependencies", "devDependencies", "optionalDependencies"].into_iter().any(own) {
        return false;
    }
    wanted.iter().filter(|(place, _)| place.contains("node_modules/")).all(|(place, package)| {
        let there = &installed["packages"][place];
        let may_be_missing = ["dev", "optional", "devOptional", "peer"].iter().any(|key| package[key] == true);
        let is_same = package["link"] == true
            || package["version"] == there["version"]
                && package["integrity"] == there["integrity"]
                && there.is_object();
        (is_same && folder.exists(&format!("{root}{place}"))) || (there.is_null() && may_be_missing)
    })
}

/// Whether the manifest names any package, even for development: such a tool may start the server.
fn wants_something(folder: &dyn ServerFolder) -> bool {
    let manifest = json(folder, MANIFEST);
    ["dependencies", "devDependencies", "optionalDependencies"].iter().any(|key| !objects(&manifest[key]).is_empty())
}

/// Whether anything has been installed.
fn has_something(folder: &dyn ServerFolder, root: &str) -> bool {
    ["node_modules", ".pnp.cjs"].iter().any(|name| folder.exists(name) || folder.exists(&format!("{root}{name}")))
}

fn objects(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

/// Whether all dependencies that the server needs at run time pass a check.
fn all_wanted(folder: &dyn ServerFolder, is_there: impl Fn(&str, &str) -> bool) -> bool {
    let wanted = objects(&json(folder, MANIFEST)["dependencies"]);
    wanted.iter().all(|(name, range)| is_there(name, range.as_str().unwrap_or_default()))
}

/// Whether the package is beside the server, or at the workspace's root.
fn exists_in_any(folder: &dyn ServerFolder, root: &str, name: &str) -> bool {
    ["", root].iter().any(|place| folder.exists(&format!("{place}node_modules/{name}")))
}

fn version(folder: &dyn ServerFolder, root: &str, name: &str) -> Option<String> {
    let manifests = ["", root].map(|place| json(folder, &format!("{place}node_modules/{name}/package.json")));
    manifests.iter().find_map(|manifest| manifest["version"].as_str()).map(str::to_owned)
}

fn is_link(folder: &dyn ServerFolder, name: &str) -> bool {
    json(folder, MANIFEST)["dependencies"][name].as_str().is_some_and(is_path)
}

fn is_path(range: &str) -> bool {
    ["link:", "file:", "portal:", "workspace:", "./", "../"].iter().any(|kind| range.starts_with(kind))
}

/// Whether Yarn's map has this version of a package, plain or bound to its peers (`virtual:…#npm:4.1.0`).
fn maps(map: &str, name: &str, version: &str) -> bool {
    let (start, end) = (format!("[\"{name}\", \""), format!("npm:{version}\""));
    map.match_indices(&start).any(|(at, _)| map[at..].lines().next().is_some_and(|line| line.contains(&end)))
}

/// Whether Yarn 1 installed these versions: it records where each package came from.
fn is_classic_lock_installed(integrity: &Option<String>, lock: &BTreeMap<String, String>) -> bool {
    // Yarn 2 and newer have no such file.
    let Some(text) = integrity else { return true };
    let entries = objects(&serde_json::from_str::<Value>(text).unwrap_or_default()["lockfileEntries"]);
    lock.iter().all(|(pattern, version)| {
        entries
            .get(pattern)
            .and_then(Value::as_str)
            .is_some_and(|from| from.is_empty() || from.contains(version.as_str()))
    })
}

/// The versions in a `yarn.lock` of any Yarn, by the requests that they satisfy (`express@^4.18.0`,
/// `express@npm:^4.18.0`).
fn locked(text: &str) -> BTreeMap<String, String> {
    let mut versions = BTreeMap::new();
    let mut patterns: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if !line.starts_with(' ') {
            let patterns_of = line.trim_end_matches(':').split(',').map(|one| one.trim().trim_matches('"').to_owned());
            // A link leads to one of the owner's folders, whose version does not matter.
            patterns =
                patterns_of.filter(|one| one.rsplit_once('@').is_some_and(|(_, range)| !is_path(range))).collect();
        } else if let Some(version) = line.strip_prefix("  version") {
            let version = version.trim_start_matches(':').trim().trim_matches('"').to_owned();
            // A package in one of the owner's folders (`0.0.0-use.local`) is not installed.
            if !version.ends_with("-use.local") {
                versions.extend(patterns.drain(..).map(|pattern| (pattern, version.clone())));
            }
        }
    }
    versions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager::found;
    use crate::test_folder::test_folder;

    const EXPRESS: &str = r#"{ "dependencies": { "express": "^4.18.0" } }"#;

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: bool) {
        let folder = test_folder(files);
        let is_there = is_there(&folder, &found(&folder));
        assert_eq!(matches!(is_there, IsThere::Yes), expected, "{is_there:?}");
    }

    #[test]
    fn development_tools_are_missing_if_nothing_was_installed() {
        let manifest = ("package.json", r#"{ "devDependencies": { "tsx": "^4.0.0" } }"#);
        let npm = r#"{ "packages": { "": { "devDependencies": { "tsx": "^4.0.0" } },
                       "node_modules/tsx": { "version": "4.0.0", "dev": true } } }"#;
        for lock in [("package-lock.json", npm), ("yarn.lock", "# yarn lockfile v1"), ("bun.lock", "{}")] {
            check(&[manifest, lock], false);
        }
        check(&[("package.json", "{}"), ("package-lock.json", r#"{ "packages": {} }"#)], true);
    }

    #[test]
    fn npm_compares_both_lock_files() {
        let lock = |express: &str, more: &str| {
            format!(
                r#"{{ "packages": {{ "": {{ "dependencies": {{ "express": "^4.18.0" }} }},
                "node_modules/express": {{ "version": "{express}", "integrity": "x" }}{more} }} }}"#
            )
        };
        let dev = r#", "node_modules/c8": { "version": "1.0.0", "dev": true }"#;
        let plain = r#", "node_modules/qs": { "version": "1.0.0" }"#;
        let manifest = ("package.json", EXPRESS);
        let there = ("node_modules/express/package.json", "{}");
        let case = |wanted: &str, installed: &str, expected| {
            let (wanted, installed) = (("package-lock.json", wanted), ("node_modules/.package-lock.json", installed));
            check(&[manifest, there, wanted, installed], expected);
            // The package was removed later.
            check(&[manifest, wanted, installed], false);
        };
        case(&lock("4.18.2", ""), &lock("4.18.2", ""), true);
        case(&lock("4.18.3", ""), &lock("4.18.2", ""), false);
        case(&lock("4.18.2", dev), &lock("4.18.2", ""), true);
        case(&lock("4.18.2", plain), &lock("4.18.2", ""), false);
        let changed = ("package.json", r#"{ "dependencies": { "express": "^5.0.0" } }"#);
        let both = lock("4.18.2", "");
        check(&[changed, there, ("package-lock.json", &both), ("node_modules/.package-lock.json", &both)], false);
    }

    #[test]
    fn without_a_lock_file_npm_itself_is_asked() {
        let folder = test_folder(&[("package.json", EXPRESS), ("node_modules/express/package.json", "{}")]);
        let IsThere::Ask(command) = is_there(&folder, &found(&folder)) else { panic!("npm is not asked") };
        assert_eq!(command.to_string(), "npm ls --depth=0 --omit=dev");
        check(&[("package.json", EXPRESS)], false);
    }

    #[test]
    fn yarns_lock_file_tells_the_required_version() {
        let classic = "# yarn lockfile v1\n\n\nexpress@^4.18.0:\n  version \"4.18.2\"\n  resolved \"https://r/express-4.18.2.tgz\"\n";
        let berry = "__metadata:\n  version: 8\n\n\"express@npm:^4.18.0\":\n  version: 4.18.2\n";
        let manifest = ("package.json", EXPRESS);
        let there = |version: &'static str| ("node_modules/express/package.json", version);
        for lock in [classic, berry] {
            check(&[manifest, ("yarn.lock", lock), there(r#"{"version":"4.18.2"}"#)], true);
            check(&[manifest, ("yarn.lock", lock), there(r#"{"version":"4.18.1"}"#)], false);
            check(&[manifest, ("yarn.lock", lock)], false);
        }
        let linked = ("package.json", r#"{ "dependencies": { "hot": "link:../.tierup/node" } }"#);
        let lock = ("yarn.lock", "\"hot@link:../.tierup/node\":\n  version \"0.0.0\"\n  uid \"\"\n");
        check(&[linked, lock, ("node_modules/hot/package.json", r#"{"version":"0.1.0"}"#)], true);
        check(&[linked, lock], false);
        let integrity = r#"{"lockfileEntries":{"express@^4.18.0":"https://r/express-4.18.1.tgz"}}"#;
        let old = ("node_modules/.yarn-integrity", integrity);
        check(&[manifest, ("yarn.lock", classic), there(r#"{"version":"4.18.2"}"#), old], false);
        let map = |version: &str| format!("[\"express\", \"npm:{version}\"],\n");
        check(&[manifest, ("yarn.lock", berry), (".pnp.cjs", &map("4.18.2"))], true);
        check(&[manifest, ("yarn.lock", berry), (".pnp.cjs", &map("4.18.1"))], false);
    }

    #[test]
    fn pnpm_keeps_a_copy_and_bun_names_versions() {
        let manifest = ("package.json", EXPRESS);
        let there = ("node_modules/express/package.json", r#"{"version":"4.18.2"}"#);
        let lock = ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n");
        check(&[manifest, there, lock, ("node_modules/.pnpm/lock.yaml", lock.1)], true);
        check(&[manifest, there, lock, ("node_modules/.pnpm/lock.yaml", "another")], false);
        check(&[manifest, there, lock], false);
        check(&[manifest, there, ("bun.lock", r#""express": ["express@4.18.2", ""#)], true);
        check(&[manifest, there, ("bun.lock", r#""express": ["express@4.18.3", ""#)], false);
    }
}
