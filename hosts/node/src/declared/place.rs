//! Finds TypeScript files. In: the server's folder or its repository, and paths from there. Out: the source of a
//! running file, the files that a source runs as, and the file that a specifier means.

mod tsconfig;

use std::collections::BTreeSet;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use serde_json::Value;
use tierup_codegen::ServerFolder;

const TYPED: [&str; 4] = [".ts", ".tsx", ".mts", ".cts"];

/// Whether a file is written in TypeScript.
pub(super) fn is_typed(file: &str) -> bool {
    TYPED.iter().any(|ending| file.ends_with(ending))
}

/// The files that may declare a running file's types, best first: sources, then declaration files, then JSDoc comments.
pub(super) fn sources(folder: &dyn ServerFolder, file: &str) -> Vec<String> {
    if is_typed(file) {
        return vec![file.to_owned()];
    }
    let Some((stem, ending)) = stem(file) else { return Vec::new() };
    let mut found: Vec<String> = mapped(folder, file);
    found.extend(unmapped(stem, ending).into_iter().filter(|source| folder.exists(source)));
    let declarations = format!("{stem}.d.{}", ending.replace("js", "ts"));
    found.extend(Some(declarations).filter(|file| folder.exists(file)));
    found.push(file.to_owned());
    found
}

/// How many folders above the server's the repository begins. The server may use the packages in it.
pub(crate) fn workspace(folder: &dyn ServerFolder) -> usize {
    const MOST_UP: usize = 16;
    let begins = |up: &usize| {
        let there = |name: &str| format!("{}{name}", "../".repeat(*up));
        let manifest = folder.read(&there("package.json")).unwrap_or_default();
        let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
        let has = |name: &str| folder.exists(&there(name));
        !manifest["workspaces"].is_null() || has("pnpm-workspace.yaml") || has(".git")
    };
    (0..=MOST_UP).find(begins).unwrap_or(0)
}

