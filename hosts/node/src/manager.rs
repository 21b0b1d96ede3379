//! The package manager that a server's owner uses: npm, Yarn, pnpm or Bun.
//!
//! In: the server's folder. Out: the manager, the file that names it, and its commands.

use serde_json::Value;
use tierup_codegen::{Command, ServerFolder};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manager {
    Npm,
    /// Yarn 1.
    YarnClassic,
    /// Yarn 2 or newer.
    Yarn,
    Pnpm,
    Bun,
}

/// A manager, and the place of its files.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) manager: Manager,
    /// `pnpm-lock.yaml`, or the manifest whose `packageManager` names it.
    pub(crate) by: String,
    /// The path to the root of the server's workspace; it is empty, or ends in `/`.
    pub(crate) root: String,
    pub(crate) lock_file: Option<&'static str>,
}

pub(crate) const MANIFEST: &str = "package.json";
/// npm's files come last: an owner who changed managers may have left them behind.
const LOCK_FILES: &[(&str, Manager)] = &[
    ("pnpm-lock.yaml", Manager::Pnpm),
    ("yarn.lock", Manager::YarnClassic),
    ("bun.lock", Manager::Bun),
    ("bun.lockb", Manager::Bun),
    ("package-lock.json", Manager::Npm),
    ("npm-shrinkwrap.json", Manager::Npm),
];
/// How many folders above the server may be the workspace's root.
const MOST_UP: usize = 6;

/// The manager of the server in `folder`: that of `packageManager` in its manifest, otherwise that of a lock file, in
/// the folder or at its workspace's root; otherwise npm.
pub(crate) fn found(folder: &dyn ServerFolder) -> Found {
    let roots = (0..=MOST_UP).map(|up| "../".repeat(up)).filter(|root| root.is_empty() || is_root(folder, root));
    for root in roots {
        let lock_file = |manager: Manager| {
            let of = LOCK_FILES.iter().filter(|(_, its)| its.program() == manager.program());
            of.map(|(name, _)| *name).find(|name| folder.exists(&format!("{root}{name}")))
        };
        let manifest = format!("{root}{MANIFEST}");
        if let Some(manager) = named(&json(folder, &manifest)) {
            let by = format!("`packageManager` in {manifest}");
            return Found { manager, by, lock_file: lock_file(manager), root };
        }
        let there = LOCK_FILES.iter().find(|(name, _)| folder.exists(&format!("{root}{name}")));
        if let Some((name, manager)) = there {
            let by = format!("{root}{name}");
            let is_new = || folder.read(&by).is_some_and(|text| text.contains("__metadata:"));
            let manager = if *manager == Manager::YarnClassic && is_new() { Manager::Yarn } else { *manager };
            return Found { manager, by, lock_file: Some(*name), root };
        }
    }
    Found { manager: Manager::Npm, by: MANIFEST.to_owned(), root: String::new(), lock_file: None }
}

/// Whether a folder is a workspace's root. A lock file in another folder above belongs to another project.
pub(crate) fn is_root(folder: &dyn ServerFolder, root: &str) -> bool {
    folder.exists(&format!("{root}pnpm-workspace.yaml"))
        || !json(folder, &format!("{root}{MANIFEST}"))["workspaces"].is_null()
}

/// `"packageManager": "pnpm@9.1.0+sha512.…"`, which Corepack reads.
fn named(manifest: &Value) -> Option<Manager> {
    let (name, version) = manifest["packageManager"].as_str()?.split_once('@')?;
    match name {
        "npm" => Some(Manager::Npm),
        "yarn" if version.starts_with("1.") => Some(Manager::YarnClassic),
        "yarn" => Some(Manager::Yarn),
        "pnpm" => Some(Manager::Pnpm),
        "bun" => Some(Manager::Bun),
        _ => None,
    }
}

pub(crate) fn json(folder: &dyn ServerFolder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name).unwrap_or_default()).unwrap_or_default()
}

