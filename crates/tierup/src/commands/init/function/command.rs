//! The command that starts a server. In: its text, and folders. Out: its words, the files that it names, and the same
//! command for another folder.

use std::{
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

use tierup_project::relative;

/// Splits a command into words; if it needs a shell, they are `sh -c COMMAND`.
pub(super) fn words(command: &str) -> Vec<String> {
    let is_plain = |character: char| character.is_alphanumeric() || "-_./:@%+, ".contains(character);
    if command.chars().all(is_plain) {
        // `exec` is not a program, but a word for the shell.
        command.trim_start().trim_start_matches("exec ").split_whitespace().map(str::to_owned).collect()
    } else {
        vec!["sh".to_owned(), "-c".to_owned(), command.to_owned()]
    }
}

/// The first file of this folder that a command names. Programs of installed packages are not the server's files.
pub(super) fn file_of(command: &str, folder: &Path) -> Option<PathBuf> {
    let is_own = |part: Component<'_>| match part {
        Component::CurDir => true,
        Component::Normal(name) => !["node_modules", "vendor"].iter().any(|other| name == *other) && !is_hidden(name),
        _ => false,
    };
    let mut words = command.split_whitespace().filter(|word| Path::new(word).components().all(is_own));
    words.find_map(|word| Some(folder.join(word)).filter(|file| file.is_file()))
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Translates a command for one folder into a command for a folder below it.
pub(super) fn from_folder(command: &str, folder: &Path, below: &Path) -> String {
    if below == folder {
        return command.to_owned();
    }
    let words = words(command);
    if words.first().is_some_and(|first| first == "sh") {
        return format!("cd {} && {command}", relative(below, folder));
    }
    let moved = words.iter().enumerate().map(|(place, word)| {
        let file = folder.join(word);
        // A shell looks for a program without `/` on PATH.
        if place == 0 && !word.contains('/') || Path::new(word).is_absolute() || !file.exists() {
            return word.clone();
        }
        let file = relative(below, &file);
        if place == 0 && !file.contains('/') { format!("./{file}") } else { file }
    });
    moved.collect::<Vec<_>>().join(" ")
}

/// A module without its extension, relative to the file that starts the server: `./basket`, `../lib/basket`. If either
/// is outside the project's folder, the path is relative to that folder.
pub(super) fn from_server(module: &str, start: &[String], folder: &Path) -> String {
    let stem = module.rsplit_once('.').map_or(module, |(stem, _)| stem);
    let is_below = |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let mut words = start.iter().map(|word| word.trim_start_matches("./"));
    let server = words.find(|word| is_below(word) && folder.join(word).is_file());
    let parts: Vec<&str> = stem.split('/').collect();
    let Some(server) = server.filter(|_| is_below(stem)) else {
        return if stem.starts_with("../") { stem.to_owned() } else { format!("./{stem}") };
    };
    let above: Vec<&str> = server.split('/').collect();
    let (above, within) = (&above[..above.len() - 1], &parts[..parts.len() - 1]);
    let shared = above.iter().zip(within).take_while(|(one, other)| one == other).count();
    let up = if shared == above.len() { "./".to_owned() } else { "../".repeat(above.len() - shared) };
    up + &parts[shared..].join("/")
}

#[cfg(test)]
mod tests {
    use super::{super::super::folders, *};

    #[test]
    fn a_command_is_rewritten_for_its_servers_folder() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path();
        for file in ["node/package.json", "node/dist/server.js", "node/node_modules/tsx/cli.js", "shop.json"] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        let moved = |command: &str| from_folder(command, root, &root.join("node"));
        assert_eq!(moved("node node/dist/server.js --config shop.json"), "node dist/server.js --config ../shop.json");
        assert_eq!(moved("./node/dist/server.js"), "dist/server.js");
        assert_eq!(moved("A=1 node node/dist/server.js"), "cd .. && A=1 node node/dist/server.js");
        let file = |command: &str| file_of(command, root).map(|file| relative(root, &file));
        assert_eq!(
            file("A=1 node ./node/node_modules/tsx/cli.js ./node/dist/server.js").as_deref(),
            Some("node/dist/server.js")
        );
        assert_eq!(file("python -m shop"), None);
        let node = Some(crate::hosts::find("node").unwrap());
        assert_eq!(folders::server(root, node, &root.join("node/dist/server.js")), root.join("node"));
        assert_eq!(folders::server(root, node, &root.join("shop.json")), root);
    }

    #[test]
    fn a_module_is_named_relative_to_the_servers_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("node/bin")).unwrap();
        for file in ["server.js", "node/server.js", "node/bin/www.js"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let of = |module: &str, start: &str| from_server(module, &words(start), folder.path());
        assert_eq!(of("basket.js", "node server.js"), "./basket");
        assert_eq!(of("node/lib/basket.js", "node node/server.js tier-0"), "./lib/basket");
        assert_eq!(of("node/lib/basket.js", "node node/bin/www.js"), "../lib/basket");
        assert_eq!(of("node/lib/basket.js", "node ./node/bin/www.js"), "../lib/basket");
        assert_eq!(of("basket.js", "node node/bin/www.js"), "../../basket");
        assert_eq!(of("lib/basket.js", "npm start"), "./lib/basket");
        assert_eq!(of("../text/basket.js", "node server.js"), "../text/basket");
    }
}