/// The files that a source may run as: those whose maps name it, including bundles, and those where `outDir` usually
/// puts it. If there are none (`tsx`), the source itself runs.
pub(crate) fn compiled(folder: &dyn ServerFolder, source: &str) -> Vec<String> {
    const DEEPEST: usize = 8;
    // Links may form circles.
    const MOST_FOLDERS: usize = 5000;
    let mut left = MOST_FOLDERS;
    let mut found = Vec::new();
    let mut looked_at = BTreeSet::new();
    // The nearest folder comes first, as the repository may have many packages.
    let above = source.match_indices('/').map(|(slash, _)| source[..slash].to_owned());
    let mut folders: Vec<_> = [String::new()].into_iter().chain(above).map(|place| (place, 0)).collect();
    while let Some((place, depth)) = folders.pop().filter(|_| left > 0) {
        if !looked_at.insert(place.clone()) {
            continue;
        }
        left -= 1;
        for name in folder.names(&place) {
            let path = within(&place, &name);
            match stem(&path) {
                Some(_) if path != source && sources(folder, &path).iter().any(|one| one == source) => found.push(path),
                None if name != "node_modules" && !name.starts_with('.') && depth < DEEPEST => {
                    folders.push((path, depth + 1));
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn within(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Splits `dist/price.js` into `dist/price` and `js`.
fn stem(file: &str) -> Option<(&str, &str)> {
    file.rsplit_once('.').filter(|(_, ending)| ["js", "mjs", "cjs"].contains(ending))
}

/// The source map beside a file, or in its last line.
fn map(folder: &dyn ServerFolder, file: &str) -> Option<String> {
    folder.read(&format!("{file}.map")).or_else(|| {
        let text = folder.read(file)?;
        let (_, url) = text.rsplit_once("sourceMappingURL=data:")?;
        let (_, data) = url.split_whitespace().next()?.split_once("base64,")?;
        String::from_utf8(BASE64_STANDARD.decode(data).ok()?).ok()
    })
}

/// The sources that the map of a file names.
fn mapped(folder: &dyn ServerFolder, file: &str) -> Vec<String> {
    let Some(map) = map(folder, file) else { return Vec::new() };
    let map: Value = serde_json::from_str(&map).unwrap_or_default();
    let root = map["sourceRoot"].as_str().filter(|root| !root.is_empty()).map(|root| format!("{root}/"));
    let sources = map["sources"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let sources = sources.filter_map(|source| match source.split_once("://") {
        // A path with a bundler's own scheme (`webpack://shop/./src/price.ts`) starts at one of the folders above.
        Some((_, path)) => {
            let path = path.split_once('/')?.1;
            let mut above = (0..file.split('/').count()).map(|up| joined(file, &format!("{}{path}", "../".repeat(up))));
            above.find(|source| folder.exists(source))
        }
        None => Some(joined(file, &format!("{}{source}", root.as_deref().unwrap_or_default()))),
    });
    sources.filter(|source| (is_typed(source) || stem(source).is_some()) && folder.exists(source)).collect()
}

/// Possible sources of a file without a map: `dist/price.js` usually comes from `src/price.ts` or `price.ts`.
fn unmapped(stem: &str, ending: &str) -> Vec<String> {
    let typed = ending.replace("js", "ts");
    let parts: Vec<&str> = stem.split('/').collect();
    let mut all = vec![format!("{stem}.{typed}")];
    for place in 0..parts.len() - 1 {
        for instead in [&["src"][..], &[]] {
            all.push(format!("{}.{typed}", [&parts[..place], instead, &parts[place + 1..]].concat().join("/")));
        }
    }
    all
}

/// The file that a specifier in another file means.
pub(super) fn meant(folder: &dyn ServerFolder, from: &str, specifier: &str) -> Option<String> {
    if specifier.starts_with('.') {
        return of_stem(folder, &joined(from, specifier));
    }
    if let Some(file) = tsconfig::file(folder, from, specifier) {
        return Some(file);
    }
    // The specifier is a package, or a path in one. A package of the workspace is a link to its folder.
    let parts = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier.match_indices('/').nth(parts - 1).map_or(specifier.len(), |(slash, _)| slash);
    let (name, within) = specifier.split_at(end);
    let (place, manifest) = above(folder, from, &format!("node_modules/{name}/package.json"))?;
    let manifest: Value = serde_json::from_str(&manifest).ok()?;
    let entry = &manifest["exports"][format!(".{within}")];
    if !within.is_empty() {
        let listed = [&entry["types"], &entry["import"]["types"], entry, &entry["import"], &entry["default"]];
        let listed = listed.into_iter().find_map(Value::as_str).map(str::to_owned);
        return of_stem(folder, &joined(&place, &listed.unwrap_or_else(|| format!(".{within}"))));
    }
    let types = [&manifest["types"], &manifest["typings"], &entry["types"], &entry["import"]["types"]];
    let main = [entry, &manifest["exports"], &entry["import"], &entry["default"], &manifest["main"]];
    let main = types.into_iter().chain(main).find_map(Value::as_str).unwrap_or("index.js");
    of_stem(folder, &joined(&place, main))
}

/// The nearest file with this name, in the folder of `from` or above, and its text.
fn above(folder: &dyn ServerFolder, from: &str, name: &str) -> Option<(String, String)> {
    let mut places = (0..from.split('/').count()).map(|up| joined(from, &format!("{}{name}", "../".repeat(up))));
    places.find_map(|place| Some((place.clone(), folder.read(&place)?)))
}

/// The file of a path without its ending: TypeScript's sources write both `./line.js` and `./line` for `./line.ts`.
fn of_stem(folder: &dyn ServerFolder, path: &str) -> Option<String> {
    if is_typed(path) && folder.exists(path) {
        return Some(path.to_owned());
    }
    let plain = stem(path).map_or(path, |(stem, _)| stem);
    let typed = [".ts", ".tsx", ".mts", ".cts", ".d.ts", ".d.mts", ".d.cts", "/index.ts", "/index.d.ts"];
    let ends = typed.into_iter().chain([".js", ".mjs", ".cjs", "/index.js"]);
    ends.map(|end| format!("{plain}{end}")).find(|file| folder.exists(file))
}

/// Joins a path to the folder of a file, without `.`, and with `..` only at the start.
pub(super) fn joined(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