impl Manager {
    pub(crate) fn program(self) -> &'static str {
        match self {
            Manager::Npm => "npm",
            Manager::YarnClassic | Manager::Yarn => "yarn",
            Manager::Pnpm => "pnpm",
            Manager::Bun => "bun",
        }
    }

    /// The command that installs the versions in the lock file without changing the file.
    pub(crate) fn install(self, has_lock_file: bool) -> Command {
        let arguments: &[&str] = match (self, has_lock_file) {
            (Manager::Npm, true) => &["ci", "--no-audit", "--no-fund"],
            (Manager::Npm, false) => &["install", "--no-audit", "--no-fund"],
            (Manager::YarnClassic, true) => &["install", "--frozen-lockfile", "--non-interactive"],
            (Manager::YarnClassic, false) => &["install", "--non-interactive"],
            (Manager::Yarn, true) => &["install", "--immutable"],
            (Manager::Pnpm | Manager::Bun, true) => &["install", "--frozen-lockfile"],
            (Manager::Yarn | Manager::Pnpm | Manager::Bun, false) => &["install"],
        };
        Command::new(self.program(), arguments.iter().copied())
    }

    /// The command that adds the package in a folder as a link, so that the server finds later builds. It adds it to
    /// the package in `home` (`packages/api`), or to the current folder's, which may be the root of a workspace.
    pub(crate) fn add(self, package: &str, folder: &str, home: &str, is_root: bool) -> Command {
        let up = "../".repeat(home.split('/').filter(|part| !part.is_empty()).count());
        // If the manager runs in the package at `home`, the link is relative to that folder.
        let link = if up.is_empty() { folder.to_owned() } else { up + folder.trim_start_matches("./") };
        let there = |option: &str| if home.is_empty() { Vec::new() } else { vec![option.to_owned(), home.to_owned()] };
        let at_root = |option: &str| if home.is_empty() && is_root { vec![option.to_owned()] } else { Vec::new() };
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let arguments = match self {
            // npm takes the folder as relative to the current one, even with `--prefix`.
            Manager::Npm => {
                [words(&["install", folder]), there(if is_root { "--workspace" } else { "--prefix" })].concat()
            }
            Manager::YarnClassic => {
                let link = format!("{package}@link:{link}");
                [there("--cwd"), words(&["add"]), at_root("-W"), words(&[&link])].concat()
            }
            Manager::Yarn => [there("--cwd"), words(&["add", &format!("{package}@link:{link}")])].concat(),
            Manager::Pnpm => {
                let filter = if home.is_empty() { Vec::new() } else { words(&["--filter", &format!("./{home}")]) };
                // `pnpm deploy` copies a `file:` folder, but ships a `link:` as it is. Only a link shows later builds.
                let kind = if folder.contains(".tierup/") { "link" } else { "file" };
                [filter, words(&["add"]), at_root("-w"), words(&[&format!("{kind}:{link}")])].concat()
            }
            Manager::Bun => [words(&["add"]), there("--cwd"), words(&[&format!("{package}@file:{link}")])].concat(),
        };
        Command::new(self.program(), arguments.iter().map(String::as_str))
    }
}

/// The folder of the package with the server's start file, relative to the server's folder: `packages/api`. Empty if it
/// is the server's folder, or if nothing tells.
pub(crate) fn home(folder: &dyn ServerFolder) -> String {
    const ENDINGS: [&str; 7] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx"];
    let is_file = |word: &&str| {
        let is_below = !word.starts_with('/') && !word.split('/').any(|part| part == "..");
        is_below && ENDINGS.iter().any(|ending| word.ends_with(ending)) && folder.exists(word)
    };
    let words = folder.start().iter().flat_map(|word| word.split_whitespace());
    let Some(file) = words.map(|word| word.trim_start_matches("./")).find(is_file) else { return String::new() };
    let mut place = file;
    while let Some((above, _)) = place.rsplit_once('/') {
        if folder.exists(&format!("{above}/{MANIFEST}")) {
            return above.to_owned();
        }
        place = above;
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::test_folder::test_folder;

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: Expect) {
        let folder = test_folder(files);
        let found = found(&folder);
        let install = found.manager.install(found.lock_file.is_some());
        let add = found.manager.add("hot", "../.tierup/node", "", false);
        expected.assert_eq(&format!("{}: {install}; {add}", found.by));
    }

    #[test]
    fn the_workspaces_package_gets_the_link() {
        let add = |manager: Manager, home: &str| manager.add("hot", "./.tierup/node", home, true).to_string();
        assert_eq!(add(Manager::Pnpm, "packages/api"), "pnpm --filter ./packages/api add link:../../.tierup/node");
        assert_eq!(add(Manager::Pnpm, ""), "pnpm add -w link:./.tierup/node");
        assert_eq!(add(Manager::Npm, "packages/api"), "npm install ./.tierup/node --workspace packages/api");
        assert_eq!(add(Manager::YarnClassic, "api"), "yarn --cwd api add hot@link:../.tierup/node");
        assert_eq!(add(Manager::YarnClassic, ""), "yarn add -W hot@link:./.tierup/node");
        assert_eq!(add(Manager::Bun, "api"), "bun add --cwd api hot@file:../.tierup/node");
        // The repository's root is not a package.
        let alone = Manager::Npm.add("hot", "./.tierup/node", "node", false).to_string();
        assert_eq!(alone, "npm install ./.tierup/node --prefix node");
    }

    #[test]
    fn a_lock_file_tells_the_manager() {
        let manifest = ("package.json", "{}");
        check(&[manifest], expect!["package.json: npm install --no-audit --no-fund; npm install ../.tierup/node"]);
        check(
            &[manifest, ("package-lock.json", "{}")],
            expect!["package-lock.json: npm ci --no-audit --no-fund; npm install ../.tierup/node"],
        );
        check(
            &[manifest, ("package-lock.json", "{}"), ("yarn.lock", "# yarn lockfile v1\n")],
            expect!["yarn.lock: yarn install --frozen-lockfile --non-interactive; yarn add hot@link:../.tierup/node"],
        );
        check(
            &[manifest, ("yarn.lock", "__metadata:\n  version: 8\n")],
            expect!["yarn.lock: yarn install --immutable; yarn add hot@link:../.tierup/node"],
        );
        check(
            &[manifest, ("pnpm-lock.yaml", "")],
            expect!["pnpm-lock.yaml: pnpm install --frozen-lockfile; pnpm add link:../.tierup/node"],
        );
        check(
            &[manifest, ("bun.lock", "")],
            expect!["bun.lock: bun install --frozen-lockfile; bun add hot@file:../.tierup/node"],
        );
    }

    #[test]
    fn corepacks_field_comes_first() {
        check(
            &[("package.json", r#"{ "packageManager": "pnpm@9.1.0+sha512.abc" }"#), ("package-lock.json", "{}")],
            expect!["`packageManager` in package.json: pnpm install; pnpm add link:../.tierup/node"],
        );
        check(
            &[("package.json", r#"{ "packageManager": "yarn@4.1.0" }"#), ("yarn.lock", "__metadata:")],
            expect!["`packageManager` in package.json: yarn install --immutable; yarn add hot@link:../.tierup/node"],
        );
    }

    #[test]
    fn a_lock_file_above_counts_at_the_root_of_a_workspace_only() {
        let manifest = ("package.json", "{}");
        check(
            &[manifest, ("../../yarn.lock", ""), ("../../package.json", r#"{ "workspaces": ["packages/*"] }"#)],
            expect![
                "../../yarn.lock: yarn install --frozen-lockfile --non-interactive; yarn add hot@link:../.tierup/node"
            ],
        );
        check(
            &[manifest, ("../pnpm-lock.yaml", ""), ("../pnpm-workspace.yaml", "")],
            expect!["../pnpm-lock.yaml: pnpm install --frozen-lockfile; pnpm add link:../.tierup/node"],
        );
        check(
            &[manifest, ("../yarn.lock", ""), ("../package.json", "{}")],
            expect!["package.json: npm install --no-audit --no-fund; npm install ../.tierup/node"],
        );
    }
}
